// Marks at the right of a line of source: traced and retraced here, unrolled, fell back, eager, slow.
#pragma once

#include "app/models/line_costs.h"
#include "app/models/source_lines.h"

namespace footlight::app {

// Adds marks and the colour of the strip to `notes`, which has the fates and decisions of the file's lines.
void mark_lines(const Document& document, const query::LineSums& sums, session::FileId file,
                std::unordered_map<int, CodeLine>& notes);

}  // namespace footlight::app
