// Causes of findings in plain words, grouped by what is examined to find them.
#pragma once

#include "app/models/document.h"

#include <QStringList>

#include <set>

namespace footlight::app {

// "shapes that vary", of "varying_shape"
QString cause_words(const std::string& cause);

// Causes that were searched for in one place and not found.
struct LookedFor {
  QString where;       // "In the keys of 48 calls and 13 traces"
  QStringList causes;  // in plain words
};
// All causes except those in `named`.
std::vector<LookedFor> looked_for(const Document& document, const std::set<std::string>& named);

}  // namespace footlight::app
