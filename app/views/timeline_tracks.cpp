// Where tracks and their rows lie, and how a person arranges them.
#include "app/views/timeline_canvas.h"

#include <QCursor>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kAxis = 26, kPad = 8;
}

size_t TimelineCanvas::own_lanes(const query::TrackKey& track) const {
  for (const query::TrackPicture& t : picture_.tracks) {
    if (t.key == track) return t.lanes.size();
  }
  return 0;
}

const PhaseLanes& TimelineCanvas::phases_of(const query::TrackKey& track) const {
  static const PhaseLanes none;
  if (track.kind != query::TrackKind::kCalls) return none;
  const auto lanes = overlays_.phases.find(track.number);
  return lanes == overlays_.phases.end() ? none : lanes->second;
}

size_t TimelineCanvas::lanes_of(size_t track) const {
  const query::TrackPicture& t = picture_.tracks[track];
  return t.lanes.size() + phases_of(t.key).size();
}

// A call that is made while another is traced lies inside the phase that made it.
size_t TimelineCanvas::row_of(const query::TrackKey& track, size_t lane) const {
  const size_t own = own_lanes(track), phases = phases_of(track).size();
  if (lane == 0 || phases == 0) return lane;
  return lane < own ? lane + phases : lane - own + 1;
}

size_t TimelineCanvas::lane_in_row(const query::TrackKey& track, size_t row) const {
  const size_t own = own_lanes(track), phases = phases_of(track).size();
  if (row == 0 || phases == 0) return row;
  return row <= phases ? row - 1 + own : row - phases;
}

double TimelineCanvas::track_height(size_t track) const {
  const double each = lane_height(picture_.tracks[track].key.kind) + 3;
  return std::max(44.0 * stretch_, static_cast<double>(lanes_of(track)) * each + 2 * kPad);
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
