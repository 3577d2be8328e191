// Which two traces show what a finding says of its graphs, and in what all of them differ.
#pragma once

#include "engine/explain/findings.h"

#include <vector>

namespace footlight::explain {

// Fills in `graphs_words` and `pair`, by `graphs`, from the groups of traces that one trace would have replaced.
void describe_graphs(const Evidence& evidence, const std::vector<std::vector<const session::TraceRecord*>>& groups,
                     Finding& finding);

}  // namespace footlight::explain
