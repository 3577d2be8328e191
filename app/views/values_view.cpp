// Ties the list of recorded calls, the table of their values and the selection together.
#include "app/views/values_view.h"

#include "app/models/text.h"
#include "app/models/why_not_run.h"
#include "app/views/layouts.h"
#include "app/views/start_card.h"

#include <QShortcut>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kValuesPage = 0, kStartPage = 1, kCardWidth = 640;

QLabel* wrapped(const char* role = nullptr) {
  auto* label = plain_label({}, role);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

ValuesView::ValuesView(const Context& context, QWidget* parent) : View(context, parent), model_(this) {
  auto* column = column_in(this);
  pages_ = new QStackedWidget;
  pages_->addWidget(build_values());
  pages_->addWidget(build_start());
  column->addWidget(pages_);
  const auto key = [this](Qt::Key of, bool (ValuesView::*act)()) {
    connect(new QShortcut(QKeySequence(of), this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut),
            &QShortcut::activated, this, act);
  };
  key(Qt::Key_N, &ValuesView::show_first_nan);
  key(Qt::Key_I, &ValuesView::show_first_infinity);
  reset();
}

QWidget* ValuesView::build_values() {
  auto* page = new QWidget;
  auto* column = column_in(page, {20, 12, 20, 8}, 10);
  auto* head = row_in(nullptr, {}, 8);
  calls_ = new QComboBox;
  calls_->setAccessibleName(QStringLiteral("Recorded call"));
  set_tip(calls_, QStringLiteral("The call whose values are shown"));
  calls_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  calls_->setMaximumWidth(360);
  connect(calls_, &QComboBox::activated, this, [this](int index) { show_call(index); });
  head->addWidget(calls_);
  first_nan_ = chip_button(QStringLiteral("First NaN"), QStringLiteral("Selects the node that made the first NaN (N)"));
  first_infinity_ =
      chip_button(QStringLiteral("First Inf"), QStringLiteral("Selects the node that made the first infinity (I)"));
  only_bad_ = chip_switch(QStringLiteral("Only NaN and Inf"),
                          QStringLiteral("Lists only values that are not finite, as they spread"));
  connect(first_nan_, &QPushButton::clicked, this, &ValuesView::show_first_nan);
  connect(first_infinity_, &QPushButton::clicked, this, &ValuesView::show_first_infinity);
  connect(only_bad_, &QPushButton::toggled, this, [this] { show_call(shown_); });
  for (QPushButton* button : {first_nan_, first_infinity_, only_bad_}) head->addWidget(button);
  head->addStretch(1);
  column->addLayout(head);
  auto* below = new QHBoxLayout;  // a row of its own, so that a narrow window holds both
  below->setSpacing(8);
  auto* graph = chip_button(QStringLiteral("Show in the graph"), QStringLiteral("Colours the graph by NaN and Inf"));
  connect(graph, &QPushButton::clicked, this, &ValuesView::graph_asked);
  below->addWidget(graph);
  auto* more = chip_button(QString::fromUtf8("Record another call …"), QStringLiteral("Runs the script again"));
  connect(more, &QPushButton::clicked, this, &ValuesView::ask);
  below->addWidget(more);
  below->addStretch(1);
  column->addLayout(below);
  story_ = wrapped();
  story_->setObjectName(QStringLiteral("valuesStory"));
  column->addWidget(story_);
  table_ = new Table(&model_, QStringLiteral("Values of the call"));
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!following_ && now.isValid()) select_value(model_.at(now.row()));
  });
  connect(table_, &QTableView::activated, this, [this] { Q_EMIT wants_view(QStringLiteral("graph")); });
  column->addWidget(table_, 1);
  over_ = new NodeCallsView;
  connect(over_, &NodeCallsView::call_chosen, this, [this](int index) {
    // The same node in that call, which another trace may have served.
    const auto& rows = over_->model().rows();
    const auto row = std::ranges::find(rows, index, &NodeCall::index);
    const session::TensorValue* const value = row == rows.end() ? nullptr : row->value;
    shown_ = index;
    if (value) select(Selection::of_node(document(), value->graph, value->node.value));
    show_call(index);
  });
  column->addWidget(over_);
  strip_ = new CheckedStrip;
  column->addWidget(strip_);
  return page;
}

