// The meaning of the fuzzer's bytes for GraphDefs: a file as it is, in bytes or as text.
#pragma once

#include <string_view>

namespace footlight::fuzz {

enum class GraphForm { kBytes, kText };

// Reads the GraphDef into a graph and writes it again; expected failures are Errors and fine. Ends the process where
// what was written cannot be read, or is another graph.
void read_graph_def(std::string_view input, GraphForm form);
// How many inputs were graphs so far.
unsigned graphs_read();

}  // namespace footlight::fuzz
