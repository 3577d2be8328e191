// How the timeline draws: the axis, the track labels, wide bars with text, sub-pixel columns into an image.
#include "app/models/text.h"
#include "app/views/paint.h"
#include "app/views/timeline_canvas.h"

#include <QPaintEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kLabels = 132, kAxis = 26;
constexpr double kTextFrom = 16;   // least width of a bar with text
constexpr int64_t kLongGap = 100'000'000;  // drawn without room for its name, too

// A row of columns, each with its colour and busy share.
void draw_image(QPainter& painter, const std::vector<float>& cover, const std::vector<QRgb>& paint,
                const QRectF& where) {
  if (std::none_of(cover.begin(), cover.end(), [](float c) { return c > 0; })) return;
  QImage image(static_cast<int>(cover.size()), static_cast<int>(where.height()), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  auto* first_row = reinterpret_cast<QRgb*>(image.scanLine(0));
  for (size_t c = 0; c < cover.size(); ++c) {
    if (cover[c] <= 0) continue;
    // Keep even a single short event visible: at least a third of the full opacity.
    const int alpha = static_cast<int>(255 * std::clamp(0.34f + 0.66f * cover[c], 0.f, 1.f));
    first_row[c] = qPremultiply(qRgba(qRed(paint[c]), qGreen(paint[c]), qBlue(paint[c]), alpha));
  }
  for (int r = 1; r < image.height(); ++r)
    memcpy(image.scanLine(r), first_row, static_cast<size_t>(image.width()) * sizeof(QRgb));
  if (std::abs(where.width() - image.width()) < 0.5) {
    painter.drawImage(QPointF(std::round(where.left()), where.top()), image);
  } else {
    painter.drawImage(where, image);
  }
}

}  // namespace

namespace {
// A multiple of `unit`, itself a power of ten, in seconds or milliseconds with all its digits.
QString exact_time(int64_t ns, int64_t unit) {
  const bool seconds = ns >= 1'000'000'000;
  int decimals = seconds ? 9 : 6;
  for (int64_t u = unit; u >= 10 && decimals > 0; u /= 10) --decimals;
  return QString::number(static_cast<double>(ns) / (seconds ? 1e9 : 1e6), 'f', decimals) +
         (seconds ? QStringLiteral(" s") : QStringLiteral(" ms"));
}
}  // namespace

void TimelineCanvas::draw_axis(QPainter& painter) const {
  const Theme& t = theme();
  const double room = width() - kLabels;
  const int64_t step = nice_step(static_cast<double>(to_ - from_) / std::max(1.0, room / 96));
  const int64_t zero = range_.first;
  int64_t at = (from_ - zero) / step * step;
  if (at < from_ - zero) at += step;
  painter.setRenderHint(QPainter::Antialiasing, false);
  // Far from zero, ticks count from a base that stands before them: 12.345 s + 200 ns.
  int64_t round = 1;
  while (round < to_ - from_) round *= 10;
  const int64_t base = from_ - zero >= 10 * round ? (from_ - zero) / round * round : 0;
  if (base > 0) {
    text_in(painter, QRectF(kLabels - 110, scroll_, 100, 22), exact_time(base, round) + QStringLiteral(" +"), t["dim"],
            t.ui(-2), Qt::AlignRight | Qt::AlignVCenter);
  }
  const double scale = step >= 1'000'000'000 ? 1e9 : step >= 1'000'000 ? 1e6 : step >= 1000 ? 1e3 : 1;
  const char* unit = scale == 1e9 ? "s" : scale == 1e6 ? "ms" : scale == 1e3 ? "us" : "ns";
  for (; at <= to_ - zero; at += step) {
    const double x = x_of(zero + at);
    painter.setPen(with_alpha(t["hairline"], 0.7));
    painter.drawLine(QPointF(x, kAxis + scroll_ - 4), QPointF(x, height()));
    const int64_t shown = at - base;
    QString text = count_text(static_cast<uint64_t>(std::abs(shown) / static_cast<int64_t>(scale)));
    if (shown < 0) text.prepend(QLatin1Char('-'));
    else if (base > 0) text.prepend(QLatin1Char('+'));
    const double left = std::clamp(x - 40, kLabels - 8, width() - 80.0);
    text_in(painter, QRectF(left, scroll_, 80, 22), text + QLatin1Char(' ') + QLatin1String(unit), t["faint"],
            t.ui(-2), Qt::AlignCenter);
  }
}

