// Combines strip, tables and key diff, and connects their rows to the selection.
#include "app/views/retraces_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"

#include <QHeaderView>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr int kManyRows = 12;  // more cannot be looked through at a glance
}

RetracesView::RetracesView(const Context& context, QWidget* parent)
    : LeadView(context, new QScrollArea, parent), model_(this) {
  auto* scroll = static_cast<QScrollArea*>(body());  // scrolls in a low window
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* inside = new QWidget;
  scroll->setWidget(inside);
  auto* column = column_in(inside, {20, 14, 20, 8}, 0);

  auto* head = new QHBoxLayout;
  heading_ = elided_label({}, "heading");
  heading_->setMaximumWidth(420);  // the avoidable ones are named beside it
  summary_ = elided_label({}, "dim");
  range_ = plain_label({}, "faint");
  sentence_ = elided_label({}, "retrace");
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
  auto* choices = new QHBoxLayout;
  groupings_ = new Tabs(false);
  groupings_->setAccessibleName(QStringLiteral("How traces are grouped"));
  groupings_->addTab(QStringLiteral("Traces"));
  groupings_->addTab(QStringLiteral("What differs"));
  groupings_->addTab(QStringLiteral("Call lines"));
  groupings_->setTabToolTip(kByDifference, QStringLiteral("Traces put together by the leaves in which they differ"));
  groupings_->setTabToolTip(kByCallLine, QStringLiteral("What each line that calls the function costs"));
  connect(groupings_, &QTabBar::currentChanged, this, &RetracesView::take_grouping);
  choices->addWidget(groupings_);
  only_ = new QPushButton;
  set_tip(only_, QStringLiteral("Show all traces again"));
  connect(only_, &QPushButton::clicked, this, [this] {
    show_only({}, {});
    choose_calls({});
    table_->setFocus(Qt::OtherFocusReason);
  });
  choices->addSpacing(8);
  choices->addWidget(only_);
  choices->addSpacing(8);
  choices->addStretch(1);
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(QString::fromUtf8("Filter: #3, f32[32, 0.05, value of lr …"));
  filter_->setAccessibleName(QStringLiteral("Filter the traces"));
  filter_->setClearButtonEnabled(true);
  filter_->setMinimumWidth(120);
  filter_->setMaximumWidth(420);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    following_ = true;
    (grouping() == kEachTrace ? static_cast<SortedRows&>(sorted_) : sorted_groups_).set_filter(text);
    following_ = false;
    size_table();
    show_key(trace_);
  });
  choices->addWidget(filter_, 2);
  column->addLayout(choices);
  table_ = make_table(&sorted_, "Traces");
  group_table_ = make_table(&sorted_groups_, "Groups of traces");
  column->addWidget(table_, 30);
  column->addWidget(group_table_, 30);
  column->addSpacing(16);
  auto* key_head = new QHBoxLayout;
  key_heading_ = plain_label({}, "heading");
  key_summary_ = elided_label({}, "dim");
  key_summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the links come first
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
  key_head->addSpacing(14);
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
  connect(group_table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    if (!following_) choose_group(current_group());
  });
  connect(group_table_, &QTableView::activated, this, [this] { open_group(current_group()); });
  table_->set_actions(
      [this](QMenu& menu, const QModelIndex& row) { add_trace_actions(menu, sorted_.trace_at(row.row())); });
  group_table_->set_actions([this](QMenu& menu, const QModelIndex&) {
    menu.addAction(QStringLiteral("Show these traces\tEnter"), this, [this] { open_group(current_group()); });
    menu.addAction(QStringLiteral("Show the line"), this, [this] { Q_EMIT wants_view(QStringLiteral("source")); })
        ->setEnabled(grouping() == kByCallLine);
  });
  connect(strip_, &CallStrip::menu_asked, this, [this](TraceId trace, const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    add_trace_actions(*menu, trace);
    menu->popup(at);
  });
  show_only({}, {});
  reset();
}

Table* RetracesView::make_table(SortedRows* rows, const char* name) {
  auto* table = new Table(rows, QLatin1String(name));
  QHeaderView* header = table->horizontalHeader();
  header->setSectionsClickable(true);
  connect(header, &QHeaderView::sectionClicked, this, [this, rows, header](int column) {
    const bool again = rows->sortColumn() == column && rows->sortOrder() == Qt::AscendingOrder;
    const Qt::SortOrder order = again ? Qt::DescendingOrder : Qt::AscendingOrder;
    header->setSortIndicatorShown(true);
    header->setSortIndicator(column, order);
    following_ = true;
    rows->sort(column, order);
    following_ = false;
    show_key(trace_);
  });
  return table;
}

