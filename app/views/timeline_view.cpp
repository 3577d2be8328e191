// Redraws the canvas when there is new data, and updates the table once the view stops moving.
#include "app/views/timeline_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"

#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace footlight::app {

namespace {
// Above this many op events the sums that the store keeps are shown until the exact ones are counted.
constexpr uint64_t kManyEvents = 1'000'000;
}  // namespace

TimelineView::TimelineView(const Context& context, QWidget* parent)
    : LeadView(context, new QWidget, parent) {
  auto* column = new QVBoxLayout(body());
  column->setContentsMargins(16, 10, 16, 6);
  column->setSpacing(0);
  lead_ = new Lead(Lead::kLine);
  column->addWidget(lead_);
  column->addSpacing(6);
  canvas_ = new TimelineCanvas;
  overview_ = new OverviewStrip(canvas_);
  column->addWidget(overview_);
  column->addSpacing(8);
  scroll_ = scrolled(canvas_);
  connect(scroll_->verticalScrollBar(), &QScrollBar::valueChanged, canvas_, &TimelineCanvas::set_scroll);
  column->addWidget(scroll_, 3);
  column->addSpacing(8);
  table_ = new TimelineTable;
  table_->setMinimumHeight(140);  // height of two rows
  column->addWidget(table_, 2);
  hint_ = new ElidedLabel(QString::fromUtf8(
      "Drag to select · [ and ] set its ends · W A S D zoom and pan · , and . step · F frames · "
      "P pins, C folds, H hides a track · / finds · B bookmarks"));
  hint_->setProperty("role", "faint");
  column->addWidget(hint_);

  later_.setSingleShot(true);
  later_.setInterval(80);
  connect(&later_, &QTimer::timeout, this, &TimelineView::show_statistics);
  connect(canvas_, &TimelineCanvas::range_changed, this, [this] {
    statistics_.withdraw();
    later_.start();
  });
  connect(canvas_, &TimelineCanvas::tracks_changed, this, &TimelineView::share_room);
  connect(canvas_, &TimelineCanvas::whole_changed, overview_, &OverviewStrip::measure);
  connect(canvas_, &TimelineCanvas::marked_changed, &later_, qOverload<>(&QTimer::start));
  connect(canvas_, &TimelineCanvas::chosen, this, [this](const Selection& s) { select(s); });
  connect(canvas_, &TimelineCanvas::search_wanted, table_, &TimelineTable::show_search);
  connect(canvas_, &TimelineCanvas::wants_view, this, &View::wants_view);
  connect(table_, &TimelineTable::asked_for, this, &TimelineView::show_statistics);
  connect(table_, &TimelineTable::lit, this,
          [this](std::vector<uint64_t> keys) { canvas_->highlight(table_->by(), std::move(keys)); });
  connect(table_, &TimelineTable::lit_work, this,
          [this](std::vector<query::DeviceName> work) { canvas_->highlight(std::move(work)); });
  connect(table_, &TimelineTable::step_wanted, canvas_, &TimelineCanvas::step_match);
  connect(table_, &TimelineTable::left, canvas_, [this] { canvas_->setFocus(Qt::OtherFocusReason); });
  reset();
}

void TimelineView::reset() {
  another_ = true;
  later_.stop();
  for (QueryHandle* t : {&statistics_, &stored_, &stacks_, &kernels_}) t->withdraw();
  canvas_->set_document(nullptr, nullptr, true);
  overview_->set_queries(nullptr);
  table_->clear();
  refresh();
}

void TimelineView::refresh() {
  dirty_ = true;
  const bool any = document().calls > 0 || document().events > 0 || document().device_events > 0 ||
                   document().first_span_ns > 0;
  show_body(any);
  if (any) lead_->say(timeline_lead(document()));
  else say_nothing(nothing_to_show(document(), current(), LeadFor::kTimeline));
  if (any && isVisible()) rebuild();
}

void TimelineView::showEvent(QShowEvent*) {
  if (dirty_) rebuild();
}

void TimelineView::rebuild() {
  dirty_ = false;
  const bool another = std::exchange(another_, false);
  canvas_->set_document(&document(), &context_.session->queries(), another);
  if (another) canvas_->set_selection(current());
  overview_->set_queries(&context_.session->queries());
  table_->offer_kernels(document().device_events > 0);
  // Update the table when everything is loaded; while a script runs, whenever the last update is done.
  if (!statistics_.waiting() && (document().live || !context_.session->loading())) later_.start();
}

