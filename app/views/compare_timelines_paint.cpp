// Paints lanes, pieces, the lines between pieces of the selected row, the gap before the selected piece, and the axis.
#include "app/models/compare_facts.h"
#include "app/models/text.h"
#include "app/models/timeline.h"
#include "app/views/compare_timelines.h"
#include "app/views/compare_timelines_sizes.h"
#include "app/views/paint.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

using explain::Share;
constexpr double kTextFrom = 22;      // least width of a piece with text
constexpr size_t kMaxLines = 200;

bool runs_op(const explain::Piece& p) {
  return p.share == Share::kHostKernel || p.share == Share::kDeviceKernel || p.share == Share::kDeviceCopy;
}

}  // namespace

bool CompareTimelines::is_quiet(const explain::Piece& p) const {
  return !runs_op(p) && p.share != Share::kLaunch && p.share != Share::kTracing && p.share != Share::kMachineCode;
}

bool CompareTimelines::belongs(const explain::Piece& p) const {
  if (!part_) return true;
  const auto one = [&](const explain::Part& part) {
    const bool kernel = p.share == Share::kHostKernel || p.share == Share::kDeviceKernel;
    if (part.kind == explain::Part::Kind::kShare) return part.share == p.share;
    if (part.kind == explain::Part::Kind::kCall) return p.share == Share::kDispatch;
    if (!kernel) return false;
    const bool known = p.row >= 0 && static_cast<size_t>(p.row) < lanes_.comparison()->rows.size();
    return part.group == (known ? lanes_.comparison()->rows[static_cast<size_t>(p.row)].group : explain::Group::kSame);
  };
  if (part_->kind != explain::Part::Kind::kOthers) return one(*part_);
  return std::any_of(part_->joined.begin(), part_->joined.end(), one);
}

QColor CompareTimelines::color_of(const explain::Piece& p) const {
  const Theme& t = theme();
  switch (p.share) {
    case Share::kPython: return t["edge"];
    case Share::kConversion: return t["greyFill"];
    case Share::kLaunch: return t["pinkFill"];
    case Share::kAllocation: return t["tealFill"];
    case Share::kHostKernel:
    case Share::kDeviceKernel:
    case Share::kDeviceCopy: {
      const auto [known, added] = families_.try_emplace({p.row, p.label});
      if (added) known->second = family_of(*document_, *lanes_.comparison(), p);
      return t.family_fill(known->second);
    }
    case Share::kTracing: return t["amberFill"];
    case Share::kMachineCode: return t["pinkFill"];
    case Share::kInput: return t["greenFill"];
    case Share::kGuards: return t["amberFill"];
    case Share::kDispatch: return t["hairline"];
    default: return t["raised"];
  }
}

void CompareTimelines::draw_piece(QPainter& painter, const explain::Piece& p, const QRectF& rect) const {
  const Theme& t = theme();
  painter.setOpacity(belongs(p) ? 1 : 0.25);
  const QColor fill = color_of(p);
  if (rect.width() >= 5) {
    rounded(painter, rect, std::min(3.0, rect.width() / 4), fill,
            p.share == Share::kUnexplained || p.share == Share::kWaiting ? t["edge"] : QColor());
  } else {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(rect, fill);
  }
  if (rect.width() > kTextFrom && rect.height() > 16) {
    const QFont font = t.ui(-2, QFont::Medium);
    const QString label = q(p.label);
    const double room = rect.width() - 8;
    const bool fits = QFontMetricsF(font).horizontalAdvance(label) <= room;
    if (fits || room > 36)
      text_in(painter, rect.adjusted(4, 0, -4, 0), label, t[is_quiet(p) ? "text" : "onFill"], font,
              fits ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter);
  }
  painter.setOpacity(1);
}

void CompareTimelines::draw_lane(QPainter& painter, const PlacedLane& placed) const {
  const Theme& t = theme();
  const double y = timelines::kTop + placed.top;
  if (placed.lane == 0) {
    text_in(painter, QRectF(12, y - 3, timelines::kLabels - 18, 17), q(lanes_.side(placed.traced).name), t["text"],
            t.ui(0, QFont::DemiBold));
    text_in(painter, QRectF(12, y + 13, timelines::kLabels - 18, 15), lanes_.name_of(placed), t["faint"], t.ui(-2));
  } else {
    text_in(painter, QRectF(12, y, timelines::kLabels - 18, placed.height), lanes_.name_of(placed), t["faint"],
            t.ui(-2));
  }
  const auto [first, last] = lanes_.between(placed, from_, to_);
  const std::vector<explain::Piece>& pieces = lanes_.lane(placed).pieces;
  double painted_to = -1;
  for (size_t i = first; i < last; ++i) {
    const QRectF rect = rect_of({placed.traced, placed.lane, static_cast<int>(i)});
    // Draws only the first of many pieces in one pixel.
    if (rect.isEmpty() || (rect.width() <= 1 && rect.left() < painted_to)) continue;
    draw_piece(painter, pieces[i], rect.width() > 4 ? rect.adjusted(0, 0, -1, 0) : rect);
    painted_to = std::floor(rect.left()) + 1;
  }
}

