// The forms in which a report is written.
#pragma once

#include "engine/explain/report.h"

namespace footlight::cli {

// Version 1 of "footlight-report".
std::string report_json(const session::Reader& reader, const explain::Report& report);
// One file, readable without a network.
std::string report_html(const session::Reader& reader, const explain::Report& report);
std::string report_markdown(const session::Reader& reader, const explain::Report& report);

}  // namespace footlight::cli
