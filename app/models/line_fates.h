// The fate of each line of a converted function in one trace: in the graph, or only run in Python while tracing.
#pragma once

#include "app/models/source_lines.h"

namespace footlight::app {

// Derives the fates of lines without a recorded decision from the trace's nodes. `lines` are consecutive.
void put_traced_fates(const Document& document, const session::GeneratedRecord& code, TraceId trace,
                      std::vector<CodeLine>& lines);

// For each line, the first line of its statement, as far as brackets and strings tell.
std::vector<size_t> statement_starts(const std::vector<CodeLine>& lines);

}  // namespace footlight::app
