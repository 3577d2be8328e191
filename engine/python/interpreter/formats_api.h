// What `footlight._formats` offers to the engine's extension module, by a capsule.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight {
struct GraphImport;
}

namespace footlight::python {

inline constexpr const char* kFormatsApi = "footlight._formats.api";

struct FormatsApi {
  // Reads a GraphDef (a message, or its bytes) into a graph. `producer_ops`: an OpList, or None. Throws.
  void (*import_graph_def)(PyObject* graph_def, PyObject* producer_ops, GraphImport& into);
};

}  // namespace footlight::python
