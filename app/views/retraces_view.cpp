// Combines strip, table and key diff, and connects their rows to the selection.
#include "app/views/retraces_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr int kManyRows = 12;  // more cannot be looked through at a glance
}

RetracesView::RetracesView(const Context& context, QWidget* parent) : View(context, parent), model_(this) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  empty_ = plain_label({}, "faint");
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  outer->addWidget(empty_, 1);
  body_ = new QWidget;
  outer->addWidget(body_, 1);
  auto* column = new QVBoxLayout(body_);
  column->setContentsMargins(20, 14, 20, 8);
  column->setSpacing(0);

  auto* head = new QHBoxLayout;
  heading_ = plain_label({}, "heading");
  summary_ = new ElidedLabel;
  summary_->setProperty("role", "dim");
  range_ = plain_label({}, "faint");
  sentence_ = new ElidedLabel;
  sentence_->setProperty("role", "retrace");
  head->addWidget(heading_);
  head->addSpacing(22);
  head->addWidget(sentence_);
  head->addSpacing(14);
  head->addWidget(summary_, 1);
  head->addSpacing(12);
  head->addWidget(range_);
  column->addLayout(head);
  column->addSpacing(8);
  strip_ = new CallStrip;
  column->addWidget(strip_);
  column->addSpacing(10);
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(QString::fromUtf8("Filter: #3, f32[32, 0.05, value of lr …"));
  filter_->setAccessibleName(QStringLiteral("Filter the traces"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    following_ = true;
    sorted_.set_filter(text);
    following_ = false;
    size_table();
    show_key(trace_);
  });
  column->addWidget(filter_);
  table_ = new Table;
  table_->setModel(&sorted_);
  table_->horizontalHeader()->setSectionsClickable(true);
  connect(table_->horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int column_index) {
    const bool again = sorted_.sortColumn() == column_index && sorted_.sortOrder() == Qt::AscendingOrder;
    table_->horizontalHeader()->setSortIndicatorShown(true);
    table_->horizontalHeader()->setSortIndicator(column_index, again ? Qt::DescendingOrder : Qt::AscendingOrder);
    following_ = true;
    sorted_.sort(column_index, again ? Qt::DescendingOrder : Qt::AscendingOrder);
    following_ = false;
    show_key(trace_);
  });
  table_->setAccessibleName(QStringLiteral("Traces"));
  column->addWidget(table_, 30);
  column->addSpacing(16);
  auto* key_head = new QHBoxLayout;
  key_heading_ = plain_label({}, "heading");
  key_summary_ = plain_label({}, "dim");
  key_head->addWidget(key_heading_);
  key_head->addSpacing(22);
  key_head->addWidget(key_summary_, 1);
  compare_ = new LinkButton(QStringLiteral("Compare graphs"), false);
  connect(compare_, &QPushButton::clicked, this, [this] { Q_EMIT compare_asked(trace_); });
  key_head->addWidget(compare_);
  times_ = new LinkButton(QStringLiteral("Compare times"), false);
  set_tip(times_, QStringLiteral("Where the difference goes between the calls that the two traces served"));
  connect(times_, &QPushButton::clicked, this, [this] {
    if (const session::TraceRecord* t = document().trace(trace_)) Q_EMIT times_asked(t->nearest, trace_);
  });
  key_head->addWidget(times_);
  column->addLayout(key_head);
  column->addSpacing(8);
  diff_ = new KeyDiffView;
  column->addWidget(diff_, 20);
  column->addStretch(1);

  connect(strip_, &CallStrip::trace_chosen, this, [this](TraceId id) {
    select(Selection::of_trace(document(), id));
    follow_selection();
  });
  connect(strip_, &CallStrip::call_chosen, this, [this](size_t index) {
    context_.session->queries().ask(
        chosen_,
        [function = function_, index](const query::Store& store, const query::Cancel& cancel) {
          return store.calls().nth(function, index, cancel);
        },
        [this](const std::optional<session::CallRecord>& call) {
          if (call) context_.selection->select(Selection::of_call(document(), *call));
        });
  });
  connect(strip_, &CallStrip::scrolled, this, [this] { range_->setText(strip_->range_text()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (following_) return;
    const TraceId id = sorted_.trace_at(now.row());
    if (!id.valid()) return;
    select(Selection::of_trace(document(), id));
    follow_selection();
  });
  connect(table_, &QTableView::activated, this, [this] { Q_EMIT wants_view(QStringLiteral("graph")); });
  reset();
}

void RetracesView::reset() {
  function_ = {};
  trace_ = {};
  follow_selection();
}

void RetracesView::refresh() {
  if (!function_.valid()) {
    follow_selection();
    return;
  }
  following_ = true;
  model_.refresh();
  following_ = false;
  ask_calls();
  ask_details();
  summary_->setText(calls_summary(document(), function_));
  table_->fit_columns();
  size_table();
  if (current().function != function_) follow_selection();
}

void RetracesView::set_findings(const FindingList& list) {
  findings_ = list;
  show_sentence();
}

void RetracesView::show_sentence() {
  const QString text = avoidable_text(document(), findings_, function_);
  sentence_->setText(text);
  sentence_->setVisible(!text.isEmpty());
}

