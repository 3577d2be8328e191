// Paints the slice, and moves the cursor by keys and mouse.
#include "app/views/heat_map.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kLegend = 22;             // below the picture
constexpr int64_t kMaxCells = 512;         // cells of the image, each way; more elements share a cell
constexpr double kMaxCellSize = 28;

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto part = [&](int x, int y) { return static_cast<int>(x + (y - x) * share); };
  return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

// The colours range from the least to the greatest of the finite elements.
QColor ramp(double share) {
  const Theme& t = theme();
  const QColor stops[] = {t["selection"], t["blue"], t["teal"], QColor(0xf3, 0xe9, 0xc6)};
  const double at = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * 3 : 1.5;
  const int from = std::min(2, static_cast<int>(at));
  return mixed(stops[from], stops[from + 1], at - from);
}

}  // namespace

HeatMap::HeatMap(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(120);
  setAccessibleName(QStringLiteral("Heat map"));
}

void HeatMap::set(const session::TensorValue* value, const QString& name) {
  value_ = value;
  name_ = name;
  slice_ = value ? ValueSlice(*value) : ValueSlice();
  cursor_ = value && !value->places.empty() ? value->places.front().index : 0;
  if (value && (cursor_ < 0 || cursor_ >= value->elements)) cursor_ = 0;
  draw();
  say();
}

void HeatMap::set_slice(const ValueSlice& slice) {
  const int64_t row = slice_.row_of(cursor_), column = slice_.column_of(cursor_);
  slice_ = slice;
  cursor_ = slice_.element(row, column);
  draw();
  say();
}

void HeatMap::set_cursor(int64_t element) {
  if (!value_ || element < 0 || element >= value_->elements) return;
  cursor_ = element;
  if (!slice_.holds(element)) {
    slice_.show(element);
    draw();
  }
  say();
}

QString HeatMap::cursor_text() const {
  if (!value_) return {};
  const QString where = q(explain::place_text(slice_.sizes(), cursor_));
  if (cursor_ >= explain::kept_elements(*value_)) return where + QStringLiteral("  not kept");
  const QString text = where + QStringLiteral("  ") + q(explain::number_text(explain::kept_element(*value_, cursor_)));
  if (!explain::is_complex(*value_)) return text;
  using explain::ComplexPart;
  return text + QStringLiteral("  of (%1, %2)")
                    .arg(q(explain::number_text(explain::kept_part(*value_, cursor_, ComplexPart::kReal))),
                         q(explain::number_text(explain::kept_part(*value_, cursor_, ComplexPart::kImaginary))));
}

QString HeatMap::axes_text() const {
  const size_t rank = slice_.sizes().size();
  if (rank == 0) return QStringLiteral("One number");
  if (rank == 1) return QString::fromUtf8("%1 elements, left to right").arg(slice_.columns());
  return QString::fromUtf8("Down: dimension %1 (%2)  ·  across: dimension %3 (%4)")
      .arg(rank - 2).arg(slice_.rows()).arg(rank - 1).arg(slice_.columns());
}

void HeatMap::say() {
  setAccessibleName(QStringLiteral("Heat map of ") + name_);
  setAccessibleDescription(cursor_text() + QStringLiteral(". ") + axes_text());
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
  update();
  Q_EMIT moved();
}

void HeatMap::draw() {
  image_ = {};
  theme_ = theme().name();
  if (!value_ || value_->elements == 0) return;
  const int64_t kept = explain::kept_elements(*value_);
  if (!kept) return;
  const int64_t rows = slice_.rows(), columns = slice_.columns();
  const auto tall = static_cast<int>(std::min(rows, kMaxCells)), wide = static_cast<int>(std::min(columns, kMaxCells));
  image_ = QImage(wide, tall, QImage::Format_RGB32);
  const Theme& t = theme();
  const QColor missing = t["hairline"], red = t["red"];
  // Halves, because the difference of two doubles may be infinite.
  const double low = value_->minimum / 2, range = value_->maximum / 2 - low;
  for (int y = 0; y < tall; ++y)
    for (int x = 0; x < wide; ++x) {
      // A cell that stands for several elements is red if one of them is not finite.
      const int64_t from_row = y * rows / tall, to_row = std::max(from_row + 1, (y + 1) * rows / tall);
      const int64_t from_column = x * columns / wide, to_column = std::max(from_column + 1, (x + 1) * columns / wide);
      QColor color = missing;
      bool bad = false, known = false;
      for (int64_t r = from_row; r < to_row && !bad; ++r)
        for (int64_t c = from_column; c < to_column && !bad; ++c) {
          const int64_t element = slice_.element(r, c);
          if (element >= kept) {  // and so are those behind it
            r = to_row - 1;
            break;
          }
          const double v = explain::kept_element(*value_, element);
          bad = !std::isfinite(v);
          if (!bad && !known) color = ramp(range > 0 ? (v / 2 - low) / range : 0.5);
          known = true;
        }
      image_.setPixelColor(x, y, bad ? red : color);
    }
}

