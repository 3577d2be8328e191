// The bars: what is not finite in red at the sides, the finite ones between.
#include "app/views/value_histogram.h"

#include "app/models/text.h"
#include "app/views/paint.h"

#include "engine/explain/values.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {

ValueHistogram::ValueHistogram(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(104);
  setAccessibleName(QStringLiteral("Histogram of the values"));
}

void ValueHistogram::set(const session::TensorValue* value) {
  value_ = value;
  QString said;
  if (value && !value->bins.empty())
    said = QStringLiteral("Finite values from %1 to %2")
               .arg(q(explain::number_text(value->minimum)), q(explain::number_text(value->maximum)));
  if (value)
    if (const std::string bad = explain::non_finite_text(*value); !bad.empty())
      said += (said.isEmpty() ? QString() : QStringLiteral("; ")) + q(bad);
  setAccessibleDescription(said);
  update();
}

void ValueHistogram::paintEvent(QPaintEvent*) {
  if (!value_) return;
  QPainter painter(this);
  const Theme& t = theme();
  const double bottom = height() - 20.0, top = 16;
  uint64_t most = 1;
  for (const uint64_t count : value_->bins) most = std::max(most, count);
  for (const int64_t count : {value_->nan, value_->positive_infinity, value_->negative_infinity})
    most = std::max(most, static_cast<uint64_t>(std::max<int64_t>(0, count)));
  const auto tall = [&](uint64_t count) {
    return count ? std::max(2.0, (bottom - top) * std::log1p(static_cast<double>(count)) /
                                     std::log1p(static_cast<double>(most)))
                 : 1.0;
  };
  constexpr double kSide = 34;
  double left = 0, right = width();
  const auto side = [&](int64_t count, const char* name, double x) {
    const QRectF below(x, bottom + 3, kSide, 16);
    const double height = tall(static_cast<uint64_t>(count));
    rounded(painter, QRectF(x + 7, bottom - height, kSide - 14, height), 2, t["red"]);
    text_in(painter, QRectF(x - 8, bottom - height - 15, kSide + 16, 14), count_text(static_cast<uint64_t>(count)),
            t["red"], t.code(-2), Qt::AlignCenter);
    text_in(painter, below, QLatin1String(name), t["red"], t.code(-2), Qt::AlignCenter);
  };
  if (value_->negative_infinity) side(value_->negative_infinity, "-Inf", left), left += kSide;
  if (value_->nan) right -= kSide, side(value_->nan, "NaN", right);
  if (value_->positive_infinity) right -= kSide, side(value_->positive_infinity, "+Inf", right);
  if (value_->bins.empty()) {
    text_in(painter, QRectF(left, top, right - left, bottom - top),
            value_->elements ? QStringLiteral("No element is finite.") : QStringLiteral("It has no elements."),
            t["faint"], t.ui(-1), Qt::AlignCenter);
    return;
  }
  left += left > 0 ? 6 : 0;
  right -= right < width() ? 6 : 0;
  const double step = (right - left) / static_cast<double>(value_->bins.size());
  for (size_t i = 0; i < value_->bins.size(); ++i) {
    const double height = tall(value_->bins[i]);
    rounded(painter, QRectF(left + static_cast<double>(i) * step, bottom - height, std::max(1.0, step - 1.5), height),
            1.5, value_->bins[i] ? t["blue"] : t["hairline"]);
  }
  const QRectF below(left, bottom + 3, right - left, 16);
  text_in(painter, below, q(explain::number_text(value_->minimum)), t["faint"], t.code(-2));
  if (value_->maximum > value_->minimum)
    text_in(painter, below, q(explain::number_text(value_->maximum)), t["faint"], t.code(-2),
            Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace footlight::app
