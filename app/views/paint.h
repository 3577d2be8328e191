// Drawing helpers shared by several views.
#pragma once

#include "app/views/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QWidget>

namespace footlight::app {

QColor with_alpha(QColor color, double alpha);
void rounded(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
             const QColor& line = {}, double width = 1);
// Text in one line, elided at the end.
void text_in(QPainter& painter, const QRectF& rect, const QString& text, const QColor& color, const QFont& font,
             int flags = Qt::AlignLeft | Qt::AlignVCenter);
// The triangle in front of an item that can be opened.
void triangle(QPainter& painter, QPointF centre, bool open, const QColor& color);
// A ring around the focused widget.
void focus_ring(QPainter& painter, const QWidget* widget);

}  // namespace footlight::app
