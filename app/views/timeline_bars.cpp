// Finds bars: under the mouse, in view, beside the selected one, in the row above or below it.
#include "app/models/text.h"
#include "app/views/timeline_canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace footlight::app {
namespace {

constexpr double kLabels = 132;

// The bar at `time`, or the nearest within `slack`; -1: there is no such bar. Bars do not overlap and are sorted by
// start.
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

int64_t distance(const query::Bar& bar, int64_t time) {
  return time < bar.start ? bar.start - time : time > bar.end ? time - bar.end : 0;
}

}  // namespace

TimelineCanvas::Placed TimelineCanvas::placed_phase(const query::TrackKey& track, size_t row, size_t index) const {
  const query::TraceSpan& phase = phases_of(track)[row][index];
  Placed bar;
  bar.track = track;
  bar.lane = kPhases + static_cast<int>(row);
  bar.bar.start = phase.start, bar.bar.end = phase.end;
  bar.bar.row = index;
  bar.bar.detail = phase.trace.value;
  bar.name = phase_name(*document_, phase).toStdString();
  return bar;
}

TimelineCanvas::Placed TimelineCanvas::placed_bar(const query::TrackPicture& track, size_t lane,
                                                  const query::Bar& bar) const {
  const bool named = track.key.kind >= query::TrackKind::kSpans && bar.what < picture_.names.size();
  return {track.key, static_cast<int>(lane), bar, named ? picture_.names[bar.what] : std::string()};
}

const std::vector<TimelineCanvas::Placed>& TimelineCanvas::bars_in_view() const {
  constexpr size_t kMaxBarsInView = 1000;
  if (std::exchange(in_view_known_, true)) return in_view_;
  in_view_.clear();
  for (size_t t = 0; t < picture_.tracks.size(); ++t) {
    const query::TrackPicture& track = picture_.tracks[t];
    const size_t rows = rows_of(t);
    const auto add = [&](const Placed& bar) {
      if (bar.bar.end >= from_ && bar.bar.start <= to_ && in_view_.size() < kMaxBarsInView && row_of(bar) < rows)
        in_view_.push_back(bar);
    };
    for (size_t l = 0; l < track.lanes.size(); ++l)
      for (const query::Bar& bar : track.lanes[l].bars) add(placed_bar(track, l, bar));
    const PhaseRows& phases = phases_of(track.key);
    for (size_t row = 0; row < phases.size(); ++row)
      for (size_t i = 0; i < phases[row].size(); ++i) add(placed_phase(track.key, row, i));
  }
  return in_view_;
}

TimelineCanvas::Hit TimelineCanvas::hit_at(QPointF point) const {
  Hit hit;
  if (!document_ || point.x() < kLabels) return hit;
  const auto over = track_at(point);
  if (!over) return hit;
  const query::TrackPicture& track = picture_.tracks[*over];
  const double at = (point.y() - row_top(*over, 0)) / (lane_height(track.key.kind) + 3);
  if (at < 0 || at >= static_cast<double>(rows_of(*over))) return hit;
  const auto row = static_cast<size_t>(at);
  hit.track = static_cast<int>(*over);
  const int64_t time = time_of(point.x());
  const PhaseRows& phases = phases_of(track.key);
  const double per = static_cast<double>(picture_.to - picture_.from) / picture_.columns;
  // First what lies under the pointer, then what is near it.
  for (const int64_t near : {int64_t{0}, slack()}) {
    if (row < phases.size() && (hit.index = bar_at(phases[row], time, near)) >= 0) {
      hit.lane = kPhases + static_cast<int>(row);
      return hit;
    }
    for (size_t lane = 0; lane < track.lanes.size() && (lane <= row || phases.empty()); ++lane) {
      const query::LanePicture& drawn = track.lanes[lane];
      hit.lane = static_cast<int>(lane);
      hit.index = bar_at(drawn.bars, time, near);
      if (hit.index >= 0 && row_of(placed_of(hit)) == row) return hit;
      const auto column = static_cast<ptrdiff_t>(static_cast<double>(time - picture_.from) / per);
      const auto reach = near ? static_cast<ptrdiff_t>(std::ceil(static_cast<double>(near) / per)) : 0;
      for (ptrdiff_t c = column - reach; c <= column + reach; ++c) {
        if (c < 0 || c >= std::ssize(drawn.cover) || drawn.cover[static_cast<size_t>(c)] <= 0) continue;
        const double start = static_cast<double>(picture_.from) + static_cast<double>(c) * per;
        if (row_of_column(phases, lane, start, start + per) != row) continue;
        hit.index = -1;
        hit.narrow = true;
        return hit;
      }
    }
  }
  hit.index = -1;
  return hit;
}

