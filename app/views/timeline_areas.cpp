// Areas below the tracks of the timeline: devices' utilisation, memory, other numbers over time.
#include "app/models/text.h"
#include "app/views/paint.h"
#include "app/views/timeline_canvas.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kLabels = 132;
constexpr double kArea = 56, kGrowth = 160;  // height; what one may grow by beyond the tracks' stretch
constexpr double kMaxStretch = 3;

QString percent(double share) { return QStringLiteral("%1 %").arg(static_cast<int>(share * 100 + 0.5)); }

}  // namespace

std::vector<TimelineCanvas::Area> TimelineCanvas::areas() const {
  std::vector<Area> all;
  const double per = static_cast<double>(picture_.to - picture_.from) / std::max(1, picture_.columns);
  for (const query::DevicePicture& device : picture_.devices) {
    Area& area = all.emplace_back();
    const query::TrackKey key{query::TrackKind::kKernels, device.device, 0};
    area.title = QStringLiteral("GPU %1 busy").arg(query::number_in_process(key));
    const auto process = overlays_.processes.find(query::process_of(key));
    if (process != overlays_.processes.end())
      area.title = process->second.title + QString::fromUtf8(" · ") + area.title;
    area.values = &device.busy;
    double sum = 0, columns = 0;
    bool is_repeated = false;
    for (size_t c = 0; c < device.busy.size(); ++c) {
      const double left = static_cast<double>(picture_.from) + static_cast<double>(c) * per;
      if (left + per <= static_cast<double>(from_) || left >= static_cast<double>(to_)) continue;
      // Repetitions by Compare are drawn, but are not work of the program.
      const auto middle = static_cast<int64_t>(left + per / 2);
      if (overlays_.is_repeated(middle)) {
        is_repeated = true;
        continue;
      }
      sum += device.busy[c], ++columns;
    }
    area.subtitle = percent(sum / std::max(1.0, columns)) +
                    (is_repeated ? QStringLiteral(" outside Compare") : QStringLiteral(" of the view"));
  }
  for (const bool memory : {true, false}) {
    for (const query::CounterPicture& counter : picture_.counters) {
      if (overlays_.memory_tracks.contains(counter.track) != memory) continue;
      Area& area = all.emplace_back();
      const auto name = overlays_.span_tracks.find(counter.track);
      area.title = name == overlays_.span_tracks.end() ? QStringLiteral("Counter") : name->second;
      area.subtitle = QStringLiteral("Peak ") + counter_text(overlays_, counter.track, counter.greatest);
      if (const auto peak = peaks_.find(counter.track); has_marked_range() && peak != peaks_.end())
        area.in_range = QStringLiteral("Selected ") + counter_text(overlays_, counter.track, peak->second);
      area.values = &counter.values;
      // Zero is the ground if nothing is below it.
      area.ground = std::min(0.0, counter.least);
      area.top = counter.greatest;
      area.counter = counter.track;
      area.peak_at = counter.greatest_at;
    }
  }
  return all;
}

double TimelineCanvas::area_height() const {
  const double tall = kArea * stretch_;
  if (!area_count()) return tall;
  const auto count = static_cast<double>(area_count());
  const double left = room_ - flat_top(picture_.tracks.size()) - count * tall - 4;
  return tall + std::clamp(left / count, 0.0, kGrowth);
}

double TimelineCanvas::area_top(size_t area) const {
  return flat_top(picture_.tracks.size()) + area_height() * static_cast<double>(area);
}

QRectF TimelineCanvas::area_rect(size_t area) const {
  return QRectF(0, area_top(area), width(), area_height());
}

void TimelineCanvas::set_room(int height) {
  const int before = content_height();
  room_ = height;
  stretch_ = 1;
  const double top = flat_top(0), natural = area_top(0) + kArea * static_cast<double>(area_count()) - top;
  stretch_ = std::clamp((height - top - 4) / std::max(1.0, natural), 1.0, kMaxStretch);
  if (content_height() == before) return;
  hovered_ = {};
  setMinimumHeight(content_height());
  update();
}

