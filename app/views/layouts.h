// The columns, rows, splitters and scroll areas in which views put their parts.
#pragma once

#include <QHBoxLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

namespace footlight::app {

template <class Box>
Box* box_in(QWidget* in, const QMargins& margins, int spacing) {
  auto* box = new Box(in);
  box->setContentsMargins(margins);
  box->setSpacing(spacing);
  return box;
}
// The layout of `in`, unless that is null. Without a spacing it has that of the style.
inline QVBoxLayout* column_in(QWidget* in, const QMargins& margins = {}, int spacing = -1) {
  return box_in<QVBoxLayout>(in, margins, spacing);
}
inline QHBoxLayout* row_in(QWidget* in, const QMargins& margins = {}, int spacing = -1) {
  return box_in<QHBoxLayout>(in, margins, spacing);
}

// None of its parts can be folded away with the mouse.
inline QSplitter* splitter(Qt::Orientation orientation, int handle_width) {
  auto* made = new QSplitter(orientation);
  made->setChildrenCollapsible(false);
  made->setHandleWidth(handle_width);
  return made;
}

// Scrolls down alone, and leaves the keys to what is inside.
inline QScrollArea* scrolled(QWidget* inside) {
  auto* scroll = new QScrollArea;
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  return scroll;
}

}  // namespace footlight::app
