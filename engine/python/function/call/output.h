// Return values of traced functions: flattened into tensors while tracing, rebuilt at each call. And texts of types.
#pragma once

#include "engine/graph/graph.h"
#include "engine/python/interpreter/ref.h"

#include <span>
#include <string>
#include <vector>

namespace footlight::python {

struct TraceEntry;

struct OutputTemplate {
  enum Kind : uint8_t { kTensor, kNone, kList, kTuple, kNamedTuple, kDict, kComposite, kFlattened };
  Kind kind = kNone;
  size_t index = 0;                      // kTensor
  Ref type;                              // kNamedTuple, kDict, kFlattened: the class; kComposite: its spec
  std::vector<Ref> keys;                 // kDict; kFlattened: one, the metadata
  std::vector<OutputTemplate> children;
};
// Flattens the structure; leaves become tensors (in the current trace, if any).
OutputTemplate take_outputs(PyObject* result, std::vector<Tensor>& tensors);
Ref put_together(const OutputTemplate&, std::span<const Ref> leaves);
// The Python value that a call of the trace returns.
Ref result_of(const TraceEntry&, std::span<Tensor> outputs);

std::string type_text(PyObject* value);                      // type of an argument: "List[Literal[1], ...]"
std::string output_text(const OutputTemplate&, const Graph&);
std::string signature_block(const TraceEntry&);              // Input Parameters: ... Captures: ...
std::string function_type_text(const TraceEntry&);           // (x: TensorSpec(...)) -> ...

}  // namespace footlight::python
