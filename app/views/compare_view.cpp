// Chooses the comparison to show, and holds the selection that waterfall, timelines, table and window share.
#include "app/views/compare_view.h"

#include "app/models/compare_facts.h"
#include "app/models/text.h"

#include <QApplication>
#include <QHeaderView>
#include <QPointer>
#include <QScrollBar>

#include <algorithm>

namespace footlight::app {

QWidget* CompareView::main_widget() {
  // If the page scrolls, the part at its top counts.
  const bool scrolls = page_->verticalScrollBar()->maximum() > 0;
  if (shows_result()) return scrolls ? static_cast<QWidget*>(waterfall_) : tables_->currentWidget();
  return start_->main_button()->isEnabled() ? static_cast<QWidget*>(start_->main_button()) : start_;
}

void CompareView::connect_parts() {
  // A part that gets the keys comes into view, whole: the scroll area alone would show the table's current row.
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (!now || !shows_result() || !page_->widget()->isAncestorOf(now)) return;
    const auto show = [this, part = QPointer<QWidget>(now)] {
      if (!part || !part->hasFocus()) return;
      const int top = part->mapTo(page_->widget(), QPoint()).y();
      page_->ensureVisible(0, top + part->height(), 0, 8);
      page_->ensureVisible(0, top, 0, 8);
    };
    QMetaObject::invokeMethod(this, show, Qt::QueuedConnection);
  });
  connect(down_, &QSplitter::splitterMoved, this, [this] { shared_by_hand_ = true; });
  connect(start_, &CompareStart::confirmed, this, &CompareView::run_asked);
  connect(start_, &CompareStart::stop_asked, this, &CompareView::stop_asked);
  connect(start_, &CompareStart::wants_view, this, &View::wants_view);
  connect(start_, &CompareStart::left, this, [this] {
    asking_ = false;
    show_page();
    main_widget()->setFocus(Qt::OtherFocusReason);
  });
  connect(again_, &QPushButton::clicked, this, [this] {
    if (!shown_) return;
    start_->set_function(document(), shown_->function);
    start_->suggest_call(shown_->call);
    asking_ = true;
    show_page();
    start_->ask();
  });
  connect(recorded_button_, &QPushButton::clicked, this, &CompareView::offer_recorded);
  connect(sides_, &CompareSides::chosen, this, &CompareView::compare_recorded);
  connect(sides_, &CompareSides::cancelled, this, [this] {
    const bool ran = sides_->running();
    recorded_ticket_.withdraw();
    sides_->show_running(false);
    if (ran) return;
    asking_ = false;
    show_page();
    main_widget()->setFocus(Qt::OtherFocusReason);
  });
  connect(choice_, &QComboBox::activated, this, [this](int index) {
    by_hand_ = true;
    by_hand_for_ = current().function;
    show_comparison(choices_[static_cast<size_t>(index)]);
  });
  connect(waterfall_, &WaterfallCanvas::chosen, this, &CompareView::choose_bar);
  connect(timelines_, &CompareTimelines::chosen, this, &CompareView::choose_piece);
  connect(table_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!following_ && now.isValid()) choose_row(table_.row_at(now.row()), true);
  });
  for (Table* table : {table_view_, functions_view_})
    connect(table, &QTableView::activated, this, [this] { Q_EMIT wants_view(QStringLiteral("source")); });
  connect(functions_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (!following_ && now.isValid()) choose_function(now.row());
          });
  connect(functions_view_->horizontalHeader(), &QHeaderView::sectionClicked, this,
          [this](int section) { function_rows_.sort_by(section); });
  connect(by_, &QButtonGroup::idClicked, this, [this](int id) { show_functions(id == 1); });
  connect(box_, &CompareRowBox::place_chosen, this, [this](SourcePlace place) {
    select(Selection::of_line(document(), place));
    Q_EMIT wants_view(QStringLiteral("source"));
  });
  const auto keep_row = [this](auto&& change) {
    following_ = true;
    change();
    const int at = table_.shown_of(row_);
    table_view_->setCurrentIndex(at < 0 ? QModelIndex() : table_.index(at, 0));
    following_ = false;
  };
  connect(filter_, &QLineEdit::textChanged, this,
          [this, keep_row](const QString& text) {
            keep_row([&] { table_.set_filter(text); });
            function_rows_.set_filter(text);
            if (shows_functions()) follow_function();
          });
  connect(order_, &QComboBox::currentIndexChanged, this, [this, keep_row](int index) {
    // The largest difference is the one that is saved: the most negative.
    const int column = index - 1;
    const bool times = column == table_.column("Eager time") || column == table_.column("Traced time");
    keep_row([&] { table_.sort(column, times ? Qt::DescendingOrder : Qt::AscendingOrder); });
  });
  connect(table_view_->horizontalHeader(), &QHeaderView::sectionClicked, this,
          [this](int section) { order_->setCurrentIndex(order_->currentIndex() == section + 1 ? 0 : section + 1); });
}

