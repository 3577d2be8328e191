// What PyTorch compares of a tensor besides its shape and dtype: leaves of the kind "layout" say "contiguous; no
// gradient; Tensor; cpu".
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

enum class LayoutPart : uint8_t { kOrder, kGradient, kClass, kDevice, kMode };

// "no gradient"; a tensor made in inference mode has the last part, others have none.
std::string layout_part(const session::KeyLeaf* leaf, LayoutPart part);

// Arguments of which nothing but this part of the layout differs, as candidates to which the cause adds title and fix.
struct LayoutChange {
  Candidate candidate;
  std::vector<std::string> texts;
  std::string path, parameter;  // of the tensor
};
std::vector<LayoutChange> layout_changes(const Evidence& evidence, const FunctionRun& run, LayoutPart part);

}  // namespace footlight::explain
