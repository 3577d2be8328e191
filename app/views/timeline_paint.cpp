// How the timeline draws: the axis, the track labels, wide bars with text, sub-pixel columns into an image.
#include "app/models/text.h"
#include "app/views/paint.h"
#include "app/views/timeline_canvas.h"

#include <QPaintEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kLabels = 132, kAxis = 26, kPad = 8;
constexpr double kTextFrom = 16;   // a bar this wide gets a word

// One row of pixels per lane: how much of each was busy, and with what.
struct Columns {
  std::vector<float> cover;
  std::vector<QRgb> paint;
  std::vector<float> longest;
  explicit Columns(int width)
      : cover(static_cast<size_t>(width), 0.f),
        paint(static_cast<size_t>(width), 0),
        longest(static_cast<size_t>(width), 0.f) {}
};

}  // namespace

void TimelineCanvas::draw_axis(QPainter& painter) const {
  const Theme& t = theme();
  const double room = width() - kLabels;
  const int64_t step = nice_step(static_cast<double>(to_ - from_) / std::max(1.0, room / 96));
  const int64_t zero = data_->first;
  int64_t at = (from_ - zero) / step * step;
  if (at < from_ - zero) at += step;
  painter.setRenderHint(QPainter::Antialiasing, false);
  const double scale = step >= 1'000'000'000 ? 1e9 : step >= 1'000'000 ? 1e6 : step >= 1000 ? 1e3 : 1;
  const char* unit = scale == 1e9 ? "s" : scale == 1e6 ? "ms" : scale == 1e3 ? "us" : "ns";
  for (; at <= to_ - zero; at += step) {
    const double x = x_of(zero + at);
    painter.setPen(with_alpha(t["hairline"], 0.7));
    painter.drawLine(QPointF(x, kAxis - 4), QPointF(x, height()));
    QString text = QString::number(static_cast<double>(at) / scale, 'f', 0);
    text = count_text(static_cast<uint64_t>(std::abs(at) / static_cast<int64_t>(scale)));
    if (at < 0) text.prepend(QLatin1Char('-'));
    const double left = std::clamp(x - 40, kLabels - 8, width() - 80.0);
    text_in(painter, QRectF(left, 0, 80, 22), text + QLatin1Char(' ') + QLatin1String(unit), t["faint"],
            t.ui(-2), Qt::AlignCenter);
  }
}

void TimelineCanvas::draw_track(QPainter& painter, size_t index, const std::vector<QColor>& paints) const {
  const Theme& t = theme();
  const Track& track = data_->tracks[index];
  const double top = track_top(index), height = track_height(track);
  const int columns = std::max(1, width() - static_cast<int>(kLabels));
  const double per_pixel = static_cast<double>(to_ - from_) / columns;
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(t["hairline"]);
  painter.drawLine(QPointF(0, top + height - 0.5), QPointF(width(), top + height - 0.5));
  text_in(painter, QRectF(0, top + 5, kLabels - 12, 19), track.title, t["text"], t.ui(0, QFont::DemiBold));
  text_in(painter, QRectF(0, top + 22, kLabels - 12, 17), track.subtitle, t["faint"], t.ui(-2));
  const double lane_tall = lane_height(track);
  for (size_t l = 0; l < track.lanes.size(); ++l) {
    const Lane& lane = track.lanes[l];
    const double y = top + kPad + static_cast<double>(l) * (lane_tall + 3);
    Columns narrow(columns);
    bool any = false;
    std::vector<size_t> wide;
    lane.visit(
        from_, to_, per_pixel * 1.5, [&](size_t i) { wide.push_back(i); },
        [&](const SpanGroup& g) {
          any = true;
          const Span& dominant = lane.spans()[g.dominant];
          // A group is at most a pixel and a half long: it touches one or two columns.
          const double begin = static_cast<double>(g.start - from_) / per_pixel,
                       end = static_cast<double>(g.end - from_) / per_pixel;
          const int first = std::clamp(static_cast<int>(begin), 0, columns - 1),
                    last = std::clamp(static_cast<int>(end), first, columns - 1);
          const float each = static_cast<float>(static_cast<double>(g.busy) / per_pixel / (last - first + 1));
          const float length = static_cast<float>(dominant.end - dominant.start);
          for (int c = first; c <= last; ++c) {
            const size_t at = static_cast<size_t>(c);
            narrow.cover[at] += each;
            if (length >= narrow.longest[at]) {
              narrow.longest[at] = length;
              narrow.paint[at] = paints[dominant.paint].rgb();
            }
          }
        });
    if (any) {
      const int tall = static_cast<int>(lane_tall);
      QImage image(columns, tall, QImage::Format_ARGB32_Premultiplied);
      image.fill(Qt::transparent);
      auto* first_row = reinterpret_cast<QRgb*>(image.scanLine(0));
      for (int c = 0; c < columns; ++c) {
        const float cover = narrow.cover[static_cast<size_t>(c)];
        if (cover <= 0) continue;
        // Even a lone short event is seen: at least a third of full strength.
        const int alpha = static_cast<int>(255 * std::clamp(0.34f + 0.66f * cover, 0.f, 1.f));
        const QRgb paint = narrow.paint[static_cast<size_t>(c)];
        first_row[c] = qPremultiply(qRgba(qRed(paint), qGreen(paint), qBlue(paint), alpha));
      }
      for (int r = 1; r < tall; ++r) memcpy(image.scanLine(r), first_row, static_cast<size_t>(columns) * sizeof(QRgb));
      painter.drawImage(QPointF(kLabels, y), image);
    }
    for (size_t i : wide) {
      const Span& s = lane.spans()[i];
      const double left = std::max(x_of(s.start), kLabels - 4), right = std::min(x_of(s.end), width() + 4.0);
      const QRectF bar(left, y, std::max(1.0, right - left - (right - left > 4 ? 1 : 0)), lane_tall);
      QColor color = paints[s.paint];
      if (bar.width() >= 6) {
        rounded(painter, bar, std::min(3.0, bar.width() / 4), color);
      } else {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(bar, color);
      }
      if (bar.width() > kTextFrom) {
        const QString text = bar_text(track, s);
        const double inner = bar.width() - 10;
        const QFont font = t.ui(-2, QFont::Medium);
        // A word that does not fit is its first letter, as long as that does.
        const bool fits = QFontMetricsF(font).horizontalAdvance(text) <= inner;
        text_in(painter, bar.adjusted(5, 0, -3, 0), fits || inner > 42 ? text : text.left(1), t["onFill"], font);
      }
    }
  }
}

