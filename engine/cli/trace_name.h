// FUNCTION, FUNCTION#TRACE or FUNCTION#TRACE@STAGE, as users name the graph of a trace.
#pragma once

#include "engine/session/records.h"

#include <optional>
#include <string>
#include <string_view>

namespace footlight::cli {

struct TraceName {
  std::string function;
  int number = 0;       // from 1; 0: none was named
  std::string stage;    // "prune": after that pass; empty: as traced
};

// None if what follows the last # is no number from 1.
std::optional<TraceName> trace_name(std::string_view word);

// After how many passes a graph is at that stage; throws Error, with the stages that there are. `graph`: its name for
// the message.
size_t passes_until(const session::GraphRecord& record, const std::string& stage, const std::string& graph);

}  // namespace footlight::cli
