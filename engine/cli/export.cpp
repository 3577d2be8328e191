// `footlight export`: its arguments and its formats.
#include "engine/cli/export.h"

#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/open_file.h"

#include <algorithm>

namespace footlight::cli {
namespace {

struct Format {
  const char* name;
  void (*write)(const Export& what);
  OutputKind kind;
  bool has_table = false, has_graph = false;
};

// A header of plain names; only CSV ends it with CR and LF.
bool begins_as_csv(std::string_view first) {
  const size_t end = first.find("\r\n");
  return end != first.npos &&
         first.substr(0, end).find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789,") == first.npos;
}
bool begins_as_chrome(std::string_view first) { return first.starts_with("{\"displayTimeUnit\":"); }
bool begins_as_perfetto(std::string_view first) { 
  return first.size() > 2 && first[0] == '\x0a' && first[2] == '\x32';  // a packet with the clocks
}
bool begins_as_dot(std::string_view first) { return first.starts_with("digraph "); }
bool begins_as_svg(std::string_view first) {
  return first.find("<svg") != first.npos || (first.starts_with("<?xml") && first.find("DTD SVG") != first.npos);
}

const Format kFormats[] = {
    {"chrome", export_chrome, {"trace events as JSON", {".json"}, begins_as_chrome}},
    {"perfetto", export_perfetto,
     {"a Perfetto trace", {".perfetto-trace", ".pftrace", ".perfetto"}, begins_as_perfetto, true}},
    {"csv", export_csv, {"a CSV table", {".csv", ".txt"}, begins_as_csv}, true},
    {"dot", export_dot, {"a graph for dot", {".dot", ".gv"}, begins_as_dot}, false, true},
    {"svg", export_svg, {"an SVG picture", {".svg"}, begins_as_svg}, false, true}};

constexpr const char* kHow =
    "`footlight export FILE --format chrome|perfetto|csv|dot|svg [-o FILE] [--table TABLE] "
    "[--graph FUNCTION#TRACE[@STAGE]]`";

const Format& format_of(const std::string& name) {
  for (const Format& format : kFormats)
    if (name == format.name) return format;
  if (name.empty()) invalid("export needs --format; usage: ", kHow);
  invalid("export: there is no format '", name, "'; usage: ", kHow);
}

}  // namespace

int export_session(const Words& words) {
  std::string file, format_name, output, table, graph;
  const std::pair<const char*, std::string*> options[] = {
      {"--format", &format_name}, {"-o", &output}, {"--output", &output}, {"--table", &table}, {"--graph", &graph}};
  for (size_t i = 0; i < words.size(); ++i) {
    const auto option = std::find_if(std::begin(options), std::end(options),
                                     [&](const auto& known) { return words[i] == known.first; });
    if (option != std::end(options)) {
      if (++i == words.size()) invalid("export: ", option->first, " needs a value; usage: ", kHow);
      *option->second = words[i];
    } else if (file.empty() && !words[i].empty() && words[i][0] != '-') {
      file = words[i];
    } else {
      invalid("export: unknown option '", words[i], "'; usage: ", kHow);
    }
  }
  if (file.empty()) invalid("export needs a recording; usage: ", kHow);
  const Format& format = format_of(format_name);
  if (!table.empty() && !format.has_table) invalid("export: --table works only with --format csv");
  if (!graph.empty() && !format.has_graph) invalid("export: --graph works only with --format dot and --format svg");
  if (format.has_table && table.empty()) invalid("export: --table is missing; it is one of: ", csv_tables());

  Progress progress;
  const auto reader = open_file(file);
  Output out(output, file, format.kind);
  format.write({*reader, out, progress, file, table, graph});
  out.finish();
  return 0;
}

}  // namespace footlight::cli