void TimelineCanvas::draw_bookmarks(QPainter& painter) const {
  const QColor blue = theme()["blue"];
  for (const Bookmark& b : bookmarks_.all()) {
    const double x = x_of(range_.first + b.time);
    if (x < kLabels || x > width()) continue;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(blue);
    const double y = scroll_ + 12;
    painter.drawPolygon(QPolygonF({{x, y}, {x + 9, y + 4}, {x, y + 8}}));
    painter.fillRect(QRectF(x - 0.5, y, 1, height() - y), with_alpha(blue, 0.5));
  }
}

// The range between the two marks, and how long it is.
void TimelineCanvas::draw_marked(QPainter& painter) const {
  if (!has_marked_range() || mark_to_ < from_ || mark_from_ > to_) return;
  const Theme& t = theme();
  const QColor blue = t["blue"];
  const double left = std::max(kLabels, x_of(mark_from_)), right = std::min<double>(width(), x_of(mark_to_));
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (const int64_t edge : {mark_from_, mark_to_}) {
    const double x = x_of(edge);
    const double y = scroll_ + kAxis - 6;
    if (x >= kLabels && x <= width()) painter.fillRect(QRectF(x - 0.5, y, 1, height() - y), blue);
  }
  const QString text = QString::fromUtf8("\u0394 ") + duration_text(mark_to_ - mark_from_);
  const QFont font = t.ui(-1, QFont::DemiBold);
  const double wide = QFontMetricsF(font).horizontalAdvance(text) + 16;
  const double middle = std::clamp((left + right) / 2, kLabels + wide / 2, std::max(kLabels, width() - wide / 2));
  const QRectF box(middle - wide / 2, scroll_ + 2, wide, 19);
  if (right - left > wide + 16) {
    painter.fillRect(QRectF(left, scroll_ + 11, box.left() - left, 1), blue);
    painter.fillRect(QRectF(box.right(), scroll_ + 11, right - box.right(), 1), blue);
  }
  rounded(painter, box, 4, t["raised"], blue, 1);
  text_in(painter, box, text, t["text"], font, Qt::AlignCenter);
}

void TimelineCanvas::draw_gaps(QPainter& painter, size_t index) const {
  const double y = row_top(index, 0), tall = lane_height(picture_.tracks[index].key.kind);
  const QFont font = theme().ui(-2);
  for (const Gap& gap : gaps_of(index)) {
    const double room = gap.right - gap.left - 4;
    const QRectF box(gap.left + 2, y + 2, room, tall - 4);
    // Draws as much of its name as fits; the tip has all of it.
    const QString all = gap_text(index, gap), length = duration_text(gap.to - gap.from);
    const auto fits = [&](const QString& text) { return QFontMetricsF(font).horizontalAdvance(text) <= room - 4; };
    const QString text = fits(all) ? all : fits(length) ? length : QString();
    if (text.isEmpty() && gap.to - gap.from < kLongGap) continue;
    rounded(painter, box, 3, {}, theme()["hairline"], 1);
    text_in(painter, box, text, theme()["faint"], font, Qt::AlignCenter);
  }
}

