// Counts of traces in the words of the window.
#pragma once

#include "app/models/text.h"

#include "engine/session/trace_counts.h"

namespace footlight::app {

using session::counts_of;
using session::TraceCounts;

// "12 traces", "12 traces, 1 failed", "1 failed trace".
inline QString counted_traces(const TraceCounts& counts) {
  if (!counts.traces && counts.failed) return counted(counts.failed, "failed trace", "failed traces");
  const QString text = counted(counts.traces, "trace", "traces");
  return counts.failed ? text + QStringLiteral(", ") + count_text(counts.failed) + QStringLiteral(" failed") : text;
}

}  // namespace footlight::app
