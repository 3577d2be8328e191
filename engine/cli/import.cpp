// `footlight import`: makes a recording of files of other programs.
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

// "trace.json.gz" becomes "trace.footlight", in this folder.
std::string usual_output(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".json", ".pt.trace", ".trace"})
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
  std::fprintf(stderr, "footlight: %s: %s ops, %s device events, %s spans, %s values of counters\n", output.c_str(),
               std::to_string(reader->op_events().rows()).c_str(), std::to_string(reader->device_events().rows()).c_str(),
               std::to_string(reader->spans().rows()).c_str(), std::to_string(reader->counters().rows()).c_str());
  for (const session::DroppedRecord& d : reader->contents().dropped)
    std::fprintf(stderr, "footlight: not imported: %s %s: %s\n", std::to_string(d.count).c_str(), d.what.c_str(), d.why.c_str());
  return 0;
}

}  // namespace footlight::cli
