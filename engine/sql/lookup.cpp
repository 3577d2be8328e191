// Lookups for rows of functions, built in one pass over files and traces: a recording may have any number of functions.
#include "engine/sql/table.h"

#include <algorithm>

namespace footlight::sql {

using session::FunctionRecord;

std::string_view Lookup::def_text(const FunctionRecord& function) {
  if (!def_texts_) {
    def_texts_.emplace();
    std::vector<const FunctionRecord*> functions;
    for (const FunctionRecord& f : reader.contents().functions)
      if (f.line > 0 && reader.file(f.file)) functions.push_back(&f);
    std::ranges::sort(functions, {}, [](const FunctionRecord* f) { return std::pair(f->file.value, f->line); });
    const FunctionRecord* before = nullptr;
    std::string_view rest;  // the file from the line of `before` on
    for (const FunctionRecord* f : functions) {
      const bool is_same_file = before && before->file == f->file;
      if (!is_same_file) rest = reader.file(f->file)->text;
      for (int line = is_same_file ? before->line : 1; line < f->line && !rest.empty(); ++line)
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
      (*def_texts_)[f] = rest.substr(0, rest.find('\n'));
      before = f;
    }
  }
  const auto at = def_texts_->find(&function);
  return at == def_texts_->end() ? std::string_view() : at->second;
}

size_t Lookup::traces_of(FunctionId function) {
  if (!traces_) {
    traces_.emplace();
    for (const session::TraceRecord& t : reader.contents().traces) ++(*traces_)[t.function];
  }
  const auto at = traces_->find(function);
  return at == traces_->end() ? 0 : at->second;
}

const session::TracingSpans& Lookup::tracing() {
  if (!tracing_) tracing_.emplace(reader.contents().traces);
  return *tracing_;
}

}  // namespace footlight::sql
