// `footlight export`: its arguments and its formats.
#include "engine/cli/export.h"

#include "engine/base/text.h"
#include "engine/cli/commands.h"

#include <algorithm>

namespace footlight::cli {
namespace {

struct Format {
  const char* name;
  void (*write)(const Export& what);
  bool binary = false, has_table = false, has_graph = false;
};
constexpr Format kFormats[] = {{"chrome", export_chrome},
                               {"perfetto", export_perfetto, true},
                               {"csv", export_csv, false, true},
                               {"dot", export_dot, false, false, true},
                               {"svg", export_svg, false, false, true}};

constexpr const char* kHow =
    "`footlight export FILE --format chrome|perfetto|csv|dot|svg [-o FILE] [--table TABLE] "
    "[--graph FUNCTION#TRACE[@STAGE]]`";

const Format& format_of(const std::string& name) {
  for (const Format& format : kFormats)
    if (name == format.name) return format;
  if (name.empty()) invalid("export: which format? ", kHow);
  invalid("export: there is no format '", name, "'. ", kHow);
}

void run(const Words& words) {
  std::string file, format_name, output, table, graph;
  const std::pair<const char*, std::string*> options[] = {
      {"--format", &format_name}, {"-o", &output}, {"--output", &output}, {"--table", &table}, {"--graph", &graph}};
  for (size_t i = 0; i < words.size(); ++i) {
    const auto option = std::find_if(std::begin(options), std::end(options),
                                     [&](const auto& known) { return words[i] == known.first; });
    if (option != std::end(options)) {
      if (++i == words.size()) invalid("export: ", option->first, " needs a value. ", kHow);
      *option->second = words[i];
    } else if (file.empty() && !words[i].empty() && words[i][0] != '-') {
      file = words[i];
    } else {
      invalid("export: what is '", words[i], "'? ", kHow);
    }
  }
  if (file.empty()) invalid("export: which session? ", kHow);
  const Format& format = format_of(format_name);
  if (!table.empty() && !format.has_table) invalid("export: --table is for --format csv");
  if (!graph.empty() && !format.has_graph) invalid("export: --graph is for --format dot and --format svg");
  if (format.has_table && table.empty()) invalid("export: --table is missing; it is one of: ", csv_tables());

  Progress progress;
  const auto reader = session::Reader::open(file, {[&](double share) {
    progress.show("reading", share);
    return true;
  }});
  Output out(output, file, format.binary);
  format.write({*reader, out, progress, file, table, graph});
  out.finish();
}

}  // namespace

int export_session(const Words& words) {
  try {
    run(words);
  } catch (const Error& e) {
    return complain(e.message());
  }
  return 0;
}

}  // namespace footlight::cli