QColor TimelineCanvas::color_of(query::TrackKind kind, uint16_t look) const {
  const Theme& t = theme();
  switch (kind) {
    case query::TrackKind::kCalls:
      switch (CallOutcome(look)) {
        case CallOutcome::kTrace: return t["amberFill"];
        case CallOutcome::kHit: return t["tealFill"];
        case CallOutcome::kEager: return t["blueFill"];
        case CallOutcome::kFailed: return t["redFill"];
        default: break;
      }
      return t["greyFill"];
    case query::TrackKind::kTracedOps:
    case query::TrackKind::kEagerOps: return t.family_fill(document_->op(session::OpNumber(look)).family);
    case query::TrackKind::kSpans: return t[look == query::kWaitLook ? "greyFill" : "greenFill"];
    case query::TrackKind::kKernels: return t["violetFill"];
    case query::TrackKind::kCopies: return t["tealFill"];
    case query::TrackKind::kApi: return t["greyFill"];
  }
  return t["greyFill"];
}

// The sub-pixel bars of a lane: the columns of the picture, stretched if the view has moved. Calls inside of phases lie
// in the row below those.
void TimelineCanvas::draw_columns(QPainter& painter, size_t index, size_t number) const {
  const query::TrackPicture& track = picture_.tracks[index];
  const query::LanePicture& lane = track.lanes[number];
  const double per = static_cast<double>(picture_.to - picture_.from) / picture_.columns;
  const auto column = [&](int64_t time) {
    return static_cast<double>(time - picture_.from) / per;
  };
  const int most = static_cast<int>(lane.cover.size());
  const int first = std::clamp(static_cast<int>(std::floor(column(from_) + 1e-6)), 0, most),
            last = std::clamp(static_cast<int>(std::ceil(column(to_) - 1e-6)), first, most);
  if (first == last) return;
  const PhaseRows& phases = phases_of(track.key);
  const auto count = static_cast<size_t>(last - first);
  std::map<size_t, std::vector<float>> covers;  // indexed by row
  std::vector<QRgb> paint(count, 0), colors;
  std::vector<bool> known;
  for (size_t c = 0; c < count; ++c) {
    const size_t at = static_cast<size_t>(first) + c;
    if (lane.cover[at] <= 0) continue;
    const double start = static_cast<double>(picture_.from) + static_cast<double>(at) * per;
    std::vector<float>& cover = covers[phases.empty() ? number : row_of_column(phases, number, start, start + per)];
    cover.resize(count, 0.f);
    cover[c] = lane.cover[at];
    const size_t look = lane.look[at];
    if (known.size() <= look) known.resize(look + 1), colors.resize(look + 1);
    if (!known[look]) known[look] = true, colors[look] = color_of(track.key.kind, static_cast<uint16_t>(look)).rgb();
    paint[c] = colors[look];
  }
  const double left = x_of(picture_.from + static_cast<int64_t>(first * per)),
               right = x_of(picture_.from + static_cast<int64_t>(last * per)), tall = lane_height(track.key.kind);
  for (const auto& [row, cover] : covers) {
    if (row >= rows_of(index)) continue;
    const double y = row_top(index, row);
    painter.save();
    painter.setClipRect(QRectF(kLabels, y, width() - kLabels, tall), Qt::IntersectClip);
    draw_image(painter, cover, paint, QRectF(left, y, right - left, tall));
    painter.restore();
  }
}

void TimelineCanvas::draw_bar(QPainter& painter, int64_t start, int64_t end, double y, double tall,
                              const QColor& color, const QString& text) const {
  if (end < from_ || start > to_) return;
  const double left = std::max(x_of(start), kLabels - 4), right = std::min(x_of(end), width() + 4.0);
  const QRectF bar(left, y, std::max(1.0, right - left - (right - left > 4 ? 1 : 0)), tall);
  if (bar.width() >= 6) {
    rounded(painter, bar, std::min(3.0, bar.width() / 4), color);
  } else {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(bar, color);
  }
  if (bar.width() <= kTextFrom) return;
  const Theme& t = theme();
  const double inner = bar.width() - 10;
  const QFont font = t.ui(-2, QFont::Medium);
  // If the text does not fit, draw its first letter if that fits.
  // One letter would say nothing.
  const bool fits = QFontMetricsF(font).horizontalAdvance(text) <= inner;
  if (fits || inner > 42) text_in(painter, bar.adjusted(5, 0, -3, 0), text, t["onFill"], font);
}

