// The field, the buttons and their keys.
#include "app/views/search_bar.h"

#include "app/views/labels.h"

#include <QKeyEvent>

namespace footlight::app {

SearchBar::SearchBar(const QString& hint, const QString& name, const QString& what, QWidget* parent)
    : QFrame(parent), row_(new QHBoxLayout(this)), input_(new QLineEdit), count_(plain_label({}, "dim")) {
  row_->setContentsMargins(0, 0, 0, 0);
  row_->setSpacing(6);
  input_->setPlaceholderText(hint);
  input_->setAccessibleName(name);
  input_->installEventFilter(this);
  row_->addWidget(input_, 1);
  count_->setAccessibleName(QStringLiteral("Number of matches"));
  row_->addWidget(count_);
  const auto button = [&](const QString& text, const QString& tip, const QString& keys, auto&& act) {
    QPushButton* made = chip_button(text, tip + QStringLiteral(" (") + keys + QLatin1Char(')'));
    made->setAccessibleName(tip);
    connect(made, &QPushButton::clicked, this, act);
    row_->addWidget(made);
    return made;
  };
  back_ = button(QStringLiteral("Previous"), QStringLiteral("Previous ") + what, QStringLiteral("Shift+Enter"),
                 [this] { step(-1); });
  on_ = button(QStringLiteral("Next"), QStringLiteral("Next ") + what, QStringLiteral("Enter"), [this] { step(1); });
  button(QStringLiteral("Close"), QStringLiteral("Close the search"), QStringLiteral("Esc"), [this] { close_bar(); });
  hide();
}

void SearchBar::open() {
  show();
  adjustSize();
  raise();
  input_->setFocus(Qt::ShortcutFocusReason);
  input_->selectAll();
  opened();
}

void SearchBar::show_count(const QString& text, bool any) {
  count_->setText(text);
  back_->setEnabled(any);
  on_->setEnabled(any);
}

bool SearchBar::eventFilter(QObject* object, QEvent* event) {
  if (object != input_ || event->type() != QEvent::KeyPress) return QFrame::eventFilter(object, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: step(key->modifiers() & Qt::ShiftModifier ? -1 : 1); return true;
    case Qt::Key_Escape: close_bar(); return true;
    default: return false;
  }
}

}  // namespace footlight::app