void CompareView::reset() {
  shown_.reset();
  by_hand_ = asking_ = false;
  row_ = -1;
  call_ticket_.withdraw();
  recorded_ticket_.withdraw();
  recorded_.clear();
  functions_of_.clear();
  function_rows_.set_functions(nullptr);
  sides_->show_running(false);
  sides_->show_failure({});
  choices_.clear();
  choice_->clear();
  known_ = 0;
  table_.set_comparison(nullptr, nullptr);
  waterfall_->set_comparison(nullptr);
  timelines_->set_comparison(nullptr, nullptr);
  box_->clear();
  dirty_ = true;
  refresh();
}

void CompareView::refresh() {
  take_result();
  note_no_result();
  dirty_ = true;
  if (isVisible()) show_page();
}

void CompareView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  if (dirty_) show_page();
}

// Puts the box below the table if the view is narrow.
void CompareView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  constexpr int kRoomBeside = 640;
  const Qt::Orientation wanted = width() < kRoomBeside ? Qt::Vertical : Qt::Horizontal;
  if (beside_->orientation() != wanted) {
    beside_->setOrientation(wanted);
    beside_->setSizes(wanted == Qt::Vertical ? QList<int>{200, 140} : QList<int>{820, 230});
  }
  // Once the parts know how high they are, until somebody moves their edges.
  if (shown_ && !shared_by_hand_) QMetaObject::invokeMethod(this, &CompareView::share_room, Qt::QueuedConnection);
}

void CompareView::take_result() {
  if (!asked_) return;
  for (size_t i = known_; i < document().comparisons.size(); ++i) {
    const ComparisonPtr& c = document().comparisons[i];
    if (c->call != asked_->call || !(q(c->name) == asked_->function)) continue;
    asked_.reset();
    const bool had_keys = start_->isAncestorOf(QApplication::focusWidget());
    start_->show_idle();
    select(document().trace(c->trace) ? Selection::of_trace(document(), c->trace)
                                      : Selection::of_function(document(), c->function));
    by_hand_ = false;
    if (had_keys) main_widget()->setFocus(Qt::OtherFocusReason);
    return;
  }
  for (const session::FunctionRecord& f : document().functions)
    if (q(f.name) == asked_->function)
      start_->show_progress(counted(document().calls_of(f.id).calls, "call", "calls") + QStringLiteral(" so far"));
}

void CompareView::run_started(const ComparePlan& plan) {
  asked_ = plan;
  ended_.reset();
  asking_ = false;
  start_->show_running(plan);
  show_page();
}

void CompareView::run_stopping() {
  if (asked_) start_->show_stopping();
}

void CompareView::run_ended(const QString& reason) {
  ended_ = reason;
  refresh();
}

void CompareView::note_no_result() {
  if (!asked_ || !ended_) return;
  if (context_.session->is_open() && (context_.session->loading() || document().live)) return;
  const ComparePlan plan = *asked_;
  asked_.reset();
  qulonglong calls = 0;
  for (const session::FunctionRecord& f : document().functions)
    if (q(f.name) == plan.function) calls += document().calls_of(f.id).calls;
  start_->show_idle();
  QString why = QStringLiteral("There is no comparison: the script ended (%1)").arg(*ended_);
  if (calls < plan.call)
    why += QStringLiteral(" after %1 of %2; call %3 was not reached")
               .arg(counted(calls, "call", "calls"), plan.function, count_text(plan.call));
  start_->show_failure(why + QLatin1Char('.'));
}

void CompareView::fill_choices() {
  if (choices_.size() == document().comparisons.size() + recorded_.size()) return;
  choices_ = document().comparisons;
  choices_.insert(choices_.end(), recorded_.begin(), recorded_.end());
  choice_->clear();
  for (const ComparisonPtr& c : choices_) choice_->addItem(short_title(document(), *c));
}