void TimelineCanvas::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  const Theme& t = theme();
  painter.fillRect(event->rect(), t["window"]);
  if (!data_ || data_->tracks.empty()) return;
  std::vector<QColor> paints;
  for (const QString& name : data_->paints) paints.push_back(t.color(name + QStringLiteral("Fill")));
  draw_axis(painter);
  if (has_marked_range()) {
    const double left = std::max(kLabels, x_of(mark_from_)), right = x_of(mark_to_);
    if (right > left) {
      painter.setRenderHint(QPainter::Antialiasing, false);
      painter.fillRect(QRectF(left, kAxis - 4, right - left, height() - kAxis), with_alpha(t["blue"], 0.16));
    }
  }
  painter.setClipRect(QRectF(0, 0, width(), height()));
  for (size_t i = 0; i < data_->tracks.size(); ++i) {
    const double top = track_top(i);
    if (top > event->rect().bottom() || top + track_height(data_->tracks[i]) < event->rect().top()) continue;
    draw_track(painter, i, paints);
  }
  // What the selection is elsewhere is ringed too: every event of the node that is on the screen.
  if (document_ && (selection_.kind == Selection::Kind::kNode || selection_.kind == Selection::Kind::kLine)) {
    for (size_t i = 0; i < data_->tracks.size(); ++i) {
      const Track& track = data_->tracks[i];
      if (track.kind != Track::Kind::kOps) continue;
      for (size_t l = 0; l < track.lanes.size(); ++l) {
        const Lane& lane = track.lanes[l];
        size_t at = lane.lower(from_), drawn = 0;
        if (at > 0) --at;
        for (; at < lane.size() && lane.spans()[at].start < to_ && drawn < 3000; ++at, ++drawn) {
          const OpSpan* e = document_->event(track.thread, lane.spans()[at].ref);
          if (!e || !event_belongs(*document_, selection_, *e)) continue;
          Hit hit;
          hit.track = static_cast<int>(i), hit.lane = static_cast<int>(l), hit.index = static_cast<ptrdiff_t>(at);
          rounded(painter, rect_of(hit).adjusted(-1.5, -1.5, 1.5, 1.5), 4, {}, t["text"], 1.4);
        }
      }
    }
  }
  if (hovered_.valid())
    rounded(painter, rect_of(hovered_).adjusted(-1, -1, 1, 1), 4, {}, with_alpha(t["text"], 0.5), 1);
  if (selected_.valid()) rounded(painter, rect_of(selected_).adjusted(-2, -2, 2, 2), 5, {}, t["text"], 1.8);
  if (hasFocus())
    rounded(painter, QRectF(rect()).adjusted(kLabels - 2, 1, -1, -1), 4, {}, with_alpha(t["focus"], 0.3), 1);
}

}  // namespace footlight::app
