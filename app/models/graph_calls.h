// Names of nodes by where they were made instead of by name scope: for groups by Python call and by module.
#pragma once

#include "app/models/document.h"

namespace footlight::app {

enum class GraphGrouping { kNames, kCalls, kModules };
inline constexpr GraphGrouping kGraphGroupings[] = {GraphGrouping::kNames, GraphGrouping::kCalls,
                                                    GraphGrouping::kModules};
QString name_of(GraphGrouping grouping);  // "name scopes"

// By position in the graph: the calls or the module and function around a node, each ended by a slash, without those
// that all share, then a name that no other node has. With kCalls "Dense.__call__()  line 20/bias()  line 8/7":
// functions, and the line of each call.
std::vector<std::string> made_in(const Document& document, const session::GraphRecord& graph, GraphGrouping grouping);

}  // namespace footlight::app
