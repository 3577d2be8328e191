// Places tracks and their rows, and lets the user rearrange them.
#include "app/views/timeline_canvas.h"

#include <QCursor>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr double kLabels = 132, kAxis = 26, kPad = 8;
}

const PhaseRows& TimelineCanvas::phases_of(const query::TrackKey& track) const {
  static const PhaseRows none;
  if (track.kind != query::TrackKind::kCalls) return none;
  const auto rows = overlays_.calls.find(track.number);
  return rows == overlays_.calls.end() ? none : rows->second.phases;
}

size_t TimelineCanvas::all_rows(size_t track) const {
  const query::TrackPicture& t = picture_.tracks[track];
  if (t.key.kind != query::TrackKind::kCalls) return t.lanes.size();
  const auto rows = overlays_.calls.find(t.key.number);
  return rows == overlays_.calls.end() ? t.lanes.size() : std::max(t.lanes.size(), rows->second.rows);
}

size_t TimelineCanvas::rows_of(size_t track) const {
  return order_.is_folded(picture_.tracks[track].key) ? 1 : all_rows(track);
}

size_t TimelineCanvas::row_of(const Placed& bar) const {
  if (is_phase(bar)) return static_cast<size_t>(bar.lane - kPhases);
  return row_of_call(phases_of(bar.track), static_cast<size_t>(bar.lane), bar.bar.start, bar.bar.end);
}

// A folded track has no room for a subtitle.
double TimelineCanvas::track_pad(const query::TrackKey& track) const { return order_.is_folded(track) ? 4 : kPad; }

double TimelineCanvas::row_top(size_t track, size_t row) const {
  const query::TrackKey& key = picture_.tracks[track].key;
  return track_top(track) + track_pad(key) + static_cast<double>(row) * (lane_height(key.kind) + 3);
}

double TimelineCanvas::track_height(size_t track) const {
  const query::TrackKey& key = picture_.tracks[track].key;
  const double each = lane_height(key.kind) + 3;
  if (order_.is_folded(key)) return each + 2 * track_pad(key);
  return std::max(44.0 * stretch_, static_cast<double>(all_rows(track)) * each + 2 * kPad);
}

bool TimelineCanvas::is_foldable(size_t track) const {
  const query::TrackKey& key = picture_.tracks[track].key;
  return order_.is_folded(key) || order_.is_of_process(key) || all_rows(track) > 1;
}

QRectF TimelineCanvas::fold_mark(size_t track) const {
  if (!is_foldable(track)) return {};
  return QRectF(kLabels - 22, track_top(track) + (order_.is_folded(picture_.tracks[track].key) ? 4 : 6), 18, 18);
}

// Pinned tracks stay below the axis while the others scroll.
double TimelineCanvas::track_top(size_t track) const {
  const bool sticks = track < picture_.tracks.size() && order_.is_pinned(picture_.tracks[track].key);
  return flat_top(track) + (sticks ? scroll_ : 0);
}

double TimelineCanvas::flat_top(size_t track) const {
  double y = kAxis;
  for (size_t i = 0; i < track; ++i) y += track_height(i);
  return y;
}

double TimelineCanvas::head_height() const {
  double tall = kAxis;
  for (size_t i = 0; i < picture_.tracks.size() && order_.is_pinned(picture_.tracks[i].key); ++i)
    tall += track_height(i);
  return tall;
}

void TimelineCanvas::set_scroll(int pixels) {
  if (pixels == scroll_) return;
  scroll_ = pixels;
  hovered_ = {};
  update();
}

std::optional<size_t> TimelineCanvas::track_at(QPointF point) const {
  const bool in_head = point.y() < scroll_ + head_height();
  for (size_t i = 0; i < picture_.tracks.size(); ++i)
    if (in_head == order_.is_pinned(picture_.tracks[i].key) && point.y() >= track_top(i) &&
        point.y() < track_top(i) + track_height(i))
      return i;
  return {};
}

std::optional<size_t> TimelineCanvas::current_track() const {
  for (size_t i = 0; selected_ && i < picture_.tracks.size(); ++i)
    if (picture_.tracks[i].key == selected_->track) return i;
  return underMouse() ? track_at(mapFromGlobal(QCursor::pos())) : std::nullopt;
}

void TimelineCanvas::arranged() {
  hovered_ = {};
  in_view_known_ = false;
  ask_picture();
  update();
}

void TimelineCanvas::pin_track(size_t track) {
  const query::TrackKey key = picture_.tracks[track].key;
  order_.set_pinned(key, !order_.is_pinned(key));
  order_.arrange(picture_.tracks);
  arranged();
}

void TimelineCanvas::fold_track(size_t track) {
  if (!is_foldable(track)) return;
  const int before = content_height();
  const query::TrackKey key = picture_.tracks[track].key;
  order_.set_folded(key, !order_.is_folded(key));
  order_.arrange(picture_.tracks);
  setAccessibleDescription(title_of(key, overlays_).title + (order_.is_folded(key) ? QStringLiteral(": folded")
                                                                                   : QStringLiteral(": unfolded")));
  resized(before);
  arranged();
}

void TimelineCanvas::hide_track(size_t track) {
  if (picture_.tracks.size() < 2) return;  // one stays, to come back by
  const int before = content_height();
  order_.hide(picture_.tracks[track].key);
  order_.arrange(picture_.tracks);
  resized(before);
  arranged();
}

void TimelineCanvas::move_track(size_t track, int by) {
  order_.move(picture_.tracks[track].key, by, picture_.tracks);
  order_.arrange(picture_.tracks);
  arranged();
}

void TimelineCanvas::show_hidden_tracks() {
  order_.show_all();
  arranged();
}

void TimelineCanvas::reset_tracks() {
  order_.reset();
  arranged();
}

}  // namespace footlight::app
