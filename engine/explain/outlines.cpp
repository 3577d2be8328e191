// Makes an outline of a file when it is first asked for.
#include "engine/explain/outlines.h"

#include <algorithm>

namespace footlight::explain {

const source::Outline& Outlines::of(session::FileId file) {
  const auto [at, added] = outlines_.try_emplace(file);
  if (!added) return at->second;
  const auto record = std::ranges::find(evidence_.records().files, file, &session::FileRecord::id);
  if (record != evidence_.records().files.end()) at->second = source::outline_of(record->text);
  return at->second;
}

}  // namespace footlight::explain
