// Which calls of the program ran the graph of a trace, as far as findings about wrong results ask for it.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/session/reader.h"

#include <functional>

namespace footlight::explain {

ServedCalls served_calls(const RunRecords& records);

// The same of all calls of a recording, for whoever keeps only the first few of each kind, as the window does. Decodes
// the calls only if something was observed whose later calls have to be counted; else one chunk's index is read.
// `go_on` is called for every chunk, and throws to end it.
ServedCalls served_calls(const session::Reader& reader, const std::function<void()>& go_on);

}  // namespace footlight::explain
