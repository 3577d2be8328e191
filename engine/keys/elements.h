// Reads from the name of its type what a dataset or an iterator yields: "IteratorSpec((f32[4,4] {n: i32[4]}))".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace footlight::keys {

struct ElementLeaf {
  std::string path;   // "[0]", "[1]['n']"; empty if the element is a single tensor
  std::string type;   // "float32"; the name of its type if it is no tensor
  std::string shape;  // "4,4"
  bool tensor = true;
};
// The leaves of an element; none if the name does not say them.
std::vector<ElementLeaf> element_leaves(std::string_view name);

}  // namespace footlight::keys
