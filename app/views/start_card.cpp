// The card is a little above the middle.
#include "app/views/start_card.h"

#include <QFrame>
#include <QHBoxLayout>

namespace footlight::app {

QVBoxLayout* start_card(QWidget* page, int width) {
  auto* outer = new QVBoxLayout(page);
  outer->setContentsMargins(12, 20, 12, 20);
  auto* card = new QFrame;
  card->setProperty("role", "card");
  card->setMaximumWidth(width);
  auto* across = new QHBoxLayout;
  across->addStretch(1);
  across->addWidget(card, 100);
  across->addStretch(1);
  outer->addStretch(1);
  outer->addLayout(across);
  outer->addStretch(2);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  return column;
}

}  // namespace footlight::app