QWidget* ValuesView::build_start() {
  auto* page = new QWidget;
  QVBoxLayout* const column = start_card(page, kCardWidth);
  note_ = wrapped();
  note_->setObjectName(QStringLiteral("compareFailure"));
  title_ = elided_label({}, "heading");
  text_ = wrapped("dim");
  column->addWidget(note_);
  column->addWidget(title_);
  column->addWidget(text_);
  choices_ = new QWidget;
  auto* row = row_in(choices_);
  auto* label = plain_label(QStringLiteral("Call"), "dim");
  call_ = new QSpinBox;
  call_->setRange(1, 1);
  call_->setAccessibleName(QStringLiteral("Call"));
  call_->setMinimumWidth(72);
  set_tip(call_, QStringLiteral("From 1, among the calls of the function"));
  label->setBuddy(call_);
  row->addWidget(label);
  row->addWidget(call_);
  last_ = new QSpinBox;
  last_->setRange(1, 1);
  last_->setAccessibleName(QStringLiteral("Last call"));
  last_->setMinimumWidth(72);
  set_tip(last_, QStringLiteral("All calls up to this one are recorded, %1 at most").arg(kMaxCallsWithValues));
  row->addWidget(plain_label(QStringLiteral("to"), "dim"));
  row->addWidget(last_);
  row->addStretch(1);
  column->addWidget(choices_);
  bar_ = new QProgressBar;
  bar_->setRange(0, 0);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(QStringLiteral("The script is running"));
  column->addWidget(bar_);
  auto* buttons = new QVBoxLayout;  // below each other, so that a narrow window holds them
  record_ = new QPushButton;
  check_ = new QPushButton(QStringLiteral("Run again and find the first NaN"));
  back_ = new QPushButton(QStringLiteral("Cancel"));
  set_tip(check_, QStringLiteral("The first call whose results hold NaN or infinity is recorded"));
  // A user who asked for one call asks for one again.
  connect(call_, &QSpinBox::valueChanged, this, [this, before = call_->value()](int call) mutable {
    if (last_->value() == before) {
      const QSignalBlocker blocker(last_);
      last_->setRange(call, call);
    }
    before = call;
    show_start();
  });
  connect(last_, &QSpinBox::valueChanged, this, [this] { show_start(); });
  connect(record_, &QPushButton::clicked, this, [this] {
    const session::FunctionRecord* f = document().function(current().function);
    const session::NodeRecord* node = document().node(current().graph, current().node);
    wanted_node_ = current().kind == Selection::Kind::kNode && node ? node->name : std::string();
    if (f) Q_EMIT run_asked(plan_now());
  });
  connect(check_, &QPushButton::clicked, this, [this] {
    ValuesPlan plan;
    plan.check = true;
    Q_EMIT run_asked(plan);
  });
  connect(back_, &QPushButton::clicked, this, [this] {
    asked_ = false;
    follow_selection();
  });
  for (QPushButton* button : {record_, check_, back_}) {
    button->setAutoDefault(true);
    buttons->addWidget(button, 0, Qt::AlignLeft);
  }
  column->addLayout(buttons);
  note_->hide();
  return page;
}

QWidget* ValuesView::main_widget() {
  if (!is_asking()) return table_;
  return record_->isVisibleTo(this) && record_->isEnabled() ? record_ : check_;
}

void ValuesView::reset() {
  known_ = 0;
  shown_ = -1;
  asked_ = false;
  calls_->clear();
  model_.set(&document(), nullptr, ValuesModel::Show::kAll);
  refresh();
}

void ValuesView::refresh() {
  const bool first = known_ == 0 && !document().values.empty();
  fill_calls();
  if (first && running_ && !plan_.check) {
    // The call that was asked for has come: the same node as before is selected.
    running_ = false;
    show_call(0);
    const explain::FindNode nodes = find_node(document());
    for (const session::TensorValue& value : document().values.front()->values)
      if (!wanted_node_.empty() && explain::value_name(nodes, value) == wanted_node_) {
        select_value(&value);
        return;
      }
  }
  follow_selection();
}