void TimelineCanvas::draw_label(QPainter& painter, size_t index) const {
  const Theme& t = theme();
  const query::TrackKey& key = picture_.tracks[index].key;
  const double top = track_top(index);
  const bool is_folded = order_.is_folded(key);
  const TrackTitle words = title_of(key, overlays_);
  if (order_.is_pinned(key))
    painter.fillRect(QRectF(0, top + 7, 3, is_folded ? track_height(index) - 14 : 32), t["blue"]);
  const QRectF mark = fold_mark(index);
  const double left = order_.is_pinned(key) ? 8 : 0, right = mark.isNull() ? kLabels - 12 : mark.left() - 2;
  text_in(painter, QRectF(left, top + 5, right - left, 19), words.title, t["text"], t.ui(0, QFont::DemiBold));
  if (!is_folded)
    text_in(painter, QRectF(left, top + 22, kLabels - 12 - left, 17), words.subtitle, t["faint"], t.ui(-2));
  if (mark.isNull()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(Qt::NoPen);
  painter.setBrush(t["dim"]);
  const QPointF c = mark.center();
  painter.drawPolygon(is_folded ? QPolygonF({{c.x() - 3, c.y() - 4}, {c.x() + 3, c.y()}, {c.x() - 3, c.y() + 4}})
                                : QPolygonF({{c.x() - 4, c.y() - 3}, {c.x() + 4, c.y() - 3}, {c.x(), c.y() + 3}}));
  painter.restore();
}

void TimelineCanvas::draw_track(QPainter& painter, size_t index) const {
  const query::TrackPicture& track = picture_.tracks[index];
  const query::TrackKind kind = track.key.kind;
  const double top = track_top(index), height = track_height(index);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(theme()["hairline"]);
  painter.drawLine(QPointF(0, top + height - 0.5), QPointF(width(), top + height - 0.5));
  draw_label(painter, index);
  // Bars that reach out of the view are cut off at its edge.
  painter.save();
  painter.setClipRect(QRectF(kLabels, top, width() - kLabels, height), Qt::IntersectClip);
  const size_t rows = rows_of(index);
  for (size_t l = 0; l < track.lanes.size(); ++l) {
    const query::LanePicture& lane = track.lanes[l];
    if (!lane.cover.empty()) draw_columns(painter, index, l);
    for (const query::Bar& bar : lane.bars) {
      if (bar.end < from_ || bar.start > to_) continue;
      const Placed placed = placed_bar(track, l, bar);
      const size_t row = row_of(placed);
      if (row < rows)
        draw_bar(painter, bar.start, bar.end, row_top(index, row), lane_height(kind), color_of(kind, bar.look),
                 bar_text(kind, bar, placed.name));
    }
  }
  draw_phases(painter, index);
  draw_gaps(painter, index);
  painter.restore();
}

// The phases of tracing, each in its row.
void TimelineCanvas::draw_phases(QPainter& painter, size_t index) const {
  const PhaseRows& rows = phases_of(picture_.tracks[index].key);
  const double tall = lane_height(query::TrackKind::kCalls);
  const int columns = std::max(1, width() - static_cast<int>(kLabels));
  const double per_pixel = static_cast<double>(to_ - from_) / columns;
  for (size_t row = 0; row < std::min(rows.size(), rows_of(index)); ++row) {
    const double y = row_top(index, row);
    std::vector<float> cover(static_cast<size_t>(columns), 0.f);
    std::vector<QRgb> paint(static_cast<size_t>(columns), 0);
    std::vector<int64_t> longest(static_cast<size_t>(columns), -1);
    for (const query::TraceSpan& phase : rows[row]) {
      if (phase.end < from_ || phase.start > to_) continue;
      const QColor color =
          theme().color(QLatin1String(phase_tone(*document_, phase)) + QStringLiteral("Fill"));
      const int64_t length = phase.end - phase.start;
      if (static_cast<double>(length) >= per_pixel * 1.5) {
        draw_bar(painter, phase.start, phase.end, y, tall, color, phase_name(*document_, phase));
        continue;
      }
      const auto column = [&](int64_t time) {
        return std::clamp(static_cast<int>(static_cast<double>(time - from_) / per_pixel), 0, columns - 1);
      };
      const int first = column(phase.start), last = std::max(first, column(phase.end));
      for (int c = first; c <= last; ++c) {
        const auto at = static_cast<size_t>(c);
        cover[at] += static_cast<float>(static_cast<double>(length) / per_pixel / (last - first + 1));
        if (length >= longest[at]) longest[at] = length, paint[at] = color.rgb();
      }
    }
    draw_image(painter, cover, paint, QRectF(kLabels, y, columns, tall));
  }
}

// Ticks above the track wherever an op event of the selection or the table's row ran, and rings around those that are
// wide enough.
void TimelineCanvas::draw_matches(QPainter& painter, size_t index) const {
  const query::TrackPicture& track = picture_.tracks[index];
  const auto lit = matches_.columns.find(track.key);
  if (lit == matches_.columns.end()) return;
  const QColor color = theme()["amber"];
  const double top = track_top(index);
  const double per = static_cast<double>(matches_.to - matches_.from) / static_cast<double>(lit->second.size());
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (size_t c = 0; c < lit->second.size();) {
    size_t end = c;
    while (end < lit->second.size() && lit->second[end]) ++end;
    const double left = x_of(matches_.from + static_cast<int64_t>(static_cast<double>(c) * per));
    const double right = x_of(matches_.from + static_cast<int64_t>(static_cast<double>(end) * per));
    if (end > c && right >= kLabels && left <= width())
      painter.fillRect(QRectF(std::max(kLabels, left), top + 2, std::max(1.0, right - std::max(kLabels, left)), 4),
                       color);
    c = end + 1;
  }
  for (const query::LanePicture& lane : track.lanes) {
    for (const query::Bar& bar : lane.bars) {
      if (bar.end < from_ || bar.start > to_) continue;
      if (!std::binary_search(matches_.wide.begin(), matches_.wide.end(), bar.row)) continue;
      const Placed placed{track.key, static_cast<int>(&lane - track.lanes.data()), bar, {}};
      if (row_of(placed) >= rows_of(index)) continue;
      if (const auto rect = rect_of(placed)) rounded(painter, rect->adjusted(-1.5, -1.5, 1.5, 1.5), 4, {}, color, 1.4);
    }
  }
}

// Draws lines from the selected op to the calls that launched its work, and to that work.
void TimelineCanvas::draw_flow(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme()["blue"], 1.4));
  for (size_t i = 1; i < flow_.size(); ++i) {
    const auto from = rect_of(flow_[i - 1]), to = rect_of(flow_[i]);
    if (!from || !to || to->right() < kLabels || from->left() > width()) continue;
    const QPointF start(std::max(kLabels, from->center().x()), from->bottom());
    const QPointF end(std::max(kLabels, to->left()), to->center().y());
    QPainterPath path(start);
    const double half = (start.y() + end.y()) / 2;
    path.cubicTo(QPointF(start.x(), half), QPointF(end.x(), half), end);
    painter.drawPath(path);
  }
}

