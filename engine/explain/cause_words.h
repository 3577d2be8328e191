// Causes and rules in plain words, the same in the window and in reports.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

// "shapes that vary", of "varying_shape"
std::string cause_words(std::string_view cause);
// "a few shapes, each used again": why something that looked like a cause is legitimate
const char* rule_words(Rule rule);
// "shapes that vary (a few shapes, each used again)", or its detail
template <class S>
std::string suppressed_text(const S& suppressed) {
  if (!suppressed.detail.empty()) return suppressed.detail;
  return cause_words(suppressed.cause) + " (" + rule_words(Rule(suppressed.rule)) + ')';
}

}  // namespace footlight::explain