ComparisonPtr CompareView::wanted() const {
  if (by_hand_ && shown_ && (shown_->recorded || by_hand_for_ == current().function)) return shown_;
  ComparisonPtr best;
  for (const ComparisonPtr& c : document().comparisons) {
    if (current().function.valid() && c->function != current().function) continue;
    if (!best || c->trace == current().trace || best->trace != current().trace) best = c;
  }
  return best;
}

void CompareView::show_page() {
  dirty_ = false;
  fill_choices();
  const ComparisonPtr comparison = wanted();
  const bool start = asked_ || asking_ || !comparison;
  if (!asking_ && !asked_) {
    const FunctionId function = current().function;
    start_->set_function(document(), function);
    if (start) ask_call_of_trace();
    if (start) show_sides();
  }
  sides_->set_can_leave(asking_ && comparison);
  if (!start) show_comparison(comparison);
  const bool had_keys = start_->isAncestorOf(QApplication::focusWidget());
  pages_->setCurrentIndex(start ? 0 : 1);
  if (had_keys && !start) main_widget()->setFocus(Qt::OtherFocusReason);
}

// The call that made the selected trace is the one whose arguments are offered.
void CompareView::ask_call_of_trace() {
  const Selection s = current();
  if (s.kind != Selection::Kind::kTrace && !s.call.valid()) return;
  context_.session->queries().ask(
      call_ticket_,
      [s](const query::Store& store, const query::Cancel& cancel) -> uint64_t {
        const query::CallIndex& calls = store.calls();
        if (s.call.valid()) {
          const auto call = calls.find(s.call);
          return call && call->function == s.function ? calls.position(*call, cancel) + 1 : 0;
        }
        for (const auto& [row, call] : calls.traced())
          if (call.trace == s.trace) return calls.position(call, cancel) + 1;
        return 0;
      },
      [this](uint64_t number) {
        if (number) start_->suggest_call(number);
      });
}

void CompareView::show_comparison(const ComparisonPtr& comparison) {
  if (shown_ == comparison) {
    follow_selection();
    return;
  }
  shown_ = comparison;
  row_ = -1;
  following_ = true;
  table_.set_comparison(&document(), shown_);
  const FunctionsPtr functions = functions_shown();
  function_rows_.set_functions(functions);
  following_ = false;
  const bool by_function = functions && !functions->changes.empty();
  by_op_->setVisible(!by_function);
  for (QAbstractButton* chip : by_->buttons()) chip->setVisible(by_function);
  waterfall_->set_comparison(shown_);
  timelines_->set_comparison(&document(), shown_);
  share_room();
  const auto at = std::find(choices_.begin(), choices_.end(), shown_);
  choice_->setCurrentIndex(at == choices_.end() ? -1 : static_cast<int>(at - choices_.begin()));
  choice_->setVisible(choices_.size() > 1);
  show_texts();
  const int row = row_of_selection();
  choose_row(row >= 0 ? row : shown_->rows.empty() ? -1 : 0, false);
  show_functions(by_function);
}

// The timelines get what their lanes need, up to a point; the table gets the rest.
void CompareView::share_room() {
  constexpr int kMaxBars = 176, kFewBars = 144, kTimelines = 250, kTable = 190, kFrame = 12, kFewLanes = 130;
  const int needed = timelines_->content_height() + kFrame;
  down_->widget(1)->setMaximumHeight(needed);
  lanes_->setMinimumHeight(std::min(needed - kFrame, kFewLanes));
  const int timelines = std::min(needed, kTimelines);
  const int bars = std::clamp(down_->height() - timelines - kTable, kFewBars, kMaxBars);
  down_->setSizes({bars, timelines, std::max(kTable, down_->height() - bars - timelines)});
  // When the table has its width.
  for (Table* table : {table_view_, functions_view_})
    QMetaObject::invokeMethod(table, [table] { table->fit_columns(); }, Qt::QueuedConnection);
}

void CompareView::show_texts() {
  again_->setVisible(!shown_->recorded);
  title_->setText(title_of(*shown_));
  how_->setText(how_made(*shown_));
  const ColumnUnit unit = unit_for(std::max(shown_->eager.total.mean, shown_->traced.total.mean));
  totals_->setText(QString::fromUtf8("total %1 → %2 %3, %4")
                       .arg(column_text(shown_->eager.total.mean, unit), column_text(shown_->traced.total.mean, unit),
                            unit.name, column_change_text(shown_->difference.mean, unit)));
  sentence_->setText(sentence_with_notes(*shown_));
  meaning_->setText(QString::fromUtf8("←/→ selects a part; the others are dimmed"));
}

