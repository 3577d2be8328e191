// The interface of `footlight._formats` for the engine's extension module, passed in a capsule.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <memory>
#include <span>
#include <string>

namespace footlight {
struct GraphImport;
struct NamedTensor;
class Tensor;
class TensorFile;
}

namespace footlight::python {

inline constexpr const char* kFormatsApi = "footlight._formats.api";

struct FormatsApi {
  // Reads a GraphDef (a message, or its bytes) into a graph. `producer_ops`: an OpList, or None. Throws.
  void (*import_graph_def)(PyObject* graph_def, PyObject* producer_ops, GraphImport& into);
  // The values of a checkpoint: see engine/formats/bundle.h. Both throw, and work without the GIL.
  std::unique_ptr<TensorFile> (*open_bundle)(const std::string& prefix);
  void (*write_bundle)(const std::string& prefix, std::span<const NamedTensor> tensors);
  // A resource that is a SummaryWriter, and what all of them still hold: see engine/formats/event_file.h.
  Tensor (*create_event_file)(const std::string& folder, long long max_queue, long long flush_millis,
                              const std::string& suffix);
  void (*flush_event_files)();
};

// Loads the module when first asked. Throws.
const FormatsApi& formats_api();

}  // namespace footlight::python
