// The cards of the Findings dock.
#pragma once

#include "app/models/selection.h"

#include "engine/explain/findings.h"

#include <QString>

#include <vector>

namespace footlight::app {

struct FindingCard {
  QString title;       // "lr is a Python number that changes"
  QString function;    // "train_step"
  QString detail;      // "args[1]: 6 values, 0.1 → 0.05 → 0.033 …; the graphs differ only in constants"
  Place place;
  QString place_text;
  QString check;       // "replayed: saves 10 of 12 traces, 41.0 ms", "not checked: ..."
  bool checked = false;
  QString fix;         // "tf.constant(lr)"
  QString tone;        // amber: cost; red: something failed
  Selection target;
};

std::vector<FindingCard> finding_cards(const Document& document);

}  // namespace footlight::app
