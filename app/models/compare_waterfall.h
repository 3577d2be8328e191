// The bars of a comparison's waterfall: from the eager total over its parts to the traced total. Heights are times.
#pragma once

#include "app/models/compare_units.h"

#include "engine/explain/compare/comparison.h"

#include <QString>

#include <vector>

namespace footlight::app {

struct WaterfallBar {
  enum class Kind { kEager, kPart, kTraced };
  Kind kind = Kind::kPart;
  QString name, value, meaning;
  double from = 0, to = 0;        // a part begins where the one before it ended
  double low = 0, high = 0;       // the whisker: where `to` lies in nine of ten repetitions
  explain::Part part;             // for kPart
  bool joins_small = false;       // stands for small parts, which can be shown one by one
  bool was_small = false;         // one of them
  double change() const { return to - from; }
};

struct Waterfall {
  std::vector<WaterfallBar> bars;
  double lowest = 0, highest = 1;
  bool opened = false;            // small parts are shown one by one
};

// `opened`: each small part has its own bar.
Waterfall waterfall_of(const explain::Comparison& comparison, bool opened);
// The bar that a row of the table belongs to; -1: none.
int bar_of_group(const Waterfall& waterfall, explain::Group group);

}  // namespace footlight::app
