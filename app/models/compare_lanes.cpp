// Places lanes under each other and finds pieces by time, by row and by their neighbours.
#include "app/models/compare_lanes.h"

#include "app/models/compare_units.h"
#include "app/models/text.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kBetweenLanes = 5, kBetweenSides = 16;

double height_of(explain::Lane::Kind kind) {
  return kind == explain::Lane::Kind::kHost ? 26 : kind == explain::Lane::Kind::kCalls ? 14 : 22;
}

}  // namespace

void CompareLanes::set_comparison(std::shared_ptr<const explain::Comparison> comparison) {
  comparison_ = std::move(comparison);
  lanes_.clear();
  longest_ = 1;
  if (!comparison_) return;
  double top = 0;
  for (const bool traced : {false, true}) {
    const explain::Picture& picture = side(traced).picture;
    longest_ = std::max(longest_, picture.total);
    for (size_t i = 0; i < picture.lanes.size(); ++i) {
      if (i) top += kBetweenLanes;
      lanes_.push_back({traced, static_cast<int>(i), top, height_of(picture.lanes[i].kind)});
      top = lanes_.back().bottom();
      for (const explain::Piece& piece : picture.lanes[i].pieces) longest_ = std::max(longest_, piece.end);
    }
    top += kBetweenSides;
  }
}

const explain::Lane& CompareLanes::lane(const PlacedLane& placed) const {
  return side(placed.traced).picture.lanes[static_cast<size_t>(placed.lane)];
}

const explain::Piece& CompareLanes::piece(PieceAt at) const {
  return side(at.traced).picture.lanes[static_cast<size_t>(at.lane)].pieces[static_cast<size_t>(at.piece)];
}

int CompareLanes::index_of(bool traced, int lane) const {
  for (size_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i].traced == traced && lanes_[i].lane == lane) return static_cast<int>(i);
  return -1;
}

const PlacedLane* CompareLanes::placed(PieceAt at) const {
  const int i = at.valid() ? index_of(at.traced, at.lane) : -1;
  return i < 0 ? nullptr : &lanes_[static_cast<size_t>(i)];
}

std::pair<size_t, size_t> CompareLanes::between(const PlacedLane& placed, int64_t from, int64_t to) const {
  const std::vector<explain::Piece>& pieces = lane(placed).pieces;
  const auto last = std::upper_bound(pieces.begin(), pieces.end(), to,
                                     [](int64_t time, const explain::Piece& p) { return time < p.start; });
  auto first = std::lower_bound(pieces.begin(), last, from,
                                [](const explain::Piece& p, int64_t time) { return p.start < time; });
  // One that began before may reach in.
  if (first != pieces.begin() && std::prev(first)->end >= from) --first;
  return {static_cast<size_t>(first - pieces.begin()), static_cast<size_t>(last - pieces.begin())};
}

PieceAt CompareLanes::at(double y, int64_t time, int64_t slack) const {
  for (const PlacedLane& placed : lanes_) {
    if (y < placed.top - 2 || y > placed.bottom() + 2) continue;
    const auto [first, last] = between(placed, time - slack, time + slack);
    PieceAt best;
    int64_t least = INT64_MAX;
    for (size_t i = first; i < last; ++i) {
      const explain::Piece& p = lane(placed).pieces[i];
      const int64_t away = time < p.start ? p.start - time : time > p.end ? time - p.end : 0;
      if (away <= slack && away < least) least = away, best = {placed.traced, placed.lane, static_cast<int>(i)};
    }
    return best;
  }
  return {};
}

PieceAt CompareLanes::first() const {
  for (const PlacedLane& placed : lanes_)
    if (!lane(placed).pieces.empty()) return step({placed.traced, placed.lane, -1}, 1);
  return {};
}

PieceAt CompareLanes::step(PieceAt from, int by) const {
  const int i = index_of(from.traced, from.lane);
  if (i < 0) return {};
  const std::vector<explain::Piece>& pieces = lane(lanes_[static_cast<size_t>(i)]).pieces;
  const bool rows = std::any_of(pieces.begin(), pieces.end(), [](const explain::Piece& p) { return p.row >= 0; });
  for (int at = from.piece + by; at >= 0 && at < static_cast<int>(pieces.size()); at += by)
    if (!rows || pieces[static_cast<size_t>(at)].row >= 0) return {from.traced, from.lane, at};
  return from;
}

PieceAt CompareLanes::beside(PieceAt from, int by) const {
  if (!from.valid()) return first();
  const int64_t middle = (piece(from).start + piece(from).end) / 2;
  for (int i = index_of(from.traced, from.lane) + by; i >= 0 && i < static_cast<int>(lanes_.size()); i += by) {
    const PlacedLane& placed = lanes_[static_cast<size_t>(i)];
    const PieceAt found = at(placed.top + 1, middle, longest_);
    if (found.valid()) return found;
  }
  return from;
}

std::vector<PieceAt> CompareLanes::of_row(int row) const {
  std::vector<PieceAt> found;
  if (row < 0) return found;
  for (const PlacedLane& placed : lanes_) {
    const std::vector<explain::Piece>& pieces = lane(placed).pieces;
    for (size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i].row == row) found.push_back({placed.traced, placed.lane, static_cast<int>(i)});
  }
  return found;
}

std::vector<PieceAt> CompareLanes::kernels_of(const std::vector<PieceAt>& of_row, bool traced) const {
  std::vector<PieceAt> found;
  for (const explain::Share share : {explain::Share::kDeviceKernel, explain::Share::kHostKernel}) {
    for (const PieceAt at : of_row)
      if (at.traced == traced && piece(at).share == share) found.push_back(at);
    if (!found.empty()) break;
  }
  return found;
}

QString CompareLanes::name_of(const PlacedLane& placed) const {
  const explain::Lane& l = lane(placed);
  if (l.kind == explain::Lane::Kind::kCalls) return q(l.name);
  if (!l.busy) return q(l.name);
  // Python keeps the host as busy as ops do.
  const bool is_host = l.kind == explain::Lane::Kind::kHost;
  return QStringLiteral("%1, %2 %3 %")
      .arg(q(l.name), is_host ? QStringLiteral("ops") : QStringLiteral("busy"))
      .arg(std::lround(*l.busy * 100));
}

QString CompareLanes::gap_words(const explain::Piece& piece) const {
  if (piece.gap <= 0) return {};
  return QStringLiteral("%1 before it went into %2")
      .arg(time_words(static_cast<double>(piece.gap)), QLatin1String(explain::name_of(piece.gap_share)));
}

QString CompareLanes::describe(PieceAt at) const {
  const explain::Piece& p = piece(at);
  QString text = QStringLiteral("%1: %2, %3 to %4 (%5)")
                     .arg(q(side(at.traced).name), q(p.label), time_words(static_cast<double>(p.start)),
                          time_words(static_cast<double>(p.end)), time_words(static_cast<double>(p.end - p.start)));
  if (p.row < 0) text += QLatin1Char('\n') + QLatin1String(explain::meaning_of(p.share));
  else if (p.label != explain::name_of(p.share))
    text += QLatin1Char('\n') + QLatin1String(explain::name_of(p.share));
  if (const QString gap = gap_words(p); !gap.isEmpty()) text += QLatin1Char('\n') + gap;
  return text;
}

}  // namespace footlight::app
