// Enter and Shift+Enter step, Escape closes.
#include "app/views/graph_find_bar.h"

#include "app/models/text.h"
#include "app/views/labels.h"

#include <QHBoxLayout>
#include <QKeyEvent>

namespace footlight::app {

GraphFindBar::GraphFindBar(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("floating"));
  setAccessibleName(QStringLiteral("Search in the graph"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 6, 8, 6);
  row->setSpacing(6);
  field_ = new QLineEdit;
  field_->setPlaceholderText(QString::fromUtf8("name, op, attribute, shape, dtype …"));
  field_->setAccessibleName(QStringLiteral("Words that a node must have, all of them"));
  field_->setMinimumWidth(240);
  field_->installEventFilter(this);
  count_ = plain_label({}, "dim");
  back_ = chip_button(QString::fromUtf8("↑"), QStringLiteral("Previous match (Shift+Enter)"));
  on_ = chip_button(QString::fromUtf8("↓"), QStringLiteral("Next match (Enter)"));
  back_->setAccessibleName(QStringLiteral("Previous match"));
  on_->setAccessibleName(QStringLiteral("Next match"));
  row->addWidget(field_);
  row->addWidget(count_);
  for (QPushButton* button : {back_, on_}) row->addWidget(button);
  patience_.setSingleShot(true);
  patience_.setInterval(120);
  connect(field_, &QLineEdit::textChanged, &patience_, qOverload<>(&QTimer::start));
  connect(&patience_, &QTimer::timeout, this, [this] { Q_EMIT asked(field_->text()); });
  connect(back_, &QPushButton::clicked, this, [this] { Q_EMIT step_asked(-1); });
  connect(on_, &QPushButton::clicked, this, [this] { Q_EMIT step_asked(1); });
  hide();
}

void GraphFindBar::open() {
  show();
  adjustSize();
  raise();
  field_->setFocus();
  field_->selectAll();
}

void GraphFindBar::show_count(size_t at, size_t of) {
  if (field_->text().trimmed().isEmpty()) count_->clear();
  else if (!of) count_->setText(QStringLiteral("nothing found"));
  else if (!at) count_->setText(count_text(of));
  else count_->setText(QStringLiteral("%1 of %2").arg(count_text(at), count_text(of)));
  back_->setEnabled(of > 0);
  on_->setEnabled(of > 0);
  adjustSize();
}

void GraphFindBar::give_up() {
  hide();
  Q_EMIT closed();
}

bool GraphFindBar::eventFilter(QObject* object, QEvent* event) {
  if (object != field_ || event->type() != QEvent::KeyPress) return QFrame::eventFilter(object, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (patience_.isActive()) {
        patience_.stop();
        Q_EMIT asked(field_->text());
      }
      Q_EMIT step_asked(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
      return true;
    case Qt::Key_Escape: give_up(); return true;
    default: return false;
  }
}

}  // namespace footlight::app
