// Tells which nodes do something besides computing their outputs.
#pragma once

#include "engine/graph/graph.h"

#include <unordered_map>

namespace footlight::optimize {

class Effects {
 public:
  bool has_effect(const Node& node);
  bool has_effect(const Graph& graph);

 private:
  std::unordered_map<const Graph*, bool> known_;
};

}  // namespace footlight::optimize
