// Makes labels and tool tips, paints cut labels and links.
#include "app/views/labels.h"

#include "app/models/text.h"
#include "app/views/paint.h"

#include <QKeyEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace footlight::app {

namespace {

class PlainLabel : public QLabel {
 public:
  using QLabel::QLabel;
  QSize minimumSizeHint() const override {
    constexpr int kWidest = 120;
    const QSize hint = QLabel::minimumSizeHint();
    return wordWrap() ? hint.boundedTo({kWidest, hint.height()}) : hint;
  }
};

}  // namespace

QLabel* plain_label(const QString& text, const char* role, QWidget* parent) {
  auto* label = new PlainLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setText(text);
  if (role) label->setProperty("role", role);
  return label;
}

QLabel* elided_label(const QString& text, const char* role, QWidget* parent) {
  auto* label = new ElidedLabel(text, parent);
  if (role) label->setProperty("role", role);
  return label;
}

void set_tip(QWidget* widget, const QString& text) { widget->setToolTip(plain_tip(text)); }
void show_tip(const QPoint& at, const QString& text, QWidget* widget) {
  QToolTip::showText(at, plain_tip(text), widget);
}

QPushButton* chip_button(const QString& text, const QString& tip) {
  auto* made = new QPushButton(text);
  made->setProperty("role", "chip");
  if (!tip.isEmpty()) set_tip(made, tip);
  return made;
}

QPushButton* chip_switch(const QString& text, const QString& tip, bool on) {
  QPushButton* made = chip_button(text, tip);
  made->setCheckable(true);
  made->setChecked(on);
  return made;
}

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setText(text);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

QSize ElidedLabel::minimumSizeHint() const { return {24, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(font());
  painter.setPen(palette().color(foregroundRole()));
  const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
  painter.drawText(rect(), static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
  set_tip(this, shown == text() ? QString() : text());
}

namespace {

// Enter follows a link, as in a browser; Qt's buttons take only the space bar.
class EnterFollows : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* object, QEvent* event) override {
    const int key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event)->key() : 0;
    if (key != Qt::Key_Return && key != Qt::Key_Enter) return QObject::eventFilter(object, event);
    static_cast<QAbstractButton*>(object)->click();
    return true;
  }
};

}  // namespace

LinkButton::LinkButton(const QString& text, bool code, QWidget* parent) : QPushButton(text, parent), code_(code) {
  setProperty("role", "link");
  installEventFilter(new EnterFollows(this));
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(text);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize LinkButton::sizeHint() const {
  const QFontMetrics metrics(code_ ? theme().code() : theme().ui());
  return {metrics.horizontalAdvance(text()) + 4, std::max(19, metrics.height() + 3)};
}

QSize LinkButton::minimumSizeHint() const { return {30, sizeHint().height()}; }

void LinkButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QFont font = code_ ? theme().code() : theme().ui();
  font.setUnderline(underMouse());
  text_in(painter, QRectF(rect()).adjusted(0, 0, -2, 0), text(), theme()["blue"], font);
  set_tip(this, QFontMetrics(font).horizontalAdvance(text()) + 4 > width() ? text() : QString());
  if (hasFocus()) rounded(painter, QRectF(rect()).adjusted(-1, 0, 0, 0), 4, {}, theme()["focus"]);
}

QLabel* empty_label() {
  QLabel* label = plain_label({}, "faint");
  label->setAlignment(Qt::AlignCenter);
  label->setWordWrap(true);
  return label;
}

QFrame* card_with(QWidget* code) {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* inside = new QVBoxLayout(card);
  inside->setContentsMargins(1, 4, 1, 4);
  inside->addWidget(code);
  return card;
}

QWidget* column_with(QWidget* below, const QString& title, int head_height, QHBoxLayout** head) {
  auto* made = new QWidget;
  made->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  made->setMinimumWidth(120);
  auto* column = new QVBoxLayout(made);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = *head = new QHBoxLayout;
  row->setSpacing(14);
  row->addStrut(head_height);
  if (!title.isEmpty()) {
    auto* heading = new ElidedLabel(title);
    heading->setProperty("role", "heading");
    row->addWidget(heading);
  }
  column->addLayout(row);
  column->addWidget(below, 1);
  return made;
}

}  // namespace footlight::app
