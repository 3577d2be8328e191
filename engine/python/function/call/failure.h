// Errors of a graph, with the place in the user's program where the node was made that failed.
#pragma once

#include "engine/base/ids.h"

#include <string>

namespace footlight::python {

// Where that is in the user's program, as Python writes it, on a new line; empty if it is not known.
std::string line_of(SourceRef);
// In a handler: adds the place in the user's program where the failing node was made to the message of an error from a
// graph, and throws it again.
[[noreturn]] void explain_failure();

}  // namespace footlight::python
