// Conversion between time and pixels, and queries to the store.
#include "app/views/timeline_canvas.h"

#include "app/models/text.h"
#include "app/views/part_access.h"
#include "app/views/timeline_access.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kLabels = 132, kPad = 8;
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
    for (Ticket* t : {&picture_ticket_, &find_ticket_, &choose_ticket_, &step_ticket_, &overlay_ticket_,
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
  constexpr size_t kMost = 64;
  queries_->ask(
      flow_ticket_,
      [bar = *selected_](const query::Store& store, const query::Cancel& cancel) {
        return query::flow_of(store, bar, kMost, cancel);
      },
      [this](std::vector<Placed> flow) {
        flow_ = std::move(flow);
        update();
      });
}

void TimelineCanvas::highlight(query::GroupBy by, std::vector<uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  highlight_.by = by;
  highlight_.keys = std::move(keys);
  ask_matches();
  update();
}

void TimelineCanvas::step_match(int by) {
  if (!document_ || !queries_) return;
  const bool ranged = has_marked_range();
  const bool from_op = selected_ && query::is_ops(selected_->track.kind);
  const int64_t time = selected_ ? selected_->bar.start : by > 0 ? from_ : to_;
  queries_->ask(
      step_ticket_,
      [time, row = from_op ? selected_->bar.row : by > 0 ? uint64_t{0} : UINT64_MAX, by, wanted = highlight_,
       selection = selection_, from = ranged ? mark_from_ : INT64_MIN,
       to = ranged ? mark_to_ : INT64_MAX](const query::Store& store, const query::Cancel& cancel) {
        query::Wanted all = wanted;
        if (all.empty()) all.filter = filter_of(store, selection);
        const auto found = query::next_match(store, all, time, row, by, from, to, cancel);
        return found ? query::place(store, query::TrackKind::kTracedOps, *found) : std::nullopt;
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

const std::vector<TimelineCanvas::Placed>& TimelineCanvas::bars_in_view() const {
  constexpr size_t kMost = 1000;
  if (std::exchange(in_view_known_, true)) return in_view_;
  in_view_.clear();
  const auto visible = [&](int64_t start, int64_t end) {
    return end >= from_ && start <= to_ && in_view_.size() < kMost;
  };
  for (const query::TrackPicture& track : picture_.tracks) {
    for (size_t l = 0; l < track.lanes.size(); ++l) {
      for (const query::Bar& bar : track.lanes[l].bars) {
        const bool named = track.key.kind >= query::TrackKind::kSpans && bar.what < picture_.names.size();
        if (visible(bar.start, bar.end))
          in_view_.push_back({track.key, static_cast<int>(l), bar, named ? picture_.names[bar.what] : std::string()});
      }
    }
    const PhaseLanes& phases = phases_of(track.key);
    for (size_t l = 0; l < phases.size(); ++l) {
      for (size_t i = 0; i < phases[l].size(); ++i) {
        if (visible(phases[l][i].start, phases[l][i].end)) in_view_.push_back(placed_phase(track.key, l, i));
      }
    }
  }
  return in_view_;
}

void TimelineCanvas::mark_range(int64_t from, int64_t to) {
  if (to < from) std::swap(from, to);
  mark_from_ = from;
  mark_to_ = to;
  if (has_marked_range()) setAccessibleDescription(QStringLiteral("Marked: ") + marked_text());
  update();
  Q_EMIT marked_changed();
}

namespace {
// The bar at `time`, or the nearest within `slack`; -1: none. Bars do not overlap and are sorted by start.
template <class Bar>
ptrdiff_t bar_at(const std::vector<Bar>& bars, int64_t time, int64_t slack) {
  const auto after = std::upper_bound(bars.begin(), bars.end(), time,
                                      [](int64_t t, const Bar& b) { return t < b.start; });
  const ptrdiff_t at = after - bars.begin();
  if (at > 0 && bars[static_cast<size_t>(at) - 1].end >= time) return at - 1;
  int64_t best = slack + 1;
  ptrdiff_t found = -1;
  if (at > 0 && time - bars[static_cast<size_t>(at) - 1].end < best) {
    best = time - bars[static_cast<size_t>(at) - 1].end;
    found = at - 1;
  }
  if (after != bars.end() && after->start - time < best) found = at;
  return found;
}
}  // namespace

TimelineCanvas::Hit TimelineCanvas::hit_at(QPointF point) const {
  Hit hit;
  if (!document_ || point.x() < kLabels) return hit;
  const auto over = track_at(point);
  if (!over) return hit;
  const query::TrackPicture& track = picture_.tracks[*over];
  const double row = (point.y() - track_top(*over) - kPad) / (lane_height(track.key.kind) + 3);
  if (row < 0 || row >= static_cast<double>(lanes_of(*over))) return hit;
  hit.track = static_cast<int>(*over);
  hit.lane = static_cast<int>(lane_in_row(track.key, static_cast<size_t>(row)));
  const auto at = static_cast<size_t>(hit.lane);
  const int64_t time = time_of(point.x());
  if (at >= track.lanes.size()) {
    hit.index = bar_at(phases_of(track.key)[at - track.lanes.size()], time, slack());
    return hit;
  }
  const query::LanePicture& drawn = track.lanes[at];
  const double per = static_cast<double>(picture_.to - picture_.from) / picture_.columns;
  const auto covered = [&](int64_t t) {
    const auto column = static_cast<ptrdiff_t>(static_cast<double>(t - picture_.from) / per);
    return column >= 0 && column < static_cast<ptrdiff_t>(drawn.cover.size()) &&
           drawn.cover[static_cast<size_t>(column)] > 0;
  };
  hit.index = bar_at(drawn.bars, time, 0);
  hit.narrow = hit.index < 0 && (covered(time) || covered(time - slack()) || covered(time + slack()));
  if (!hit.valid() && !hit.narrow) hit.index = bar_at(drawn.bars, time, slack());
  return hit;
}

bool TimelineCanvas::is_phase(const Placed& bar) const {
  return bar.track.kind == query::TrackKind::kCalls && static_cast<size_t>(bar.lane) >= own_lanes(bar.track);
}

TimelineCanvas::Placed TimelineCanvas::placed_phase(const query::TrackKey& track, size_t lane, size_t index) const {
  const query::TraceSpan& phase = phases_of(track)[lane][index];
  Placed bar;
  bar.track = track;
  bar.lane = static_cast<int>(own_lanes(track) + lane);
  bar.bar.start = phase.start, bar.bar.end = phase.end;
  bar.bar.row = index;
  bar.bar.detail = phase.trace.value;
  bar.name = phase_name(*document_, phase).toStdString();
  return bar;
}

TimelineCanvas::Placed TimelineCanvas::placed_of(const Hit& hit) const {
  const query::TrackPicture& track = picture_.tracks[static_cast<size_t>(hit.track)];
  const auto lane = static_cast<size_t>(hit.lane);
  if (lane >= track.lanes.size()) 
    return placed_phase(track.key, lane - track.lanes.size(), static_cast<size_t>(hit.index));
  const query::Bar& bar = track.lanes[lane].bars[static_cast<size_t>(hit.index)];
  const bool named = track.key.kind >= query::TrackKind::kSpans && bar.what < picture_.names.size();
  return {track.key, hit.lane, bar, named ? picture_.names[bar.what] : std::string()};
}

std::optional<QRectF> TimelineCanvas::rect_of(const Placed& bar) const {
  for (size_t i = 0; i < picture_.tracks.size(); ++i) {
    const query::TrackKind kind = picture_.tracks[i].key.kind;
    if (picture_.tracks[i].key != bar.track) continue;
    const double left = x_of(bar.bar.start), right = std::max(left + 1.5, x_of(bar.bar.end));
    const auto row = static_cast<double>(row_of(bar.track, static_cast<size_t>(bar.lane)));
    return QRectF(left, track_top(i) + kPad + row * (lane_height(kind) + 3), right - left, lane_height(kind));
  }
  return {};
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

void TimelineCanvas::step(int by) {
  if (!document_ || !queries_ || picture_.tracks.empty()) return;
  steps_wanted_ += by;
  if (step_ticket_.waiting()) return;
  const int steps = std::exchange(steps_wanted_, 0);
  const auto go = [this](const std::optional<Placed>& found) {
    if (found) choose(*found);
    if (steps_wanted_) step(0);
  };
  if (!selected_) {
    queries_->ask(
        step_ticket_,
        [key = picture_.tracks.front().key, from = from_](const query::Store& store, const query::Cancel& cancel) {
          return query::at_or_after(store, key, 0, from, cancel);
        },
        go);
    return;
  }
  if (is_phase(*selected_)) {
    const size_t lane = static_cast<size_t>(selected_->lane) - own_lanes(selected_->track);
    const PhaseLanes& phases = phases_of(selected_->track);
    if (lane >= phases.size()) return;
    const auto last = static_cast<ptrdiff_t>(phases[lane].size()) - 1;
    const auto at = std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(selected_->bar.row) + steps, 0, last);
    choose(placed_phase(selected_->track, lane, static_cast<size_t>(at)));
    return;
  }
  queries_->ask(
      step_ticket_,
      [from = *selected_, steps](const query::Store& store, const query::Cancel& cancel) {
        std::optional<Placed> at = from;
        for (int i = 0; i < std::abs(steps); ++i) {
          auto next = query::neighbour(store, *at, steps, cancel);
          if (!next) break;
          at = std::move(next);
        }
        return at;
      },
      go);
}

// Moves to the adjacent lane, to the bar nearest in time.
void TimelineCanvas::to_lane(int by) {
  if (!document_ || !queries_ || picture_.tracks.empty()) return;
  if (!selected_) {
    step(0);
    return;
  }
  int track = 0;
  while (static_cast<size_t>(track) < picture_.tracks.size() &&
         picture_.tracks[static_cast<size_t>(track)].key != selected_->track)
    ++track;
  if (static_cast<size_t>(track) == picture_.tracks.size()) return;
  int row = static_cast<int>(row_of(selected_->track, static_cast<size_t>(selected_->lane))) + by;
  if (row < 0 || row >= static_cast<int>(lanes_of(static_cast<size_t>(track)))) {
    track += by;
    if (track < 0 || track >= static_cast<int>(picture_.tracks.size())) return;
    row = by > 0 ? 0 : static_cast<int>(lanes_of(static_cast<size_t>(track))) - 1;
  }
  const query::TrackPicture& to = picture_.tracks[static_cast<size_t>(track)];
  const int lane = static_cast<int>(lane_in_row(to.key, static_cast<size_t>(row)));
  const int64_t time = selected_->bar.start;
  if (static_cast<size_t>(lane) >= to.lanes.size()) {
    const size_t in_phases = static_cast<size_t>(lane) - to.lanes.size();
    const std::vector<query::TraceSpan>& phases = phases_of(to.key)[in_phases];
    const auto at = std::lower_bound(phases.begin(), phases.end(), time,
                                     [](const query::TraceSpan& p, int64_t t) { return p.start < t; });
    choose(placed_phase(to.key, in_phases, static_cast<size_t>(std::min(at - phases.begin(), std::ssize(phases) - 1))));
    return;
  }
  queries_->ask(
      step_ticket_,
      [key = to.key, lane, time](const query::Store& store, const query::Cancel& cancel) {
        return query::at_or_after(store, key, lane, time, cancel);
      },
      [this](const std::optional<Placed>& found) {
        if (found) choose(*found);
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
      if (f && document_->functions.size() > 1) text = q(f->name) + QLatin1Char(' ') + text;
      return text;
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
    if (on->flops)
      ran_on += dot + flops_text(on->flops) + QStringLiteral(" FLOPs") + dot +
                rate_text(on->flops, bar.end - bar.start) + QStringLiteral(" GFLOP/s");
  }
  if (placed.track.kind == query::TrackKind::kCalls && !is_phase(placed)) {
    // Where the time of a call that traced went: together all of it.
    for (const std::vector<query::TraceSpan>& lane : phases_of(placed.track)) {
      for (const query::TraceSpan& span : lane) {
        if (span.call == bar.call && span.call.valid() && span.depth == 0)
          ran_on += QLatin1Char('\n') + phase_name(*document_, span) + QStringLiteral("  ") +
                    duration_text(span.end - span.start);
      }
    }
  }
  const TrackTitle track = title_of(placed.track, overlays_);
  return bar_text(placed.track.kind, bar, placed.name) + QStringLiteral("  ") + duration_text(bar.end - bar.start) +
         ran_on + QStringLiteral("\nat ") + duration_text(bar.start - range_.first) + QString::fromUtf8(" · ") +
         track.title + QLatin1Char(' ') + track.subtitle;
}

}  // namespace footlight::app
