// Conversion between time and pixels, and queries to the store.
#include "app/views/timeline_canvas.h"

#include "app/models/text.h"
#include "app/views/part_access.h"
#include "app/views/timeline_access.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kLabels = 132;
constexpr int kViewports = 3;  // width of a picture

bool marks_many(const Selection& s) {
  return s.kind == Selection::Kind::kNode || s.kind == Selection::Kind::kLine;
}
}  // namespace

TimelineCanvas::TimelineCanvas(QWidget* parent) : QWidget(parent) {
  install_timeline_access();  // first: a name makes Qt ask for the canvas's interface, and keep it
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(260, 80);
  setAccessibleName(QStringLiteral("Timeline"));
}

void TimelineCanvas::set_document(const Document* document, Queries* queries, bool another) {
  const bool whole = !document_ || another || (from_ <= range_.first && to_ >= range_.last);
  document_ = document;
  queries_ = queries;
  hovered_ = {};
  if (another) {
    bookmarks_.open(document_ ? document_->path : QString());
    order_.open(document_ ? document_->path : QString());
    mark_from_ = mark_to_ = 0;
    picture_ = {};
    matches_ = {};
    highlight_ = {};
    flow_.clear();
    peaks_.clear();
    selected_.reset();
    overlays_ = {};
    in_view_known_ = false;
    for (QueryHandle* t : {&picture_ticket_, &find_ticket_, &choose_ticket_, &step_ticket_, &overlay_ticket_,
                      &peaks_ticket_})
      t->withdraw();
    steps_wanted_ = 0;
  }
  range_ = document_ ? time_range(*document_, overlays_) : TimeRange{};
  ask_overlays();
  setMinimumHeight(content_height());
  if (whole) fit();
  ask_picture();
  update();
}

void TimelineCanvas::ask_picture() {
  if (!document_ || !queries_ || width() <= kLabels) return;
  // One is pending: if every mouse move started a new one, none would ever finish.
  if (picture_ticket_.waiting()) {
    ask_again_ = true;
    return;
  }
  ask_again_ = false;
  const int64_t span = to_ - from_;
  const int columns = std::max(1, width() - static_cast<int>(kLabels));
  queries_->ask(
      picture_ticket_,
      [from = from_, to = to_, span, columns](const query::Store& store, const query::Cancel& cancel) {
        return query::draw(store, from - span, to + span, columns * kViewports, cancel);
      },
      [this](query::Picture picture) { take_picture(std::move(picture)); });
  ask_matches();
}

void TimelineCanvas::take_picture(query::Picture picture) {
  const int before = content_height();
  picture_ = std::move(picture);
  order_.arrange(picture_.tracks);
  in_view_known_ = false;
  hovered_ = {};
  resized(before);
  update();
  if (ask_again_) ask_picture();
}

void TimelineCanvas::ask_matches() {
  match_ticket_.withdraw();
  const bool any = !highlight_.empty() || marks_many(selection_);
  if (!any) matches_ = {};
  if (!any || !document_ || !queries_ || width() <= kLabels) return;
  queries_->ask(
      match_ticket_,
      [from = from_, to = to_, columns = std::max(1, width() - static_cast<int>(kLabels)), wanted = highlight_,
       selection = selection_](const query::Store& store, const query::Cancel& cancel) {
        query::Wanted all = wanted;
        if (all.empty()) all.filter = filter_of(store, selection);
        return query::matches(store, all, from, to, columns, cancel);
      },
      [this](query::Matches found) {
        matches_ = std::move(found);
        update();
      },
      Queries::kLong);
}

void TimelineCanvas::ask_flow() {
  flow_.clear();
  flow_ticket_.withdraw();
  if (!selected_ || !queries_) return;
  constexpr size_t kMaxFlowEvents = 64;
  queries_->ask(
      flow_ticket_,
      [bar = *selected_](const query::Store& store, const query::Cancel& cancel) {
        return query::flow_of(store, bar, kMaxFlowEvents, cancel);
      },
      [this](std::vector<Placed> flow) {
        flow_ = std::move(flow);
        update();
      });
}

void TimelineCanvas::highlight(query::GroupBy by, std::vector<uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  highlight_ = {};
  highlight_.by = by;
  highlight_.keys = std::move(keys);
  ask_matches();
  update();
}

void TimelineCanvas::highlight(std::vector<query::DeviceName> work) {
  std::sort(work.begin(), work.end());
  highlight_ = {};
  highlight_.work = std::move(work);
  ask_matches();
  update();
}