// Marks where op events were lost: a red hatch over the ops of their thread.
void TimelineCanvas::draw_losses(QPainter& painter) const {
  if (overlays_.losses.empty()) return;
  const QColor red = theme()["red"];
  for (size_t i = 0; i < picture_.tracks.size(); ++i) {
    const query::TrackKey& key = picture_.tracks[i].key;
    if (!query::is_ops(key.kind)) continue;
    const double top = track_top(i) + 2, tall = track_height(i) - 4;
    double reached = -1;  // many losses may share a pixel
    for (const query::Loss& loss : overlays_.losses) {
      if (loss.from > to_) break;
      if (loss.thread != key.number || loss.to < from_) continue;
      const double left = std::max(kLabels, x_of(loss.from)), right = std::max(left + 2, x_of(loss.to));
      if (right <= reached) continue;
      reached = right;
      painter.fillRect(QRectF(left, top, right - left, tall), with_alpha(red, 0.16));
      painter.fillRect(QRectF(left, top, right - left, tall), QBrush(with_alpha(red, 0.8), Qt::BDiagPattern));
    }
  }
}

void TimelineCanvas::draw_tracks(QPainter& painter, const QRectF& where, bool pinned) const {
  for (size_t i = 0; i < picture_.tracks.size(); ++i) {
    const double top = track_top(i);
    if (order_.is_pinned(picture_.tracks[i].key) != pinned) continue;
    if (top > where.bottom() || top + track_height(i) < where.top()) continue;
    draw_track(painter, i);
    draw_matches(painter, i);
  }
}

