// What a dataset or an iterator yields, as the name of its type says it: "IteratorSpec((f32[4,4] {n: i32[4]}))".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace footlight::keys {

struct ElementLeaf {
  std::string path;   // "[0]", "[1]['n']"; of an element that is a single tensor empty
  std::string type;   // "float32"; of what is no tensor the name of its type
  std::string shape;  // "4,4"
  bool tensor = true;
};
// The leaves of an element; none if the name does not say them.
std::vector<ElementLeaf> element_leaves(std::string_view name);

}  // namespace footlight::keys
