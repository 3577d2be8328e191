// Finds nodes that a library such as Keras made, and the calls in the user's code that led to them.
#pragma once

#include "app/models/document.h"

#include <string>
#include <vector>

namespace footlight::app {

struct LibraryCalls {
  struct Call {
    std::string key;  // the same in all traces, without a slash
    QString title;    // "BaseOptimizer.apply_gradients()"
    bool is_line = false;  // the nodes were made on a line of the library itself, which is the title
  };
  std::vector<Call> calls;
  // One for each position in the graph. Nodes for arguments and results are nobody's.
  enum class Maker : uint8_t { kNobody, kPerson, kLibrary };
  std::vector<Maker> makers;
  std::vector<int> call;     // for a library's node, its index in `calls`, else -1
  std::vector<SourcePlace> place;  // the innermost line of the person's; none where that is not known
};
LibraryCalls library_calls(const Document& document, const session::GraphRecord& graph);

}  // namespace footlight::app
