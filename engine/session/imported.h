// What RunRecord::engine says of a recording that was made of another program's file.
#pragma once

#include <string_view>

namespace footlight::session {

inline constexpr std::string_view kImported = "imported: ";   // before the name of the format
// Where nothing was recorded of a time, Python ran only if the recording is one of ours.
inline bool is_imported(std::string_view engine) { return engine.starts_with(kImported); }

}  // namespace footlight::session