void TimelineCanvas::ask_peaks() {
  if (!has_marked_range() || !queries_ || picture_.counters.empty()) {
    peaks_ticket_.withdraw();
    peaks_.clear();
    return update();
  }
  queries_->ask(
      peaks_ticket_,
      [from = mark_from_, to = mark_to_](const query::Store& store, const query::Cancel& cancel) {
        return store.counters().peaks(store.reader().counters(), from, to, cancel);
      },
      [this](const std::vector<query::CounterPeak>& found) {
        peaks_.clear();
        for (const query::CounterPeak& peak : found) peaks_[peak.track] = peak.value;
        update();
      });
}

QString TimelineCanvas::describe_area(size_t index) const {
  const std::vector<Area> all = areas();
  if (index >= all.size()) return {};
  const Area& area = all[index];
  QString text = area.title + QLatin1Char('\n') + area.subtitle;
  if (area.peak_at) text += QStringLiteral(" at ") + duration_text(*area.peak_at - range_.first);
  if (!area.in_range.isEmpty()) text += QLatin1Char('\n') + area.in_range;
  return text;
}

QString TimelineCanvas::area_tip(QPointF point) const {
  const double top = area_top(0);
  if (!document_ || point.y() < top || point.x() < kLabels) return {};
  const auto index = static_cast<size_t>((point.y() - top) / area_height());
  const std::vector<Area> all = areas();
  if (index >= all.size()) return {};
  const double per = static_cast<double>(picture_.to - picture_.from) / std::max(1, picture_.columns);
  const double column = static_cast<double>(time_of(point.x()) - picture_.from) / per;
  const std::vector<float>& values = *all[index].values;
  if (column < 0 || column >= static_cast<double>(values.size())) return {};
  const auto value = static_cast<double>(values[static_cast<size_t>(column)]);
  if (std::isnan(value)) return {};
  const auto& counter = all[index].counter;
  return all[index].title + QStringLiteral("  ") +
         (counter ? counter_text(overlays_, *counter, value) : percent(value)) + QStringLiteral("\nAt ") +
         duration_text(time_of(point.x()) - range_.first);
}

void TimelineCanvas::draw_area(QPainter& painter, size_t index, const Area& area) const {
  const Theme& t = theme();
  const QRectF place = area_rect(index);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(t["hairline"]);
  painter.drawLine(QPointF(0, place.bottom() - 0.5), QPointF(width(), place.bottom() - 0.5));
  const auto label = [&](double y, const QString& text, const QColor& color, const QFont& font) {
    text_in(painter, QRectF(0, place.top() + y, kLabels - 12, 17), text, color, font);
  };
  label(6, area.title, t["text"], t.ui(0, QFont::DemiBold));
  label(22, area.subtitle, t["faint"], t.ui(-2));
  label(37, area.in_range, t["blue"], t.ui(-2));
  const double per = static_cast<double>(picture_.to - picture_.from) / picture_.columns;
  const double bottom = place.bottom() - 6, room = place.height() - 12;
  const double reach = std::max(area.top - area.ground, 1e-300);
  const QColor color = area.counter ? t["teal"] : t["violet"], fill = with_alpha(color, 0.28);
  const auto y_of = [&](double value) { return bottom - room * (value - area.ground) / reach; };
  double last = -1;  // position of the last line
  for (size_t c = 0; c < area.values->size(); ++c) {
    const auto value = static_cast<double>((*area.values)[c]);
    if (std::isnan(value)) continue;
    const double left = std::max(kLabels, x_of(picture_.from + static_cast<int64_t>(static_cast<double>(c) * per)));
    const double right = x_of(picture_.from + static_cast<int64_t>(static_cast<double>(c + 1) * per));
    if (right < kLabels || left > width()) continue;
    const double y = y_of(value);
    painter.fillRect(QRectF(left, y, right - left, bottom - y), fill);
    painter.fillRect(QRectF(left, y, right - left, 1.2), color);
    if (last >= 0) painter.fillRect(QRectF(left, std::min(last, y), 1.2, std::abs(last - y)), color);
    last = y;
  }
  if (!area.peak_at || *area.peak_at < from_ || *area.peak_at > to_) return;
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawEllipse(QPointF(x_of(*area.peak_at), y_of(area.top)), 3, 3);
}

}  // namespace footlight::app
