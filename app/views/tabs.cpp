// Measures tabs by their bold width, so that selecting one does not move the others.
#include "app/views/tabs.h"

#include "app/models/text.h"
#include "app/views/paint.h"

#include <algorithm>

namespace footlight::app {

Tabs::Tabs(bool underline, QWidget* parent) : QTabBar(parent), underline_(underline) {
  setDrawBase(false);
  setExpanding(false);
  setFocusPolicy(Qt::StrongFocus);
  setUsesScrollButtons(false);
  setElideMode(Qt::ElideNone);
  setMouseTracking(true);
}

QString Tabs::shown(int index) const {
  const int count = tabData(index).toInt();
  if (count <= 0) return tabText(index);
  return tabText(index) + QStringLiteral("  ") + count_text(static_cast<uint64_t>(count));
}

void Tabs::set_count(int index, int count) {
  if (tabData(index).toInt() == count) return;
  setTabData(index, count);
  setAccessibleTabName(index, shown(index));
  // Qt asks for the width again only when the text changes.
  const QString text = tabText(index);
  setTabText(index, text + QLatin1Char(' '));
  setTabText(index, text);
}

QSize Tabs::tabSizeHint(int index) const {
  const QFontMetrics metrics(theme().ui(0, QFont::DemiBold));
  return {metrics.horizontalAdvance(shown(index)) + (underline_ ? 26 : 30), underline_ ? 38 : 34};
}

QSize Tabs::minimumTabSizeHint(int index) const {
  constexpr int kMaxTightening = 20;  // in a narrow window the room beside a text shrinks first
  const QSize whole = tabSizeHint(index);
  return {cuts_ ? std::min(whole.width(), 90) : whole.width() - kMaxTightening, whole.height()};
}

void Tabs::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QPoint mouse = mapFromGlobal(QCursor::pos());
  for (int i = 0; i < count(); ++i) {
    if (!isTabVisible(i)) continue;
    const QRect rect = tabRect(i);
    const bool chosen = i == currentIndex();
    const bool hovered = underMouse() && rect.contains(mouse);
    const QColor color = chosen ? theme()["text"] : hovered ? theme()["text"] : theme()["dim"];
    text_in(painter, cuts_ ? rect.adjusted(8, 0, -8, 0) : rect, shown(i), color,
            theme().ui(0, chosen ? QFont::DemiBold : QFont::Normal), Qt::AlignCenter);
    if (chosen && underline_) {
      const qreal line = std::min(tabSizeHint(i).width(), rect.width() + 18) - 22;
      rounded(painter, QRectF(rect.center().x() - line / 2, rect.bottom() - 2, line, 3), 1.5, theme()["amberFill"]);
    }
    if (chosen && hasFocus()) {
      rounded(painter, QRectF(rect).adjusted(5, 6, -5, -6), 5, {}, with_alpha(theme()["focus"], 0.7));
    }
  }
}

}  // namespace footlight::app