void TimelineView::show_time(qint64 from, qint64 to) {
  if (!body()->isVisibleTo(this)) return;
  if (dirty_) rebuild();
  const TimeRange& all = canvas_->range();
  from = std::clamp<int64_t>(from, all.first, all.last - 1);
  to = std::clamp<int64_t>(to, from + 1, all.last);
  canvas_->mark_range(from, to);
  const int64_t slack = std::max<int64_t>(500, (to - from) / 2);
  canvas_->set_range(from - slack, to + slack);
}

void TimelineView::settle() {
  if (dirty_) rebuild();
  if (later_.isActive()) show_statistics();
}

void TimelineView::show_statistics() {
  later_.stop();
  const bool marked = canvas_->has_marked_range();
  const TimeRange& all = canvas_->range();
  const bool whole = !marked && canvas_->from() <= all.first && canvas_->to() >= all.last;
  const int64_t from = marked ? canvas_->mark_from() : whole ? all.first : canvas_->from(),
                to = marked ? canvas_->mark_to() : whole ? all.last + 1 : canvas_->to();
  const QString title = whole ? QStringLiteral("All events: %1 of a run of %2")
                                    .arg(duration_text(all.last - all.first), duration_text(document().duration_ns()))
                              : (marked ? QStringLiteral("Selected ") : QStringLiteral("In view ")) +
                                    duration_text(to - from);
  // While a run goes on, the rows are those of the last answer, and so is the title.
  if (!whole || ops().rowCount() == 0) table_->set_title(title);
  canvas_->ask_peaks();
  share_room();
  table_->allow_flame_below(document().events <= kManyEvents);
  if (table_->wants_stacks()) show_stacks(from, to);
  if (table_->form() == TimelineTable::kKernels) show_kernels(from, to);
  const query::GroupBy by = table_->by();
  if (whole && by == query::GroupBy::kOp && document().events > kManyEvents && ops().rowCount() == 0) {
    context_.session->queries().ask(
        stored_, [](const query::Store& store, const query::Cancel&) { return stored_statistics(store); },
        [this](RangeStatistics s) {
          name_rows(document(), s);
          table_->set_statistics(std::move(s));
        });
  }
  context_.session->queries().ask(
      statistics_,
      [from, to, by](const query::Store& store, const query::Cancel& cancel) {
        return range_statistics(store, from, to, cancel, by);
      },
      [this, title](RangeStatistics s) {
        stored_.withdraw();
        table_->set_title(title);
        name_rows(document(), s);
        table_->set_statistics(std::move(s));
        share_room();
      },
      Queries::kLong);
}

// Tracks get three fifths, or what they need if that is less; more if the table is short. Few grow, for the page to be
// full; how much does not depend on the table's rows, for them not to jump when it changes.
void TimelineView::share_room() {
  constexpr int kRow = 27, kAround = 110, kMinTableHeight = 190, kShare = 55;
  canvas_->set_room(body()->height() * kShare / 100 - overview_->height());
  scroll_->setMaximumHeight(canvas_->content_height() + 4);
  const bool many_tracks = canvas_->content_height() > body()->height() * 3 / 5;
  const int rows = table_->form() == TimelineTable::kTable     ? ops().rowCount()
                   : table_->form() == TimelineTable::kKernels ? table_->kernels().rowCount()
                                                               : -1;
  table_->setMaximumHeight(many_tracks && rows >= 0 ? std::max(kMinTableHeight, rows * kRow + kAround)
                                                : QWIDGETSIZE_MAX);
}

void TimelineView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  constexpr int kRoomForHint = 420;  // below, the table needs it
  hint_->setVisible(height() >= kRoomForHint);
  share_room();
}

void TimelineView::show_stacks(int64_t from, int64_t to) {
  context_.session->queries().ask(
      stacks_,
      [from, to](const query::Store& store, const query::Cancel& cancel) {
        return query::stacks(store, from, to, cancel);
      },
      [this](query::StackTree tree) { table_->set_stacks(&document(), std::move(tree)); }, Queries::kLong);
}

void TimelineView::show_kernels(int64_t from, int64_t to) {
  context_.session->queries().ask(
      kernels_,
      [from, to](const query::Store& store, const query::Cancel& cancel) {
        return query::device_sums(store.reader(), cancel, from, to);
      },
      [this](std::vector<query::DeviceSum> sums) { table_->set_kernels(std::move(sums)); }, Queries::kLong);
}

void TimelineView::follow_selection() {
  if (context_.selection->source() == this) return;
  canvas_->set_selection(current());
}

}  // namespace footlight::app
