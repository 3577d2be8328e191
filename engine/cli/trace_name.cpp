// Takes the names of traces apart.
#include "engine/cli/trace_name.h"

#include "engine/base/text.h"
#include "engine/cli/text.h"
#include "engine/explain/stages.h"
#include "engine/explain/words.h"

#include <charconv>

namespace footlight::cli {

std::optional<TraceName> trace_name(std::string_view word) {
  TraceName name;
  if (const size_t at = word.rfind('@'); at != word.npos) {
    name.stage = word.substr(at + 1);
    word = word.substr(0, at);
  }
  const size_t hash = word.rfind('#');
  name.function = word.substr(0, hash);
  if (hash == word.npos) return name;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data() + hash + 1, end, name.number);
  if (read.ec != std::errc() || read.ptr != end || name.number < 1) return std::nullopt;
  return name;
}

size_t passes_until(const session::GraphRecord& record, const std::string& stage, const std::string& graph) {
  if (stage.empty()) return 0;
  if (const std::optional<size_t> passes = explain::stage_named(record, stage)) return *passes;
  if (record.passes.empty())
    fail(ErrorKind::kNotFound, "the recording does not say what passes did to ", printable(graph));
  fail(ErrorKind::kNotFound, printable(graph), " has no stage '", printable(stage),
       "'; it has: ", printable(explain::joined(explain::stage_names(record), ", ")), ", last");
}

}  // namespace footlight::cli
