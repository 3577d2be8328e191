// The names that Keras gave the layers of a graph, which its scopes do not tell.
#pragma once

#include "engine/session/records.h"

#include <map>
#include <string>
#include <vector>

namespace footlight::app {

// The names of layers by their scopes, as far as the variables that they read tell: Keras makes the scope of each call
// unique ("net_1/dense_1", "net_1/dense_1_2"), but names a variable after its layer ("net/dense/kernel", "net/dense_1/
// kernel"). `scopes`: of each node, empty where it is in no layer. A layer without variables keeps its scope's name.
std::map<std::string, std::string> layer_names(const session::GraphRecord& graph, const session::TraceRecord& trace,
                                               const std::vector<std::string>& scopes);
// `scope` with the names of the layers around it.
std::string named_layer(const std::map<std::string, std::string>& names, const std::string& scope);

}  // namespace footlight::app