void TimelineCanvas::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  const Theme& t = theme();
  const QRectF dirty(event->rect());
  painter.fillRect(dirty, t["window"]);
  if (!document_ || (picture_.tracks.empty() && !area_count())) return;
  const auto fill_marked = [&] {
    const double left = std::max(kLabels, x_of(mark_from_)), right = x_of(mark_to_);
    if (!has_marked_range() || right <= left) return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(left, scroll_ + kAxis - 4, right - left, height() - kAxis), with_alpha(t["blue"], 0.16));
  };
  draw_axis(painter);
  draw_bookmarks(painter);
  fill_marked();
  painter.setClipRect(QRectF(0, 0, width(), height()));
  draw_tracks(painter, dirty, false);
  const std::vector<Area> all_areas = areas();
  for (size_t i = 0; i < all_areas.size(); ++i) draw_area(painter, i, all_areas[i]);
  const auto ring = [&](const Placed& bar, double room, double radius, const QColor& color, double wide) {
    if (bar.bar.end < from_ || bar.bar.start > to_) return;
    if (const auto rect = rect_of(bar))
      rounded(painter, rect->adjusted(-room, -room, room, room), radius, {}, color, wide);
  };
  // An outline is open where its bar reaches out of the view.
  const auto draw_rings = [&](bool pinned) {
    painter.save();
    painter.setClipRect(QRectF(kLabels, 0, width() - kLabels, height()), Qt::IntersectClip);
    if (hovered_.valid() && order_.is_pinned(placed_of(hovered_).track) == pinned)
      ring(placed_of(hovered_), 1, 4, with_alpha(t["text"], 0.5), 1);
    if (selected_ && order_.is_pinned(selected_->track) == pinned) ring(*selected_, 2, 5, t["text"], 1.8);
    painter.restore();
  };
  draw_rings(false);
  // The head stays where it is while the rest scrolls below it.
  const QRectF head(0, scroll_, width(), head_height());
  if (scroll_ > 0) {
    painter.save();
    painter.setClipRect(head, Qt::IntersectClip);
    painter.fillRect(head, t["window"]);
    draw_axis(painter);
    draw_bookmarks(painter);
    fill_marked();
    painter.restore();
  }
  draw_tracks(painter, head, true);
  draw_rings(true);
  draw_losses(painter);
  painter.save();
  painter.setClipRect(QRectF(kLabels, 0, width() - kLabels, height()), Qt::IntersectClip);
  draw_flow(painter);
  painter.restore();
  draw_marked(painter);
  if (order_.hidden())
    text_in(painter, QRectF(0, scroll_ + 2, kLabels - 12, 20),
            counted(order_.hidden(), "hidden track", "hidden tracks"), t["blue"], t.ui(-2));
  if (hasFocus())
    rounded(painter, QRectF(rect()).adjusted(kLabels - 2, 1, -1, -1), 4, {}, with_alpha(t["focus"], 0.3), 1);
}

}  // namespace footlight::app
