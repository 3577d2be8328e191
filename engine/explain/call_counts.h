// Which calls of the program ran the graph of a trace, for the traces that findings about wrong results ask about.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/session/reader.h"

#include <functional>

namespace footlight::explain {

ServedCalls served_calls(const RunRecords& records);

// The same for all calls of a recording. The window uses it, because its records hold only the first few calls of each
// kind. Decodes the calls only if something was observed whose later calls have to be counted. `go_on` is called for
// every chunk, and throws to cancel.
ServedCalls served_calls(const session::Reader& reader, const std::function<void()>& go_on);

}  // namespace footlight::explain