void ValuesView::fill_calls() {
  for (; known_ < document().values.size(); ++known_)
    calls_->addItem(call_title(document(), *document().values[known_]));
}

void ValuesView::follow_selection() {
  int index = call_for(document(), current());
  if (document().values.empty() || asked_ || running_) return show_start();
  // The call that is shown stays, where it has the selected node too.
  const bool is_node = current().kind == Selection::Kind::kNode && shown_ >= 0;
  if (is_node && value_of(*document().values[static_cast<size_t>(shown_)], current().graph, current().node))
    index = shown_;
  // Another function has no values: those that there are stay in view.
  const int to = index >= 0 ? index : std::max(0, shown_);
  if (to != shown_ || is_asking()) show_call(to);
  mark_selected();
}

void ValuesView::show_call(int index) {
  if (index < 0 || index >= static_cast<int>(document().values.size())) return;
  shown_ = index;
  asked_ = false;
  const CallValuesPtr& call = document().values[static_cast<size_t>(index)];
  calls_->setCurrentIndex(index);
  const explain::NumericsStory story = explain::story_of(*call);
  first_nan_->setEnabled(story.first_nan);
  first_infinity_->setEnabled(story.first_infinity);
  only_bad_->setEnabled(!story.spread.empty());
  const bool bad = only_bad_->isChecked() && !story.spread.empty();
  following_ = true;
  model_.set(&document(), call, bad ? ValuesModel::Show::kNotFinite : ValuesModel::Show::kAll);
  table_->fit_columns();
  following_ = false;
  story_->setText(story_lines(document(), *call));
  std::vector<session::CheckedCall> rows;
  for (const session::CheckedCall& row : document().checked_calls)
    if (row.function == call->function) rows.push_back(row);
  strip_->setVisible(rows.size() > 1);
  strip_->set(std::move(rows), call->call);
  pages_->setCurrentIndex(kValuesPage);
  mark_selected();
}

ValuesPlan ValuesView::plan_now() const {
  const session::FunctionRecord* const f = document().function(current().function);
  ValuesPlan plan{f ? q(f->name) : QString(), static_cast<qulonglong>(call_->value()), false, 0};
  if (last_->value() > call_->value()) plan.last = static_cast<qulonglong>(last_->value());
  return plan;
}

void ValuesView::show_over_calls(const session::TensorValue* value) {
  const session::CallValues& call = *document().values[static_cast<size_t>(shown_)];
  if (!value) value = model_.at(table_->currentIndex().row());
  if (!value) return over_->set({}, {}, 0);
  over_->set(q(explain::value_name(find_node(document()), *value)),
             node_over_calls(document(), value->graph, value->node.value, value->output), call.call);
}

void ValuesView::mark_selected() {
  if (shown_ < 0) return;
  const session::CallValues& call = *document().values[static_cast<size_t>(shown_)];
  const bool any = current().kind == Selection::Kind::kNode;
  // Gives the keyboard to the row where it began, if no node is selected.
  const session::TensorValue* const value =
      any ? value_of(call, current().graph, current().node) : explain::story_of(call, find_node(document())).cause();
  const int row = any || value ? model_.row_of(value) : 0;
  const session::TensorValue* const now = model_.at(table_->currentIndex().row());
  const bool is_there = now && value && now->graph == value->graph && now->node == value->node;
  following_ = true;
  if (row < 0) table_->clearSelection();
  else if (!is_there) table_->setCurrentIndex(model_.index(row, 0));
  following_ = false;
  show_over_calls(value);
}

bool ValuesView::select_value(const session::TensorValue* value) {
  if (!value) return false;
  select(Selection::of_node(document(), value->graph, value->node.value));
  mark_selected();
  return true;
}

bool ValuesView::show_first_nan() {
  if (shown_ < 0) return false;
  return select_value(explain::story_of(*document().values[static_cast<size_t>(shown_)]).first_nan);
}

bool ValuesView::show_first_infinity() {
  if (shown_ < 0) return false;
  return select_value(explain::story_of(*document().values[static_cast<size_t>(shown_)]).first_infinity);
}