void RetracesView::add_trace_actions(QMenu& menu, TraceId trace) {
  const auto go = [&](const char* text, const char* view) {
    menu.addAction(QString::fromUtf8(text), this, [this, trace, view] {
      context_.selection->select(Selection::of_trace(document(), trace));
      Q_EMIT wants_view(QLatin1String(view));
    });
  };
  go("Show its graph\tEnter", "graph");
  go("Show the line that called", "source");
  go("Show it in the timeline", "timeline");
  menu.addAction(QStringLiteral("Compare graphs"), this, [this, trace] { Q_EMIT compare_asked(trace); });
  menu.addAction(QStringLiteral("Mark its calls above"), this, [this, trace] { choose_calls({{}, {trace}}); });
  menu.addAction(QStringLiteral("Mark all calls"), this, [this] { choose_calls({}); })
      ->setEnabled(!choice_.sources.empty() || !choice_.traces.empty());
}

const TraceGroup* RetracesView::current_group() const {
  return groups_.at(sorted_groups_.mapToSource(group_table_->currentIndex()).row());
}

// The other table, with a filter of its own; the strip shows all calls again, or those of the group that is current.
void RetracesView::take_grouping() {
  filter_->clear();
  show_only({}, {});
  choose_calls({});
  fill_groups();
  size_table();
  show_key(trace_);
}

void RetracesView::fill_groups() {
  if (!function_.valid()) return;
  auto by_line = groups_by_call_line(document(), function_, sites_);
  auto by_difference = groups_by_difference(document(), function_);
  groupings_->set_count(kEachTrace, model_.rowCount());
  groupings_->set_count(kByDifference, static_cast<int>(by_difference.size()));
  groupings_->set_count(kByCallLine, static_cast<int>(by_line.size()));
  const bool lines = grouping() == kByCallLine;
  const TraceGroup* chosen = current_group();
  const QString name = chosen ? chosen->name : QString();
  following_ = true;
  groups_.set_groups(lines ? QStringLiteral("Call line") : QStringLiteral("What differs"),
                     lines ? QStringLiteral("The line") : QStringLiteral("Values"),
                     std::move(lines ? by_line : by_difference));
  if (const int row = groups_.row_named(name); row >= 0 && !name.isEmpty())
    group_table_->setCurrentIndex(sorted_groups_.mapFromSource(groups_.index(row, 0)));
  following_ = false;
  group_table_->fit_columns();
}

// A group stands for its calls: of a line, or served by its traces.
void RetracesView::choose_group(const TraceGroup* group) {
  if (!group) return;
  choose_calls(grouping() == kByCallLine ? query::CallChoice{group->sources, {}}
                                         : query::CallChoice{{}, group->traces});
  if (group->place) {
    Selection line;
    line.kind = Selection::Kind::kLine;
    line.place = group->place;
    line.function = function_;
    line.trace = trace_;
    select(line);
  } else if (!group->traces.empty()) {
    select(Selection::of_trace(document(), group->traces.front()));
    follow_selection();
  }
}

void RetracesView::open_group(const TraceGroup* group) {
  if (!group) return;
  if (group->traces.empty()) {
    Q_EMIT wants_view(QStringLiteral("source"));
    return;
  }
  const TraceGroup opened = *group;
  query::CallChoice choice = choice_;
  group_by(kEachTrace);
  show_only(opened.name, opened.traces);
  choose_calls(std::move(choice));
  select(Selection::of_trace(document(), opened.traces.front()));
  follow_selection();
  table_->setFocus(Qt::OtherFocusReason);
}

void RetracesView::choose_calls(query::CallChoice choice) {
  if (choice.sources == choice_.sources && choice.traces == choice_.traces) return;
  choice_ = std::move(choice);
  runs_.withdraw();
  if (function_.valid()) ask_calls();
}

void RetracesView::show_only(const QString& name, std::vector<TraceId> traces) {
  following_ = true;
  sorted_.set_only(std::move(traces));
  following_ = false;
  only_->setVisible(!name.isEmpty());
  const QString shown = name.size() > 40 ? name.left(38) + QString::fromUtf8(" …") : name;
  only_->setText(QString::fromUtf8("Only %1  ✕").arg(shown));
  only_->setAccessibleName(QStringLiteral("Only the traces of %1: show all again").arg(name));
  size_table();
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
  fill_groups();
  table_->fit_columns();
  size_table();
  if (current().function != function_) follow_selection();
}

