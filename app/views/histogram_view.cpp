// The bars, what they are of above them, the least and the greatest below.
#include "app/views/histogram_view.h"

#include "app/models/text.h"
#include "app/views/paint.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(96);
  setAccessibleName(QStringLiteral("Histogram of durations"));
}

void HistogramView::set(Histogram histogram, const QColor& color, const QString& of) {
  histogram_ = std::move(histogram);
  color_ = color;
  of_ = of;
  const QString range = duration_text(histogram_.least) + QStringLiteral(" to ") + duration_text(histogram_.greatest);
  setAccessibleDescription(histogram_.bars.empty() ? QString()
                           : of_.isEmpty()         ? range
                                                   : of_ + QStringLiteral(": ") + range);
  update();
}

void HistogramView::paintEvent(QPaintEvent*) {
  if (histogram_.bars.empty()) return;
  QPainter painter(this);
  const Theme& t = theme();
  if (!of_.isEmpty()) text_in(painter, QRectF(0, 2, width(), 18), of_, t["dim"], t.ui(-1, QFont::DemiBold));
  const double top = of_.isEmpty() ? 2 : 26, bottom = height() - 24.0;
  const double step = width() / static_cast<double>(histogram_.bars.size());
  const auto most = static_cast<double>(
      std::max<uint64_t>(1, *std::max_element(histogram_.bars.begin(), histogram_.bars.end())));
  for (size_t i = 0; i < histogram_.bars.size(); ++i) {
    const uint64_t count = histogram_.bars[i];
    const double tall = std::max(count ? 2.0 : 1.0, (bottom - top) * static_cast<double>(count) / most);
    rounded(painter, QRectF(static_cast<double>(i) * step, bottom - tall, std::max(1.0, step - 2), tall), 1.5,
            count ? color_ : t["hairline"]);
  }
  // Durations lie on a logarithmic scale: its powers of ten.
  const double first = std::log10(std::max<double>(1, static_cast<double>(histogram_.least))),
               last = std::log10(std::max<double>(1, static_cast<double>(histogram_.greatest)));
  constexpr double kRoomForText = 70;
  double free_from = kRoomForText;
  for (double power = std::floor(first) + 1; power < last; ++power) {
    const double x = width() * (power - first) / (last - first);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(x, bottom, 1, 5), t["faint"]);
    if (x - kRoomForText / 2 < free_from || x + kRoomForText / 2 > width() - kRoomForText) continue;
    free_from = x + kRoomForText / 2;
    text_in(painter, QRectF(x - kRoomForText / 2, bottom + 4, kRoomForText, 18),
            duration_text(std::llround(std::pow(10, power))), t["faint"], t.ui(-2), Qt::AlignCenter);
  }
  const QRectF below(0, bottom + 4, width(), 18);
  text_in(painter, below, duration_text(histogram_.least), t["faint"], t.ui(-2));
  if (histogram_.greatest > histogram_.least)
    text_in(painter, below, duration_text(histogram_.greatest), t["faint"], t.ui(-2),
            Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace footlight::app