void ValuesView::ask() {
  asked_ = true;
  show_start();
  main_widget()->setFocus(Qt::OtherFocusReason);
}

void ValuesView::show_start() {
  const session::FunctionRecord* const f = document().function(current().function);
  const auto calls = document().calls_of(current().function).calls;
  call_->setMaximum(static_cast<int>(std::clamp<uint64_t>(calls, 1, INT_MAX)));
  bar_->setVisible(running_);
  choices_->setVisible(!running_ && f);
  record_->setVisible(!running_);
  check_->setVisible(!running_);
  back_->setVisible(!running_ && !document().values.empty());
  record_->setEnabled(f);
  last_->setRange(call_->value(), static_cast<int>(std::min<qulonglong>(
                                      static_cast<qulonglong>(call_->maximum()),
                                      static_cast<qulonglong>(call_->value()) + kMaxCallsWithValues - 1)));
  const bool are_several = last_->value() > call_->value();
  record_->setText(are_several
                       ? QStringLiteral("Run again and record calls %1 to %2").arg(call_->value()).arg(last_->value())
                       : QStringLiteral("Run again and record call %1").arg(call_->value()));
  const bool any = !document().functions.empty() || document().run.script.empty();
  check_->setEnabled(any && !document().run.script.empty());
  const QString why_not = why_not_run(document());
  if (!why_not.isEmpty()) {
    choices_->hide();
    record_->setEnabled(false);
    check_->setEnabled(false);
  }
  for (QPushButton* button : {record_, check_}) set_tip(button, why_not);
  if (!why_not.isEmpty()) {
    title_->setText(QStringLiteral("What do the tensors hold?"));
    text_->setText(why_not);
  } else if (running_) {
    title_->setText(plan_.check ? QString::fromUtf8("Searching every call for NaN and infinity …")
                                : QString::fromUtf8("Recording call %1 of %2 …").arg(plan_.call).arg(plan_.function));
    text_->setText(QStringLiteral("The values are shown when the call is over."));
  } else if (f) {
    title_->setText(QStringLiteral("What do the tensors of %1 hold?").arg(q(f->name)));
    text_->setText(promise_of(plan_now(), document()) +
                   QStringLiteral("\n\nOr let every call be searched: the first one that makes a NaN is recorded."));
  } else {
    title_->setText(QStringLiteral("What do the tensors hold?"));
    text_->setText(document().run.script.empty()
                       ? QStringLiteral("Run a script first; then select a traced function.")
                       : QStringLiteral("Select a traced function to record the values of one of its calls, or let "
                                        "every call be searched for the first NaN."));
  }
  pages_->setCurrentIndex(kStartPage);
}

void ValuesView::run_started(const ValuesPlan& plan) {
  plan_ = plan;
  running_ = true;
  asked_ = false;
  note_->hide();
  show_start();
}

void ValuesView::run_ended(const QString& reason) {
  if (!running_) return;
  running_ = false;
  if (plan_.check && !document().values.empty()) {
    fill_calls();
    const auto nan = std::ranges::find(document().values, session::ValuesReason::kFirstNan,
                                       [](const CallValuesPtr& call) { return call->reason; });
    show_call(nan == document().values.end() ? 0 : static_cast<int>(nan - document().values.begin()));
    if (!show_first_nan()) show_first_infinity();
    return;
  }
  if (document().values.empty()) {
    const bool checked = plan_.check && !document().checked_calls.empty();
    QString text = QStringLiteral("No values were recorded (%1). The script made no call %2 of %3.")
                       .arg(reason, count_text(plan_.call), plan_.function);
    if (checked)
      text = QStringLiteral("No NaN and no infinity were found. The results and variables of %1 calls were searched "
                            "after each call; a NaN that reached neither is not seen.")
                 .arg(count_text(explain::searched_calls(document().checked_calls)));
    else if (plan_.check) text = QStringLiteral("No call was checked (%1): no traced function was called.").arg(reason);
    note_->setText(text);
    note_->show();
  }
  follow_selection();
}

}  // namespace footlight::app