QRectF HeatMap::picture() const {
  const double most_wide = width() - 2, most_tall = height() - kLegend - 2;
  const auto columns = static_cast<double>(std::max<int64_t>(1, slice_.columns()));
  const auto rows = static_cast<double>(std::max<int64_t>(1, slice_.rows()));
  return {1, 1, std::min(most_wide, columns * kMaxCellSize), std::min(most_tall, rows * kMaxCellSize)};
}

int64_t HeatMap::element_at(QPointF point) const {
  const QRectF all = picture();
  if (!value_ || image_.isNull() || !all.contains(point)) return -1;
  const auto part = [](double at, double of, int64_t count) {
    return std::min(count - 1, static_cast<int64_t>(at / of * static_cast<double>(count)));
  };
  return slice_.element(part(point.y() - all.top(), all.height(), slice_.rows()),
                        part(point.x() - all.left(), all.width(), slice_.columns()));
}

void HeatMap::paintEvent(QPaintEvent*) {
  if (theme_ != theme().name()) draw();
  QPainter painter(this);
  const Theme& t = theme();
  if (image_.isNull()) {
    text_in(painter, rect(), value_ && value_->elements == 0 ? QStringLiteral("It has no elements.")
                                                              : QStringLiteral("Its elements were not kept."),
            t["faint"], t.ui(-1));
    return;
  }
  const QRectF all = picture();
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(all, image_);
  if (slice_.holds(cursor_)) {
    const double wide = all.width() / static_cast<double>(slice_.columns());
    const double tall = all.height() / static_cast<double>(slice_.rows());
    QRectF cell(all.left() + static_cast<double>(slice_.column_of(cursor_)) * wide,
                all.top() + static_cast<double>(slice_.row_of(cursor_)) * tall, wide, tall);
    const double grow_x = std::max(1.0, (5 - wide) / 2), grow_y = std::max(1.0, (5 - tall) / 2);
    cell.adjust(-grow_x, -grow_y, grow_x, grow_y);
    painter.setPen(QPen(t["window"], 3));
    painter.drawRect(cell);
    painter.setPen(QPen(t["text"], 1.5));
    painter.drawRect(cell);
  }
  const QRectF legend(1, all.bottom() + 4, width() - 2, kLegend - 6);
  if (!std::isnan(value_->minimum)) {
    const QString low = QString::number(value_->minimum, 'g', 4), high = QString::number(value_->maximum, 'g', 4);
    const QFont font = t.code(-2);
    const QFontMetricsF metrics(font);
    const double from = legend.left() + metrics.horizontalAdvance(low) + 6, bar = 44;
    text_in(painter, legend, low, t["faint"], font);
    for (int x = 0; x < static_cast<int>(bar); ++x)
      painter.fillRect(QRectF(from + x, legend.top() + 4, 1.2, 8), ramp(x / bar));
    text_in(painter, legend.adjusted(from - legend.left() + bar + 6, 0, 0, 0), high, t["faint"], font);
  }
  if (value_->nan || explain::infinities(*value_)) {
    const QString name = QStringLiteral("NaN, Inf");
    const double wide = QFontMetricsF(t.ui(-2)).horizontalAdvance(name);
    painter.fillRect(QRectF(legend.right() - wide - 13, legend.top() + 4, 8, 8), t["red"]);
    text_in(painter, legend, name, t["faint"], t.ui(-2), Qt::AlignRight | Qt::AlignVCenter);
  }
  if (hasFocus()) focus_ring(painter, this);
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
  if (!value_ || image_.isNull()) return QWidget::keyPressEvent(event);
  int64_t row = slice_.row_of(cursor_), column = slice_.column_of(cursor_);
  switch (event->key()) {
    case Qt::Key_Left: --column; break;
    case Qt::Key_Right: ++column; break;
    case Qt::Key_Up: --row; break;
    case Qt::Key_Down: ++row; break;
    case Qt::Key_Home: column = 0; break;
    case Qt::Key_End: column = slice_.columns() - 1; break;
    case Qt::Key_N:
      if (const auto next = next_not_finite(*value_, cursor_)) set_cursor(*next);
      return;
    default: return QWidget::keyPressEvent(event);
  }
  set_cursor(slice_.element(std::clamp<int64_t>(row, 0, slice_.rows() - 1),
                            std::clamp<int64_t>(column, 0, slice_.columns() - 1)));
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
  if (const int64_t element = element_at(event->position()); element >= 0) set_cursor(element);
}

bool HeatMap::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* const help = static_cast<QHelpEvent*>(event);
    const int64_t element = element_at(help->pos());
    if (element >= 0 && element < explain::kept_elements(*value_))
      show_tip(help->globalPos(),
               q(explain::place_text(slice_.sizes(), element) + "  " +
                 explain::number_text(explain::kept_element(*value_, element))),
               this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace footlight::app
