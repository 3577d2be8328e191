// Which two traces show what a finding says of its graphs, and in what all of them differ.
#pragma once

#include "engine/explain/findings.h"

#include <vector>

namespace footlight::explain {

// Fills in `graphs_words` and `pair`, by `graphs`, from the groups of traces that one trace would have replaced.
void describe_graphs(const Evidence& evidence, const std::vector<std::vector<const session::TraceRecord*>>& groups,
                     Finding& finding);

// Whether the keys of two traces differ, and only in what the finding names: its path, and those that change with it.
bool differ_only_in(const Finding& finding, const session::TraceRecord& a, const session::TraceRecord& b);

}  // namespace footlight::explain
