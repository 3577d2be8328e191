// Draws rounded boxes, cut text, triangles and focus rings.
#include "app/views/paint.h"

#include <QFontMetricsF>

namespace footlight::app {

QColor with_alpha(QColor color, double alpha) {
  color.setAlphaF(static_cast<float>(alpha));
  return color;
}

void rounded(QPainter& painter, const QRectF& rect, double radius, const QColor& fill, const QColor& line,
             double width) {
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(line.isValid() ? QPen(line, width) : QPen(Qt::NoPen));
  painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
  const double inset = line.isValid() ? width / 2 : 0;
  painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
}

void text_in(QPainter& painter, const QRectF& rect, const QString& text, const QColor& color,
             const QFont& font, int flags) {
  if (rect.width() < 4) return;
  painter.setFont(font);
  painter.setPen(color);
  const QFontMetricsF metrics(font);
  const QString shown = metrics.horizontalAdvance(text) <= rect.width()
                            ? text
                            : metrics.elidedText(text, Qt::ElideRight, rect.width());
  painter.drawText(rect, flags | Qt::TextSingleLine, shown);
}

void triangle(QPainter& painter, QPointF centre, bool open, const QColor& color) {
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  QPolygonF shape;
  if (open) {
    shape << centre + QPointF(-3.5, -2) << centre + QPointF(3.5, -2) << centre + QPointF(0, 2.5);
  } else {
    shape << centre + QPointF(-2, -3.5) << centre + QPointF(2.5, 0) << centre + QPointF(-2, 3.5);
  }
  painter.drawPolygon(shape);
}

void focus_ring(QPainter& painter, const QWidget* widget) {
  if (!widget->hasFocus()) return;
  rounded(painter, QRectF(widget->rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, {}, with_alpha(theme()["focus"], 0.55), 1);
}

}  // namespace footlight::app
