// The card is a little above the middle.
#include "app/views/start_card.h"

#include "app/views/layouts.h"

#include <QFrame>

namespace footlight::app {

QVBoxLayout* start_card(QWidget* page, int width) {
  auto* outer = column_in(page, {12, 20, 12, 20});
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
  auto* column = column_in(card, {24, 20, 24, 20}, 12);
  return column;
}

}  // namespace footlight::app
