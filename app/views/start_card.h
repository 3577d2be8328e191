// The card in the middle of a tab that has nothing to show yet: what will be done, asked before it is done.
#pragma once

#include <QVBoxLayout>
#include <QWidget>

namespace footlight::app {

// Lays out `page` around one card of that width at most; what is added to the result is in the card.
QVBoxLayout* start_card(QWidget* page, int width);

}  // namespace footlight::app