void TimelineCanvas::step_match(int by) {
  if (!document_ || !queries_) return;
  const bool ranged = has_marked_range();
  const bool is_work = !highlight_.work.empty();
  const bool from_match = selected_ && (is_work ? query::is_device(selected_->track.kind)
                                                : query::is_ops(selected_->track.kind));
  const int64_t time = selected_ ? selected_->bar.start : by > 0 ? from_ : to_;
  queries_->ask(
      step_ticket_,
      [time, is_work,
       row = from_match ? selected_->bar.row
             : by > 0   ? uint64_t{0}
                        : UINT64_MAX,
       by, wanted = highlight_, selection = selection_, from = ranged ? mark_from_ : INT64_MIN,
       to = ranged ? mark_to_ : INT64_MAX](const query::Store& store, const query::Cancel& cancel) {
        query::Wanted all = wanted;
        if (all.empty()) all.filter = filter_of(store, selection);
        const auto found = query::next_match(store, all, time, row, by, from, to, cancel);
        const query::TrackKind kind = is_work ? query::TrackKind::kKernels : query::TrackKind::kTracedOps;
        return found ? query::place(store, kind, *found) : std::nullopt;
      },
      [this](const std::optional<Placed>& found) {
        if (found) choose(*found);
      },
      Queries::kLong);
}

double TimelineCanvas::lane_height(query::TrackKind kind) const {
  return std::round((kind == query::TrackKind::kApi ? 18 : 22) * stretch_);
}

void TimelineCanvas::ask_overlays() {
  if (!document_ || !queries_) return;
  if (overlay_ticket_.waiting()) {
    ask_overlays_again_ = true;
    return;
  }
  ask_overlays_again_ = false;
  queries_->ask(
      overlay_ticket_,
      [](const query::Store& store, const query::Cancel& cancel) { return overlays_of(store, cancel); },
      [this](Overlays overlays) {
        const int before = content_height();
        overlays_ = std::move(overlays);
        hovered_ = {};
        in_view_known_ = false;
        resized(before);
        // Spans and counters may reach beyond the ops.
        const TimeRange known = range_;
        const bool whole = from_ <= range_.first && to_ >= range_.last;
        range_ = time_range(*document_, overlays_);
        if (range_.first != known.first || range_.last != known.last) {
          if (whole) fit();
          Q_EMIT whole_changed();
        }
        update();
        if (ask_overlays_again_) ask_overlays();
      });
}

void TimelineCanvas::resized(int before) {
  if (content_height() == before) return;
  setMinimumHeight(content_height());
  Q_EMIT tracks_changed();
}

int TimelineCanvas::content_height() const {
  const bool any = !picture_.tracks.empty() || area_count() > 0;
  return any ? static_cast<int>(area_top(area_count())) + 4 : 80;
}

TimeAxis TimelineCanvas::axis() const { return {from_, to_, kLabels, width() - kLabels}; }
double TimelineCanvas::x_of(int64_t time) const { return axis().x_of(time); }
int64_t TimelineCanvas::time_of(double x) const { return axis().time_of(x); }
int64_t TimelineCanvas::slack() const { return axis().time_in(3); }

void TimelineCanvas::set_range(int64_t from, int64_t to) {
  if (!document_) return;
  const int64_t whole = std::max<int64_t>(1, range_.last - range_.first);
  int64_t span = std::clamp<int64_t>(to - from, 200, whole + whole / 10);
  const int64_t slack = span / 20;
  from = std::clamp(from, range_.first - slack, std::max(range_.first - slack, range_.last + slack - span));
  if (from == from_ && from + span == to_) return;
  from_ = from;
  to_ = from + span;
  in_view_known_ = false;
  update();
  ask_picture();
  Q_EMIT range_changed();
}

void TimelineCanvas::fit() {
  if (!document_) return;
  const int64_t slack = std::max<int64_t>(1, (range_.last - range_.first) / 100);
  set_range(range_.first - slack, range_.last + slack);
}

void TimelineCanvas::mark_range(int64_t from, int64_t to) {
  if (to < from) std::swap(from, to);
  mark_from_ = from;
  mark_to_ = to;
  if (has_marked_range()) setAccessibleDescription(QStringLiteral("Marked: ") + marked_text());
  update();
  Q_EMIT marked_changed();
}

void TimelineCanvas::set_selection(const Selection& selection) {
  const bool other_marks = marks_many(selection_) || marks_many(selection);
  selection_ = selection;
  selected_.reset();
  frame_when_found_ = false;
  find_ticket_.withdraw();
  if (document_ && queries_) {
    // Find the bar of the selection, from which stepping and framing start.
    queries_->ask(
        find_ticket_,
        [selection](const query::Store& store, const query::Cancel& cancel) {
          return find_bar(store, selection, cancel);
        },
        [this](std::optional<Placed> found) {
          selected_ = std::move(found);
          ask_flow();
          if (selected_) setAccessibleDescription(describe(*selected_));
          if (std::exchange(frame_when_found_, false)) frame_selection();
          update();
        });
    if (other_marks) ask_matches();
  }
  update();
}

void TimelineCanvas::frame_selection() {
  if (find_ticket_.waiting()) {
    frame_when_found_ = true;
  } else if (has_marked_range() && !selected_) {
    const int64_t slack = (mark_to_ - mark_from_) / 10;
    set_range(mark_from_ - slack, mark_to_ + slack);
  } else if (selected_) {
    const query::Bar& bar = selected_->bar;
    const int64_t length = std::max<int64_t>(bar.end - bar.start, 200);
    set_range(bar.start - 2 * length, bar.end + 2 * length);
  } else {
    fit();
  }
}

