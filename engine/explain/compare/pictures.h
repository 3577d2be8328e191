// The two timelines of a comparison: one repetition of each way, in lanes.
#pragma once

#include "engine/explain/compare/runs.h"

#include <functional>

namespace footlight::explain {

using RowOf = std::function<int32_t(size_t op)>;  // of the run's ops

Picture picture_of(const session::Reader& reader, const Run& run, const RowOf& row_of);

}  // namespace footlight::explain