// Draws a line from each eager kernel of the row to the traced one that is next to it in order.
void CompareTimelines::draw_lines(QPainter& painter) const {
  if (row_ < 0) return;
  const Theme& t = theme();
  const auto visible = [this](const std::vector<PieceAt>& pieces) {
    std::vector<QRectF> rects;
    for (const PieceAt at : pieces)
      if (const QRectF rect = rect_of(at); !rect.isEmpty()) rects.push_back(rect);
    return rects;
  };
  const std::vector<QRectF> left = visible(lanes_.kernels_of(of_row_, false));
  const std::vector<QRectF> right = visible(lanes_.kernels_of(of_row_, true));
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(with_alpha(t["text"], 0.65), 1.2));
  const size_t lines = right.empty() || left.empty() ? 0 : std::min(kMaxLines, std::max(left.size(), right.size()));
  for (size_t i = 0; i < lines; ++i) {
    const QRectF& from = left[i * left.size() / lines];
    const QRectF& to = right[i * right.size() / lines];
    painter.drawLine(QPointF(from.center().x(), from.bottom()), QPointF(to.center().x(), to.top()));
  }
  for (const QRectF& rect : visible(of_row_)) rounded(painter, rect.adjusted(-1, -1, 1, 1), 4, {}, t["text"], 1.2);
}

void CompareTimelines::draw_gap(QPainter& painter) const {
  if (!chosen_.valid()) return;
  const explain::Piece& p = lanes_.piece(chosen_);
  const PlacedLane* placed = lanes_.placed(chosen_);
  if (p.gap <= 0 || !placed || p.start < from_ || p.start - p.gap > to_) return;
  const Theme& t = theme();
  const double left = std::max(x_of(p.start - p.gap), timelines::kLabels), right = x_of(p.start);
  const double y = timelines::kTop + placed->bottom() + 2.5;
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(t["amber"], 1.4));
  painter.drawLine(QPointF(left, y), QPointF(right, y));
  for (const double x : {left, right}) painter.drawLine(QPointF(x, y - 3), QPointF(x, y + 3));
}

void CompareTimelines::draw_axis(QPainter& painter) const {
  const Theme& t = theme();
  const double room = width() - timelines::kLabels - timelines::kRight;
  const int64_t step = nice_step(static_cast<double>(to_ - from_) / std::max(1.0, room / 110));
  const double bottom = timelines::kTop + lanes_.height() + 4;
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (int64_t at = (from_ + step - 1) / step * step; at <= to_; at += step) {
    const double x = std::round(x_of(at));
    painter.setPen(with_alpha(t["hairline"], 0.7));
    painter.drawLine(QPointF(x, timelines::kTop), QPointF(x, bottom));
    const double scale = step >= 1'000'000'000 ? 1e9 : step >= 1'000'000 ? 1e6 : step >= 1000 ? 1e3 : 1;
    const char* unit = scale == 1e9 ? "s" : scale == 1e6 ? "ms" : scale == 1e3 ? "us" : "ns";
    const QString text = count_text(static_cast<uint64_t>(static_cast<double>(at) / scale)) + QLatin1Char(' ') +
                         QLatin1String(unit);
    text_in(painter, QRectF(std::min(x - 40, width() - 84.0), bottom, 80, 18), text, t["faint"], t.ui(-2),
            Qt::AlignCenter);
  }
}

void CompareTimelines::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (lanes_.empty()) {
    text_in(painter, rect(), QStringLiteral("No repetition with events was completed."), theme()["faint"], theme().ui(),
            Qt::AlignCenter);
    return;
  }
  const Theme& t = theme();
  draw_axis(painter);
  const PlacedLane* before = nullptr;
  for (const PlacedLane& placed : lanes_.lanes()) {
    if (before && before->traced != placed.traced) {
      const double y = std::round(timelines::kTop + (before->bottom() + placed.top) / 2);
      painter.setRenderHint(QPainter::Antialiasing, false);
      painter.setPen(t["hairline"]);
      painter.drawLine(QPointF(12, y), QPointF(width() - 12, y));
    }
    draw_lane(painter, placed);
    before = &placed;
  }
  painter.setClipRect(QRectF(timelines::kLabels - 2, 0, width() - timelines::kLabels + 2, height()));
  draw_lines(painter);
  draw_gap(painter);
  if (hovered_.valid()) rounded(painter, rect_of(hovered_).adjusted(-1, -1, 1, 1), 4, {}, with_alpha(t["text"], 0.5));
  if (const QRectF at = rect_of(chosen_); !at.isEmpty())
    rounded(painter, at.adjusted(-2, -2, 2, 2), 5, {}, t["amber"], 1.8);
  painter.setClipping(false);
  focus_ring(painter, this);
}

}  // namespace footlight::app
