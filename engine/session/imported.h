// What RunRecord::engine says of a recording that was made of another program's file.
#pragma once

#include <string_view>

namespace footlight::session {

inline constexpr std::string_view kImported = "imported: ";   // before the name of the format
// Whether import_files() made the recording. Where nothing was recorded of a time, Python ran only if it did not.
inline bool is_imported(std::string_view engine) { return engine.starts_with(kImported); }

}  // namespace footlight::session