int CompareView::row_of_selection() const {
  const Selection& s = current();
  if (!shown_) return -1;
  const SourcePlace place = place_of(document(), s);
  int on_line = -1;
  for (size_t i = 0; i < shown_->rows.size(); ++i) {
    const explain::Row& row = shown_->rows[i];
    if (s.node != UINT32_MAX)
      for (const session::NodeOrigin& node : row.nodes)
        if (node.graph == s.graph && node.node.value == s.node) return static_cast<int>(i);
    if (on_line < 0 && place && SourcePlace{row.at.file, row.at.line} == place) on_line = static_cast<int>(i);
  }
  return s.kind == Selection::Kind::kTrace || s.kind == Selection::Kind::kFunction ? -1 : on_line;
}

void CompareView::follow_selection() {
  if (context_.selection->source() == this) return;
  const bool another = current().kind == Selection::Kind::kTrace || current().function != by_hand_for_;
  if (another && !(shown_ && shown_->recorded)) by_hand_ = false;
  if (!isVisible()) {
    dirty_ = true;
    return;
  }
  if (asking_ || asked_ || wanted() != shown_) {
    if (!asked_ && !asking_) show_page();
    return;
  }
  if (!shown_) {
    start_->set_function(document(), current().function);
    ask_call_of_trace();
    return;
  }
  if (shows_functions()) return follow_function();
  const int row = row_of_selection();
  if (row >= 0 && row != row_) choose_row(row, false);
}

// `tell`: the user chose it, so the window's selection follows.
void CompareView::choose_row(int row, bool tell) {
  row_ = row;
  const bool known = shown_ && row >= 0;
  timelines_->set_row(row);
  waterfall_->set_marked(
      known ? bar_of_group(waterfall_->waterfall(), shown_->rows[static_cast<size_t>(row)].group) : -1);
  following_ = true;
  const int at = table_.shown_of(row);
  if (at >= 0) {
    table_view_->setCurrentIndex(table_.index(at, 0));
    table_view_->scrollTo(table_.index(at, 0));
  } else if (row >= 0) {
    table_view_->setCurrentIndex({});
  }
  following_ = false;
  const PieceAt piece = timelines_->chosen_piece();
  box_->show_row(document(), *shown_, row, piece.valid() ? timelines_->lanes().describe(piece) : QString());
  if (!tell || !known) return;
  const explain::Row& r = shown_->rows[static_cast<size_t>(row)];
  const auto shown_node = std::find_if(r.nodes.begin(), r.nodes.end(), [this](const session::NodeOrigin& n) {
    return document().node(n.graph, n.node.value) != nullptr;
  });
  if (shown_node == r.nodes.end() && !r.at) return;
  Selection s = shown_node != r.nodes.end()
                    ? Selection::of_node(document(), shown_node->graph, shown_node->node.value)
                    : Selection::of_line(document(), {r.at.file, r.at.line});
  if (!shown_->recorded) {
    s.function = shown_->function;
    s.trace = shown_->trace;
  }
  select(s);
}

void CompareView::choose_bar(int bar) {
  const Waterfall& w = waterfall_->waterfall();
  const bool part = bar >= 0 && w.bars[static_cast<size_t>(bar)].kind == WaterfallBar::Kind::kPart;
  meaning_->setText(bar < 0 ? QString()
                            : waterfall_->part_name(bar) + QStringLiteral(": ") +
                                  waterfall_->part_description(bar).replace(QLatin1Char('\n'), QStringLiteral(" · ")));
  timelines_->set_part(part ? std::optional(w.bars[static_cast<size_t>(bar)].part) : std::nullopt);
}

void CompareView::choose_piece(PieceAt at) {
  if (!shown_) return;
  if (at.valid() && shows_functions()) show_functions(false);
  choose_row(at.valid() ? timelines_->lanes().piece(at).row : -1, true);
}

void CompareView::ask() {
  if (asked_) return;
  show_page();
  asking_ = true;
  start_->set_function(document(), current().function);
  if (start_->plan().function.isEmpty()) asking_ = false;
  else start_->ask();
  show_page();
}

}  // namespace footlight::app