void RetracesView::show_function(FunctionId function) {
  function_ = function;
  trace_ = {};
  following_ = true;
  model_.set_function(function.valid() ? &document() : nullptr, function);
  following_ = false;
  const session::FunctionRecord* f = document().function(function);
  body_->setVisible(f != nullptr);
  empty_->setVisible(f == nullptr);
  show_sentence();
  empty_->setText(document().functions.empty()
                      ? QStringLiteral("No function has been traced in this run yet.")
                      : QStringLiteral("Choose a function on the left to see why it was traced."));
  strip_->set_calls(f ? &document() : nullptr, function, {}, {});
  runs_.withdraw();
  if (!f) return;
  ask_calls();
  heading_->setText(QStringLiteral("Calls of ") + q(f->name));
  summary_->setText(calls_summary(document(), function));
  range_->setText(strip_->range_text());
  table_->fit_columns();
  size_table();
}

void RetracesView::ask_calls() {
  if (runs_.waiting()) {
    ask_again_ = true;
    return;
  }
  ask_again_ = false;
  struct Runs { std::vector<query::CallRun> folded, every; };
  context_.session->queries().ask(
      runs_,
      [function = function_](const query::Store& store, const query::Cancel& cancel) {
        Runs runs;
        runs.folded = store.calls().runs(function, false, cancel);
        if (store.calls().of_function(function).calls <= CallStrip::kMostEvery)
          runs.every = store.calls().runs(function, true, cancel);
        return runs;
      },
      [this](Runs runs) {
        strip_->set_calls(&document(), function_, std::move(runs.folded), std::move(runs.every));
        if (ask_again_) ask_calls();
      },
      Queries::kLong);
}

void RetracesView::show_key(TraceId id) {
  const session::TraceRecord* t = document().trace(id);
  trace_ = id;
  strip_->set_current(id);
  following_ = true;
  const int row = sorted_.row_of(id);
  if (row >= 0) {
    table_->setCurrentIndex(sorted_.index(row, 0));
    table_->scrollTo(sorted_.index(row, 0));
  } else {
    table_->clearSelection();
  }
  following_ = false;
  diff_->setVisible(t != nullptr);
  key_heading_->setVisible(t != nullptr);
  key_summary_->setVisible(t != nullptr);
  compare_->setVisible(t != nullptr);
  times_->setVisible(t && document().trace(t->nearest));
  if (!t) return;
  const session::TraceRecord* near = document().trace(t->nearest);
  KeyDiff diff = diff_keys(near, *t);
  details_.withdraw();
  const auto place = [&](const session::TraceRecord& trace) {
    return document().place_text(document().place(trace.source));
  };
  if (near) {
    key_heading_->setText(QStringLiteral("Key of #%1 against its nearest trace, #%2").arg(t->number).arg(near->number));
    key_summary_->setText(
        diff.differing ? QStringLiteral("%1 of %2 %3")
                             .arg(diff.differing)
                             .arg(counted(static_cast<uint64_t>(diff.leaves), "leaf", "leaves"),
                                  diff.differing == 1 ? QStringLiteral("differs") : QStringLiteral("differ"))
                       : QStringLiteral("no recorded leaf differs"));
    diff_->set_diff(std::move(diff), QStringLiteral("#%1").arg(near->number), place(*near),
                    QStringLiteral("#%1").arg(t->number), place(*t));
  } else {
    key_heading_->setText(QStringLiteral("Key of #%1").arg(t->number));
    key_summary_->setText(QStringLiteral("the first trace: nothing to compare with"));
    diff_->set_diff(std::move(diff), {}, {}, QStringLiteral("#%1").arg(t->number), place(*t));
  }
  diff_->setMaximumHeight(diff_->content_height());
  detailed_ = false;
  ask_details();
}

// Which calls made the two traces.
void RetracesView::ask_details() {
  const session::TraceRecord* t = document().trace(trace_);
  if (!t || detailed_ || details_.waiting()) return;
  using Positions = std::pair<std::optional<uint64_t>, std::optional<uint64_t>>;
  context_.session->queries().ask(
      details_,
      [left = t->nearest, right = trace_](const query::Store& store, const query::Cancel& cancel) {
        Positions made;
        for (const auto& [row, call] : store.calls().traced()) {
          if (call.trace == left && !made.first) made.first = store.calls().position(call, cancel);
          if (call.trace == right && !made.second) made.second = store.calls().position(call, cancel);
        }
        return made;
      },
      [this](const Positions& positions) {
        const session::TraceRecord* shown = document().trace(trace_);
        if (!shown) return;
        detailed_ = positions.second.has_value();
        const auto with = [this](const std::optional<uint64_t>& position, const session::TraceRecord* trace) {
          if (!trace) return QString();
          const QString place = document().place_text(document().place(trace->source));
          return position ? QStringLiteral("call %1   ").arg(*position + 1) + place : place;
        };
        diff_->set_details(with(positions.first, document().trace(shown->nearest)), with(positions.second, shown));
      });
}

void RetracesView::follow_selection() {
  if (current().function != function_ || !function_.valid()) show_function(current().function);
  TraceId wanted = current().trace;
  if (!wanted.valid() && function_.valid()) {
    const auto traces = document().traces_of(function_);
    if (!traces.empty()) wanted = traces.front()->id;
  }
  if (wanted != trace_ || !wanted.valid()) show_key(wanted);
}

// As tall as its rows, but at least a third of the height is left for the key.
void RetracesView::size_table() {
  filter_->setVisible(model_.rowCount() > kManyRows);
  const int room = std::max(110, height() - 330);
  table_->setMaximumHeight(std::min(table_->content_height() + 2, std::max(room, 140)));
  table_->setMinimumHeight(std::min(table_->content_height() + 2, 112));
}

void RetracesView::resizeEvent(QResizeEvent*) {
  size_table();
  table_->fit_columns();
}

}  // namespace footlight::app
