// FX graphs of PyTorch as text: the code of a graph module (print_readable, GraphModule.code, an exported program), or
// the list of its nodes (str(graph)).
#pragma once

#include "engine/foreign/program.h"

#include <vector>

namespace footlight::foreign {

bool looks_like_fx(std::string_view begin);
void read_fx(const Import& import);

// A graph that no other one in its text runs.
struct FxGraph {
  GraphId graph;
  std::string name, signature;
  int line = 0;
};
// Adds the graphs of a text. `name`: that of graphs without one of their own. `own_lines`: whether nodes without a line
// of the program stand on the line of the text.
std::vector<FxGraph> add_fx_graphs(Program& program, std::string_view text, std::string_view name, bool own_lines);

}  // namespace footlight::foreign
