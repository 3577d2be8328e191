// Says afterwards how the run of a completed recording ended.
#pragma once

#include <string>

namespace footlight::session {

// Does nothing if the file cannot be changed any more: then it still says that the program finished.
void amend_end(const std::string& path, int exit_code, const std::string& reason) noexcept;

}  // namespace footlight::session
