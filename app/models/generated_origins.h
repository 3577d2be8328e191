// What the text of a stage says of where its lines come from: comments of jaxprs and FX graphs, locations of StableHLO,
// metadata of HLO, line numbers of bytecode, the nodes that Inductor names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::app {

struct OriginPlace {
  std::string file;
  int line = 0;
  friend auto operator<=>(const OriginPlace&, const OriginPlace&) = default;
};
// Places that a line of a text comes from; the innermost first, then those that called it.
using LineOrigin = std::vector<OriginPlace>;

// The origin of each line. `kind` is the artifact's. `file` is the function's, for texts with line numbers only.
std::vector<LineOrigin> origins_of_lines(std::string_view kind, const std::vector<std::string_view>& lines,
                                         const std::string& file);

// The origins of the nodes of an FX graph's text, by name.
std::map<std::string, LineOrigin, std::less<>> origins_of_nodes(const std::vector<std::string_view>& lines);
// For each line of Inductor's code, the origins of all nodes that are named above it.
using OriginsOfNodes = std::map<std::string, LineOrigin, std::less<>>;
std::vector<std::vector<LineOrigin>> inductor_origins(const std::vector<std::string_view>& lines,
                                                      const std::vector<OriginsOfNodes>& graphs);

std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace footlight::app
