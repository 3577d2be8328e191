// Errors of a graph, with the line of the user's program that created the failing node.
#pragma once

#include "engine/base/ids.h"

#include <string>

namespace footlight::python {

// The line in the user's program as Python writes it, after a line end; empty if it is unknown.
std::string line_of(SourceRef);
// Called in a handler: adds the line that created the failing node to the message of an error from a graph, and
// rethrows it.
[[noreturn]] void explain_failure();

}  // namespace footlight::python