// Stretches of a thread without any call, or without any eager op where a thread makes no calls: nothing is known of
// what Python did there.
std::vector<TimelineCanvas::Gap> TimelineCanvas::gaps_of(size_t index) const {
  constexpr double kMinGapWidth = 12;  // pixels
  std::vector<Gap> gaps;
  const query::TrackPicture& track = picture_.tracks[index];
  const bool is_eager = track.key.kind == query::TrackKind::kEagerOps;
  if ((track.key.kind != query::TrackKind::kCalls && !is_eager) || track.lanes.empty() || track.count == 0) return gaps;
  if (is_eager && std::any_of(picture_.tracks.begin(), picture_.tracks.end(), [&](const auto& t) {
        return t.key.kind == query::TrackKind::kCalls && t.key.number == track.key.number;
      }))
    return gaps;
  // Busy stretches of what is drawn, by start.
  std::vector<std::pair<double, double>> busy;
  const auto add = [&](int64_t start, int64_t end) {
    if (end >= from_ && start <= to_) busy.emplace_back(x_of(start), x_of(end));
  };
  const query::LanePicture& lane = track.lanes.front();
  for (const query::Bar& bar : lane.bars) add(bar.start, bar.end);
  if (const PhaseRows& phases = phases_of(track.key); !phases.empty())
    for (const query::TraceSpan& span : phases.front()) add(span.start, span.end);
  const double per = static_cast<double>(picture_.to - picture_.from) / picture_.columns;
  for (size_t c = 0; c < lane.cover.size(); ++c) {
    if (lane.cover[c] <= 0) continue;
    const double x = x_of(picture_.from + static_cast<int64_t>(static_cast<double>(c) * per));
    if (x >= kLabels - 2 && x <= width()) busy.emplace_back(x, x + 1);
  }
  std::sort(busy.begin(), busy.end());
  double reached = std::max(kLabels, x_of(range_.first));
  const auto end_at = [&](double right) {
    if (right - reached >= kMinGapWidth) gaps.push_back({reached, right, time_of(reached), time_of(right)});
  };
  for (const auto& [left, right] : busy) {
    end_at(std::min<double>(left, width()));
    reached = std::max(reached, right);
  }
  end_at(std::min<double>(width(), x_of(range_.last)));
  return gaps;
}

QString TimelineCanvas::gap_text(size_t track, const Gap& gap) const {
  const bool is_eager = picture_.tracks[track].key.kind == query::TrackKind::kEagerOps;
  return (is_eager ? QStringLiteral("No op for ") : QStringLiteral("No call for ")) + duration_text(gap.to - gap.from);
}

QString TimelineCanvas::describe_gap(QPointF point) const {
  const auto track = track_at(point);
  if (!document_ || !track) return {};
  const double y = point.y() - row_top(*track, 0);
  if (y < 0 || y > lane_height(picture_.tracks[*track].key.kind)) return {};
  for (const Gap& gap : gaps_of(*track))
    if (gap.left <= point.x() && point.x() <= gap.right)
      return gap_text(*track, gap) + QStringLiteral("\nAt ") + duration_text(gap.from - range_.first) +
             QStringLiteral("\nPython ran outside of traced functions, or waited.");
  return {};
}

TimelineCanvas::Placed TimelineCanvas::placed_of(const Hit& hit) const {
  const query::TrackPicture& track = picture_.tracks[static_cast<size_t>(hit.track)];
  const auto index = static_cast<size_t>(hit.index);
  if (hit.lane >= kPhases) return placed_phase(track.key, static_cast<size_t>(hit.lane - kPhases), index);
  const auto lane = static_cast<size_t>(hit.lane);
  return placed_bar(track, lane, track.lanes[lane].bars[index]);
}