void RetracesView::set_findings(const FindingList& list) {
  findings_ = list;
  model_.set_reasons(list.reasons);
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
  sites_.clear();
  choice_ = {};
  show_only({}, {});
  following_ = true;
  model_.set_function(function.valid() ? &document() : nullptr, function);
  following_ = false;
  const session::FunctionRecord* f = document().function(function);
  show_body(f != nullptr);
  show_sentence();
  say_nothing(nothing_to_show(document(), current(), LeadFor::kRetraces));
  strip_->set_calls(f ? &document() : nullptr, function, {}, {});
  runs_.withdraw();
  if (!f) return;
  ask_calls();
  heading_->setText(QStringLiteral("Calls of ") + q(f->name));
  summary_->setText(calls_summary(document(), function));
  range_->setText(strip_->range_text());
  fill_groups();
  table_->fit_columns();
  size_table();
}

void RetracesView::ask_calls() {
  if (runs_.waiting()) {
    ask_again_ = true;
    return;
  }
  ask_again_ = false;
  struct Runs {
    std::vector<query::CallRun> folded, every;
    CallSites sites;
  };
  context_.session->queries().ask(
      runs_,
      [function = function_, choice = choice_](const query::Store& store, const query::Cancel& cancel) {
        Runs runs;
        runs.folded = store.calls().runs(function, false, cancel, choice);
        if (store.calls().of_function(function).calls <= CallStrip::kMaxEvery)
          runs.every = store.calls().runs(function, true, cancel, choice);
        runs.sites = store.calls().sites(function, cancel);
        return runs;
      },
      [this](Runs runs) {
        const bool other = runs.sites != sites_;
        sites_ = std::move(runs.sites);
        if (other) fill_groups();
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
  compare_->setVisible(t && t->error.empty() && document().traces.size() > 1);
  times_->setVisible(t && t->error.empty() && document().trace(t->nearest));
  if (!t) return;
  const session::TraceRecord* near = document().trace(t->nearest);
  KeyDiff diff = diff_keys(near, *t);
  details_.withdraw();
  const auto place = [&](const session::TraceRecord& trace) {
    return document().place_text(document().place(trace.source));
  };
  if (near) {
    key_heading_->setText(
        QStringLiteral("Key of #%1 compared with its nearest trace, #%2").arg(t->number).arg(near->number));
    key_summary_->setText(
        diff.differing ? QStringLiteral("%1 of %2 %3")
                             .arg(diff.differing)
                             .arg(counted(static_cast<uint64_t>(diff.leaves), "leaf", "leaves"),
                                  diff.differing == 1 ? QStringLiteral("differs") : QStringLiteral("differ"))
                       : QStringLiteral("No recorded value differs"));
    diff_->set_diff(std::move(diff), QStringLiteral("#%1").arg(near->number), place(*near),
                    QStringLiteral("#%1").arg(t->number), place(*t));
  } else {
    key_heading_->setText(QStringLiteral("Key of #%1").arg(t->number));
    key_summary_->setText(QStringLiteral("This is the first trace: there is nothing to compare it with"));
    diff_->set_diff(std::move(diff), {}, {}, QStringLiteral("#%1").arg(t->number), place(*t));
  }
  diff_->setMaximumHeight(diff_->content_height());
  detailed_ = false;
  ask_details();
}

// Asks which calls made the two traces.
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

// Makes the table as tall as its rows, but leaves at least a third of the height for the key.
void RetracesView::size_table() {
  Table* shown = shown_table();
  table_->setVisible(shown == table_);
  group_table_->setVisible(shown == group_table_);
  const int rows = shown == table_ ? model_.rowCount() : groups_.rowCount();
  filter_->setVisible(rows > kManyRows);
  const int room = std::max(110, height() - 350);
  shown->setMaximumHeight(std::min(shown->content_height() + 2, std::max(room, 140)));
  shown->setMinimumHeight(std::min(shown->content_height() + 2, 112));
}

void RetracesView::resizeEvent(QResizeEvent*) {
  size_table();
  shown_table()->fit_columns();
}

}  // namespace footlight::app
