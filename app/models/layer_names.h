// The names that Keras gave the layers of a graph, which its scopes do not tell.
#pragma once

#include "engine/session/records.h"

#include <map>
#include <string>
#include <vector>

namespace footlight::app {

// The names of layers by their scopes, as far as the variables that they read tell: Keras makes the scope of each call
// unique ("net_1/dense_1", "net_1/dense_1_2"), but names a variable after its layer ("net/dense/kernel", "net/dense_1/
// kernel"). `scopes`: of each node, empty where it is in no layer.
std::map<std::string, std::string> layer_names(const session::GraphRecord& graph, const session::TraceRecord& trace,
                                               const std::vector<std::string>& scopes);
// Whether all of these scopes have a number behind their layer's name. Keras 3 opens a layer's scope once to build it
// and again to call it, so that the scope of a call always has one; Keras 2 opens it once, so that a number may be the
// layer's own.
bool scopes_have_numbers(const std::map<std::string, std::string>& names);
// `scope` with the names of the layers around it. Those without variables ("dropout_1") have the scope's name, without
// its number if scopes `have_numbers`.
std::string named_layer(const std::map<std::string, std::string>& names, const std::string& scope, bool have_numbers);

}  // namespace footlight::app
