// A GraphDef as nodes of a graph: what tf.import_graph_def does.
#pragma once

#include "engine/formats/graph_def.pb.h"
#include "engine/formats/limits.h"
#include "engine/graph/import.h"

namespace footlight::formats {

// Adds the nodes of `def` to `into.graph` by `into.add` and finds what `into` wants. Throws kValue where the file is
// wrong or exceeds a limit, kNotFound for ops that are not supported: all of them, with nodes that use them.
// `producer_ops`: the ops as the program that wrote the file knew them; it may be null.
void import_graph_def(const GraphDef& def, GraphImport& into, const OpList* producer_ops = nullptr,
                      const Limits& = {});

}  // namespace footlight::formats
