// Lays out the top bar and draws its icons.
#include "app/views/top_bar.h"

#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/run_panel.h"
#include "app/views/paint.h"

#include <QEvent>
#include <QFileInfo>

namespace footlight::app {
namespace {

// An icon of 14 by 14, usable and not: draw(painter, its color).
template <class Draw>
QIcon icon_of(const QColor& color, const QColor& off, Draw&& draw) {
  QIcon icon;
  for (const auto& [mode, paint] : {std::pair(QIcon::Normal, color), std::pair(QIcon::Disabled, off)}) {
    QPixmap pixmap(28, 28);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    draw(painter, paint);
    painter.end();
    icon.addPixmap(pixmap, mode);
  }
  return icon;
}

QIcon shape(bool play, const QColor& color, const QColor& off) {
  return icon_of(color, off, [play](QPainter& painter, const QColor& paint) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(paint);
    if (play) painter.drawPolygon(QPolygonF() << QPointF(3, 2) << QPointF(12.5, 7) << QPointF(3, 12));
    else painter.drawRoundedRect(QRectF(3, 3, 8.5, 8.5), 1.5, 1.5);
  });
}

QIcon arrow(bool left, const QColor& color, const QColor& off) {
  return icon_of(color, off, [left](QPainter& painter, const QColor& paint) {
    painter.setPen(QPen(paint, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const double tip = left ? 4 : 10, end = left ? 9 : 5;
    painter.drawPolyline(QPolygonF() << QPointF(end, 2.5) << QPointF(tip, 7) << QPointF(end, 11.5));
  });
}

}  // namespace

TopBar::TopBar(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("topBar"));
  setAttribute(Qt::WA_StyledBackground);
  setFixedHeight(45);
  auto* row = row_in(this, {12, 0, 16, 1}, 8);
  run_ = new QPushButton(QStringLiteral("Run"));
  run_->setObjectName(QStringLiteral("runButton"));
  set_tip(run_, QStringLiteral("Run the script (F5)"));
  stop_ = new QPushButton(QStringLiteral("Stop"));
  set_tip(stop_, QStringLiteral("Stop the script (Shift+F5)"));
  name_ = elided_label({}, "strong");
  arguments_ = new QLineEdit;
  arguments_->setObjectName(QStringLiteral("arguments"));
  arguments_->setPlaceholderText(QStringLiteral("arguments"));
  arguments_->setAccessibleName(QStringLiteral("Arguments of the script"));
  arguments_->setMinimumWidth(90);
  arguments_->setMaximumWidth(170);
  options_ = new QToolButton;
  options_->setText(QString::fromUtf8("⋯"));
  set_tip(
      options_,
      QStringLiteral("Run options: interpreter, working directory, arguments, environment (Ctrl+Shift+R)"));
  options_->setAccessibleName(QStringLiteral("Run options"));
  search_ = new QPushButton(QString::fromUtf8("Search functions, ops, shapes, source …"));
  search_->setObjectName(QStringLiteral("searchBox"));
  search_->setAccessibleName(QStringLiteral("Search and commands"));
  search_->setCursor(Qt::IBeamCursor);
  search_->setFixedHeight(28);
  search_->setMinimumWidth(140);
  key_hint_ = plain_label(QStringLiteral("Ctrl K"), "faint", search_);
  key_hint_->setAttribute(Qt::WA_TransparentForMouseEvents);
  search_->installEventFilter(this);
  back_ = new QToolButton;
  set_tip(back_, QStringLiteral("Back (Alt+Left)"));
  back_->setAccessibleName(QStringLiteral("Back"));
  forward_ = new QToolButton;
  set_tip(forward_, QStringLiteral("Forward (Alt+Right)"));
  forward_->setAccessibleName(QStringLiteral("Forward"));
  dot_ = plain_label(QString::fromUtf8("●"));
  status_ = plain_label({}, "dim");
  status_->setMinimumWidth(80);
  status_->setAccessibleName(QStringLiteral("Status of the run"));
  row->addWidget(run_);
  row->addWidget(stop_);
  row->addSpacing(8);
  row->addWidget(name_);
  row->addWidget(arguments_);
  row->addWidget(options_);
  row->addStretch(2);
  row->addWidget(back_);
  row->addWidget(forward_);
  row->addWidget(search_, 6);
  row->addStretch(3);
  row->addWidget(dot_);
  row->addWidget(status_);
  connect(run_, &QPushButton::clicked, this, &TopBar::run_clicked);
  connect(stop_, &QPushButton::clicked, this, &TopBar::stop_clicked);
  connect(options_, &QToolButton::clicked, this, &TopBar::options_clicked);
  connect(search_, &QPushButton::clicked, this, &TopBar::search_clicked);
  connect(back_, &QToolButton::clicked, this, &TopBar::back_clicked);
  connect(forward_, &QToolButton::clicked, this, &TopBar::forward_clicked);
  connect(arguments_, &QLineEdit::returnPressed, this, &TopBar::run_clicked);
  show_theme();
  set_running(false, false);
  set_script({}, {});
}

void TopBar::show_theme() {
  const Theme& t = theme();
  run_->setIcon(shape(true, t["onFill"], t["dim"]));
  stop_->setIcon(shape(false, t["text"], t["faint"]));
  back_->setIcon(arrow(true, t["dim"], t["hairline"]));
  forward_->setIcon(arrow(false, t["dim"], t["hairline"]));
  for (QAbstractButton* b : {static_cast<QAbstractButton*>(run_), static_cast<QAbstractButton*>(stop_)})
    b->setIconSize({14, 14});
  for (QToolButton* b : {back_, forward_}) b->setIconSize({14, 14});
  arguments_->setFont(t.code());
  set_status(status_tone_, status_text_, status_tip_);
}

void TopBar::set_script(const QString& path, const QStringList& arguments) {
  script_ = path;
  name_->setText(path.isEmpty() ? QStringLiteral("No script") : QFileInfo(path).fileName());
  set_tip(name_, path);
  name_->setEnabled(!path.isEmpty());
  arguments_->setText(joined_arguments(arguments));
  arguments_->setVisible(!path.isEmpty());
  options_->setVisible(!path.isEmpty());
  set_running(false, false);
}

QStringList TopBar::arguments() const { return split_arguments(arguments_->text()); }

void TopBar::set_running(bool running, bool stopping) {
  run_->setEnabled(!running && !script_.isEmpty() && why_not_run_.isEmpty());
  stop_->setEnabled(running && !stopping);
  stop_->setText(running && stopping ? QString::fromUtf8("Stopping …") : QStringLiteral("Stop"));
}

void TopBar::set_why_not_run(const QString& why) {
  why_not_run_ = why;
  const bool can_run = why.isEmpty();
  set_tip(run_, can_run ? QStringLiteral("Run the script (F5)") : why);
  run_->setAccessibleDescription(why);
  if (!can_run) run_->setEnabled(false);
  arguments_->setVisible(can_run && !script_.isEmpty());
  options_->setVisible(can_run && !script_.isEmpty());
}

void TopBar::set_status(const QString& tone, const QString& text, const QString& tip) {
  status_tip_ = tip;
  status_tone_ = tone;
  status_text_ = text;
  dot_->setVisible(!tone.isEmpty());
  if (!tone.isEmpty())
    dot_->setStyleSheet(QStringLiteral("color: ") + theme().color(tone + QStringLiteral("Fill")).name());
  status_->setText(text);
  set_tip(status_, tip.isEmpty() ? text : tip);
  status_->setAccessibleDescription(tip);
}

void TopBar::set_can_go(bool back, bool forward) {
  back_->setEnabled(back);
  forward_->setEnabled(forward);
}

bool TopBar::eventFilter(QObject* object, QEvent* event) {
  if (object == search_ && event->type() == QEvent::Resize) fit_search();
  return QWidget::eventFilter(object, event);
}

void TopBar::fit_search() {
  const QSize hint = key_hint_->sizeHint();
  key_hint_->setGeometry(search_->width() - hint.width() - 12, (search_->height() - hint.height()) / 2,
                         hint.width(), hint.height());
  const bool wide = search_->width() > 390;
  key_hint_->setVisible(wide);
  search_->setText(wide ? QString::fromUtf8("Search functions, ops, shapes, source …") : QString::fromUtf8("Search …"));
}

}  // namespace footlight::app