std::optional<QRectF> TimelineCanvas::rect_of(const Placed& bar) const {
  for (size_t i = 0; i < picture_.tracks.size(); ++i) {
    if (picture_.tracks[i].key != bar.track) continue;
    const double left = x_of(bar.bar.start), right = std::max(left + 1.5, x_of(bar.bar.end));
    const size_t row = std::min(row_of(bar), rows_of(i) - 1);
    return QRectF(left, row_top(i, row), right - left, lane_height(bar.track.kind));
  }
  return {};
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
    const size_t row = row_of(*selected_);
    const PhaseRows& phases = phases_of(selected_->track);
    if (row >= phases.size() || phases[row].empty()) return;
    const auto last = std::ssize(phases[row]) - 1;
    const auto at = std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(selected_->bar.row) + steps, 0, last);
    choose(placed_phase(selected_->track, row, static_cast<size_t>(at)));
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

// The bar or phase nearest to `time` of those in a row of the picture.
std::optional<TimelineCanvas::Placed> TimelineCanvas::drawn_in_row(size_t track, size_t row, int64_t time) const {
  std::optional<Placed> best;
  const auto look_at = [&](const Placed& bar) {
    if (!best || distance(bar.bar, time) < distance(best->bar, time)) best = bar;
  };
  const query::TrackPicture& t = picture_.tracks[track];
  const PhaseRows& phases = phases_of(t.key);
  if (row < phases.size() && !phases[row].empty()) {
    const ptrdiff_t at = bar_at(phases[row], time, INT64_MAX - 1);
    if (at >= 0) look_at(placed_phase(t.key, row, static_cast<size_t>(at)));
  }
  for (size_t lane = 0; lane < t.lanes.size(); ++lane) {
    for (const query::Bar& bar : t.lanes[lane].bars) {
      const Placed placed = placed_bar(t, lane, bar);
      if (row_of(placed) == row) look_at(placed);
    }
  }
  return best;
}

// Moves to the row above or below, to the bar nearest in time.
void TimelineCanvas::to_row(int by) {
  if (!document_ || !queries_ || picture_.tracks.empty()) return;
  if (!selected_) {
    step(0);
    return;
  }
  const auto at = std::find_if(picture_.tracks.begin(), picture_.tracks.end(),
                               [&](const query::TrackPicture& t) { return t.key == selected_->track; });
  if (at == picture_.tracks.end()) return;
  auto track = at - picture_.tracks.begin();
  auto row = static_cast<ptrdiff_t>(std::min(row_of(*selected_), rows_of(static_cast<size_t>(track)) - 1)) + by;
  const int64_t time = selected_->bar.start;
  // A row that is empty here is passed over: calls in a phase lie deeper in one place than in another.
  while (true) {
    if (row < 0 || row >= static_cast<ptrdiff_t>(rows_of(static_cast<size_t>(track)))) {
      track += by;
      if (track < 0 || track >= std::ssize(picture_.tracks)) return;
      row = by > 0 ? 0 : static_cast<ptrdiff_t>(rows_of(static_cast<size_t>(track))) - 1;
    }
    const query::TrackPicture& to = picture_.tracks[static_cast<size_t>(track)];
    if (phases_of(to.key).empty()) {
      queries_->ask(
          step_ticket_,
          [key = to.key, lane = static_cast<int>(row), time](const query::Store& store, const query::Cancel& cancel) {
            return query::at_or_after(store, key, lane, time, cancel);
          },
          [this](const std::optional<Placed>& found) {
            if (found) choose(*found);
          });
      return;
    }
    if (const auto found = drawn_in_row(static_cast<size_t>(track), static_cast<size_t>(row), time))
      return choose(*found);
    // Calls that are too short to be drawn one by one have their lane: none of a deeper row than their own.
    const auto lane = static_cast<size_t>(row);
    if (lane < to.lanes.size() && !to.lanes[lane].cover.empty()) {
      queries_->ask(
          step_ticket_,
          [key = to.key, lane = static_cast<int>(lane), time](const query::Store& store, const query::Cancel& cancel) {
            return query::at_or_after(store, key, lane, time, cancel);
          },
          [this](const std::optional<Placed>& found) {
            if (found) choose(*found);
          });
      return;
    }
    row += by;
  }
}

}  // namespace footlight::app
