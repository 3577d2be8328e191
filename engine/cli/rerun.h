// `footlight report --rerun`: runs the script again with the fix of each finding that is an edit of it.
#pragma once

#include "engine/explain/report.h"

namespace footlight::cli {

// Fills in Finding::checked. The script is run as it was recorded, from a copy in a temporary folder; its output is
// dropped. Says on stderr what it runs.
void rerun_findings(const session::Reader& reader, explain::Report& report);

}  // namespace footlight::cli
