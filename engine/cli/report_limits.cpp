// Compares a run with the limits of `footlight report`.
#include "engine/base/text.h"
#include "engine/cli/report.h"
#include "engine/session/run_times.h"

#include <cstdio>

namespace footlight::cli {
namespace {

// How long at least one function was being traced, lowered or compiled: what happens side by side counts once.
int64_t compiling_time(const session::Reader& reader) {
  std::vector<session::TraceRecord> spans;
  const auto add = [&](int64_t start_ns, int64_t end_ns) {
    spans.emplace_back();
    spans.back().start_ns = start_ns;
    spans.back().end_ns = end_ns;
  };
  for (const session::TraceRecord& t : reader.contents().traces) {
    add(t.start_ns, t.end_ns);
    for (const session::PhaseRecord& p : t.phases) add(p.start_ns, p.end_ns);  // one may come later: a recompilation
  }
  return session::tracing_time(spans);
}

std::string seconds(double value) {
  char text[64];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f s" : "%.1f s", value);
  return text;
}

}  // namespace

std::vector<std::string> exceeded(const session::Reader& reader, const explain::Report& report,
                                  const ReportLimits& limits) {
  std::vector<std::string> all;
  if (limits.retraces && report.retraces > *limits.retraces)
    all.push_back(str(report.retraces, report.retraces == 1 ? " retrace, " : " retraces, ", *limits.retraces,
                      *limits.retraces == 1 ? " is allowed" : " are allowed"));
  if (limits.compile_seconds) {
    const double took = static_cast<double>(compiling_time(reader)) / 1e9;
    if (took > *limits.compile_seconds)
      all.push_back(seconds(took) + " of tracing and compiling, " + seconds(*limits.compile_seconds) + " are allowed");
  }
  return all;
}

}  // namespace footlight::cli