void TimelineCanvas::choose(const Placed& bar) {
  find_ticket_.withdraw();
  selected_ = bar;
  ask_flow();
  setAccessibleDescription(describe(bar));
  // Scroll it into view.
  if (bar.bar.end < from_ || bar.bar.start > to_) {
    const int64_t half = (to_ - from_) / 2;
    set_range(bar.bar.start - half, bar.bar.start + half);
  }
  tell_current_part(this);
  update();
  if (is_phase(bar)) {
    if (!TraceId(bar.bar.detail).valid()) return;  // machine code belongs to no trace of its own
    Q_EMIT chosen(Selection::of_trace(*document_, TraceId(bar.bar.detail)));
    return;
  }
  if (bar.track.kind == query::TrackKind::kSpans) {  // other views know the line of a stage, and of nothing else
    const auto stage = overlays_.stage_tracks.find(bar.track.number);
    if (stage != overlays_.stage_tracks.end() && stage->second.line)
      Q_EMIT chosen(Selection::of_line(*document_, {stage->second.file, stage->second.line}));
    return;
  }
  if (query::is_device(bar.track.kind)) {
    Q_EMIT chosen(Selection::of_device(bar.bar.row));
    return;
  }
  queries_->ask(
      choose_ticket_, [bar](const query::Store& store, const query::Cancel&) { return find_bar_facts(store, bar); },
      [this](const BarFacts& facts) {
        const session::CallRecord* call = facts.call ? &*facts.call : nullptr;
        if (facts.op) {
          Q_EMIT chosen(Selection::of_event(*document_, *facts.op, call));
        } else if (call) {
          Q_EMIT chosen(Selection::of_call(*document_, *call));
        }
      });
}

QString TimelineCanvas::bar_text(query::TrackKind kind, const query::Bar& bar, const std::string& name) const {
  switch (kind) {
    case query::TrackKind::kCalls: {
      if (!name.empty()) return q(name);  // a phase
      const session::TraceRecord* t = document_->trace(TraceId(bar.detail));
      const session::FunctionRecord* f = document_->function(FunctionId(bar.what));
      QString text = t ? QStringLiteral("#%1").arg(t->number) : QString();
      if (CallOutcome(bar.look) == CallOutcome::kTrace) text += QStringLiteral(" trace");
      if (CallOutcome(bar.look) == CallOutcome::kFailed) text += QStringLiteral(" failed");
      if (CallOutcome(bar.look) == CallOutcome::kEager) text += QStringLiteral(" eager");
      text = text.trimmed();
      if (f && (!t || document_->functions.size() > 1)) text = q(f->name) + QLatin1Char(' ') + text;
      return text.trimmed();
    }
    case query::TrackKind::kTracedOps:
    case query::TrackKind::kEagerOps: return q(document_->op(session::OpNumber(bar.what)).name);
    default: return q(name);
  }
}

QString TimelineCanvas::describe(const Placed& placed) const {
  const query::Bar& bar = placed.bar;
  const bool is_op = query::is_ops(placed.track.kind);
  QString ran_on;
  if (const session::SignatureRecord* on = is_op ? document_->signature(SignatureId(bar.detail)) : nullptr) {
    const QString dot = QString::fromUtf8(" · ");
    ran_on = QLatin1Char('\n') + q(on->inputs) + QString::fromUtf8(" → ") + q(on->outputs) + QLatin1Char('\n') +
             bytes_text(on->input_bytes) + QStringLiteral(" in") + dot + bytes_text(on->output_bytes) +
             QStringLiteral(" out");
    if (on->flops) ran_on += dot + flops_text(on->flops) + QStringLiteral(" FLOPs");
    // A GPU's kernels take another time than their launch; the inspector adds them up.
    if (on->flops && document_->device_names.size() <= 1)
      ran_on += dot + rate_text(on->flops, bar.end - bar.start) + QStringLiteral(" GFLOP/s");
  }
  if (placed.track.kind == query::TrackKind::kCalls && !is_phase(placed)) {
    // Shows how a call that traced spent its time: the parts add up to all of it.
    for (const std::vector<query::TraceSpan>& row : phases_of(placed.track)) {
      for (const query::TraceSpan& span : row) {
        if (span.call == bar.call && span.call.valid() && span.depth == 0)
          ran_on += QLatin1Char('\n') + phase_name(*document_, span) + QStringLiteral("  ") +
                    duration_text(span.end - span.start);
      }
    }
  }
  const TrackTitle track = title_of(placed.track, overlays_);
  return bar_text(placed.track.kind, bar, placed.name) + QStringLiteral("  ") + duration_text(bar.end - bar.start) +
         ran_on + QStringLiteral("\nAt ") + duration_text(bar.start - range_.first) + QString::fromUtf8(" · ") +
         track.title + QLatin1Char(' ') + track.subtitle;
}

}  // namespace footlight::app
