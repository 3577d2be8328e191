// What the ranks of a merged recording waited for, as parts of a report.
#pragma once

#include "engine/session/reader.h"

#include <string>
#include <string_view>

namespace footlight::cli {

std::string ranks_json(const session::Reader& reader);      // an object
std::string ranks_html(const session::Reader& reader, std::string (*escape)(std::string_view));  // the same
std::string ranks_markdown(const session::Reader& reader);  // a section; "": one process, or no collectives

}  // namespace footlight::cli
