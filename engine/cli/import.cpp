// `footlight import`: makes a recording of files of other programs.
#include "engine/base/terminal_text.h"
#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/export_output.h"
#include "engine/cli/temporary.h"
#include "engine/foreign/foreign.h"
#include "engine/session/output_place.h"
#include "engine/session/reader.h"

#include <cstdio>
#include <filesystem>

namespace footlight::cli {
namespace {

constexpr const char* kHow = "`footlight import FILE... -o X.footlight`";

// "trace.json.gz" becomes "trace.footlight", in this folder; "logs/" becomes "logs.footlight".
std::string usual_output(const std::string& file) {
  const std::filesystem::path path(file);
  std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  for (const std::string_view ending : {".gz", ".json", ".pt.trace", ".trace", ".txt", ".hlo", ".mlir", ".fx", ".py",
                                        ".log", ".pftrace", ".perfetto-trace", ".sqlite"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name + ".footlight";
}

}  // namespace

int import_files(const Words& words) {
  Words files;
  std::string output;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "-o" || w == "--output") {
      if (++i == words.size()) return complain(str("import: ", w, " needs a file; usage: ", kHow));
      output = words[i];
    } else if (w.empty() || w[0] != '-') {
      files.push_back(w);
    } else {
      return complain(str("import: unknown option '", w, "'; usage: ", kHow));
    }
  }
  if (files.empty()) return complain(str("import needs a file; usage: ", kHow));
  if (output.empty()) output = usual_output(files.front());
  session::refuse_unless_recording(output);
  {
    const DeferredSignals signals;
    Progress progress;
    foreign::import_files(files, output, {[&](double share) {
      progress.show("importing", share);
      return !DeferredSignals::caught();
    }});
  }
  const auto reader = session::Reader::open(output);
  std::fprintf(stderr, "footlight: %s\n",
               printable(str(output, ": ", reader->op_events().rows(), " ops, ", reader->device_events().rows(),
                             " device events, ", reader->spans().rows(), " spans, ", reader->counters().rows(),
                             " values of counters")).c_str());
  for (const session::DroppedRecord& d : reader->contents().dropped)
    std::fprintf(stderr, "footlight: not imported: %s\n", printable(str(d.count, ' ', d.what, ": ", d.why)).c_str());
  return 0;
}

}  // namespace footlight::cli
