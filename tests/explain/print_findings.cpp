// print_findings SESSION: prints the findings of a recording, one line of JSON each, for tests that record scripts.
// Without a session, prints the names of all causes, one a line.
#include "engine/explain/findings.h"
#include "engine/explain/session_records.h"

#include <cstdio>

using namespace footlight;

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + '"';
}

std::string list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + quoted(item);
  return out + ']';
}

void print(const session::Reader& reader, const explain::Finding& f) {
  const session::FunctionRecord* function = reader.function(f.function);
  const session::CodeRecord* code = function ? nullptr : reader.code(f.code);
  const int line = f.line.line;
  const bool replayed = f.checked.method == explain::Checked::Method::kReplay;
  const std::string name = function ? function->name : code ? code->qualname : "";
  std::printf("{\"function\": %s, \"cause\": %s, \"path\": %s, \"also_paths\": %s, \"line\": %d, \"graphs\": %s, ",
              quoted(name).c_str(), quoted(f.cause).c_str(), quoted(f.path).c_str(),
              list(f.also_paths).c_str(), line, quoted(explain::name_of(f.graphs)).c_str());
  std::string related;
  for (const explain::RelatedLine& r : f.related) {
    const session::FileRecord* file = reader.file(r.at.file);
    related += (related.empty() ? "" : ", ") + ('[' + quoted(r.role)) + ", " + quoted(file ? file->path : "") + ", " +
               std::to_string(r.at.line) + ']';
  }
  std::printf("\"related\": [%s], \"nodes\": %zu, \"bytes\": %llu, ", related.c_str(), f.nodes,
              static_cast<unsigned long long>(f.bytes));
  std::printf("\"edit\": [%d, %s, %s], ", f.edit.at.line, quoted(f.edit.old_text).c_str(),
              quoted(f.edit.new_text).c_str());
  std::printf("\"method\": %s, \"ok\": %s, \"traces_before\": %zu, \"traces_after\": %zu, ",
              replayed ? "\"replay\"" : "null", f.checked.ok ? "true" : "false", f.checked.traces_before,
              f.checked.traces_after);
  std::printf("\"check\": %s, \"title\": %s, \"detail\": %s, \"fix\": %s}\n",
              quoted(explain::check_text(f.checked)).c_str(), quoted(f.title).c_str(), quoted(f.detail).c_str(),
              quoted(f.fix).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    for (const explain::Cause* cause : explain::all_causes()) std::puts(cause->name);
    return 0;
  }
  const auto reader = session::Reader::open(argv[1]);
  const explain::SessionRecords records(*reader);
  for (const explain::Finding& f : explain::find_findings(records.records()).found) print(*reader, f);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
