// The functions of a file as graphs. Each is read when the first node calls it.
#pragma once

#include "engine/formats/attributes.h"
#include "engine/graph/graph.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace footlight::formats {

class Library {
 public:
  // Both have to outlive it. Sets `reading.function`.
  Library(const FunctionDefLibrary&, Reading& reading);

  const FunctionDef* find(std::string_view name) const;
  // Throws for functions that call themselves, or each other too often.
  GraphPtr function(const NameAttrList&);
  // Checks what a program of the graph would take: a function is compiled for each graph that calls it.
  void check_cost(const Graph&);

 private:
  struct Cost {
    uint64_t nodes = 0;
    int depth = 0;
  };
  GraphPtr read(const FunctionDef&, const AttrMap& parameters);
  Cost cost_of(const Graph&);

  const FunctionDefLibrary& defs_;
  Reading& reading_;
  std::unordered_map<std::string_view, const FunctionDef*> by_name_;
  std::map<std::string, GraphPtr> read_;  // by name and parameters; null while it is being read
  std::unordered_map<const Graph*, Cost> costs_;
  int depth_ = 0;
};

}  // namespace footlight::formats
