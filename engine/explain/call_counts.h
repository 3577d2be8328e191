// Exact counts of calls for whoever keeps only the first few calls of each kind, as the window does.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/session/reader.h"

#include <functional>

namespace footlight::explain {

// Decodes the calls only if something was observed whose later calls have to be counted; else one chunk's index is
// read. `go_on` is called for every chunk, and throws to end it.
std::unordered_map<TraceId, std::vector<int64_t>> starts_of_served_calls(const session::Reader& reader,
                                                                         const std::function<void()>& go_on);

}  // namespace footlight::explain
