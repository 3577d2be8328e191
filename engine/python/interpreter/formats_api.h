// What `footlight._formats` offers to the engine's extension module, by a capsule.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <memory>
#include <span>
#include <string>

namespace footlight {
struct GraphImport;
struct NamedTensor;
class TensorFile;
class SummaryWriter;
}

namespace footlight::python {

inline constexpr const char* kFormatsApi = "footlight._formats.api";

struct FormatsApi {
  // Reads a GraphDef (a message, or its bytes) into a graph. `producer_ops`: an OpList, or None. Throws.
  void (*import_graph_def)(PyObject* graph_def, PyObject* producer_ops, GraphImport& into);
  // The values of a checkpoint: see engine/formats/bundle.h. Both throw, and work without the GIL.
  std::unique_ptr<TensorFile> (*open_bundle)(const std::string& prefix);
  void (*write_bundle)(const std::string& prefix, std::span<const NamedTensor> tensors);
};

// Loads the module when first asked. Throws.
const FormatsApi& formats_api();

}  // namespace footlight::python
