// The forms in which a report is written, and the limits that it may be held to.
#pragma once

#include "engine/explain/report.h"

#include <optional>
#include <string>
#include <vector>

namespace footlight::cli {

// Version 1 of "footlight-report".
std::string report_json(const session::Reader& reader, const explain::Report& report);
// One file, readable without a network; or only its findings and functions, for another page to contain.
enum class HtmlForm : uint8_t { kPage, kFragment };
std::string report_html(const session::Reader& reader, const explain::Report& report, HtmlForm form);
std::string report_markdown(const session::Reader& reader, const explain::Report& report);

struct ReportLimits {
  std::optional<size_t> retraces;
  std::optional<double> compile_seconds;  // of tracing, lowering and compiling
};
// A sentence for each limit that the run exceeds: "12 retraces, 3 are allowed".
std::vector<std::string> exceeded(const session::Reader& reader, const explain::Report& report,
                                  const ReportLimits& limits);

// For the summary of a job or a comment on GitHub: what is long is folded.
std::string report_github(const session::Reader& reader, const explain::Report& report,
                          const std::vector<std::string>& exceeded);
// Workflow commands, which mark the lines of findings: "::warning file=train.py,line=5,title=...::...".
std::string github_annotations(const session::Reader& reader, const explain::Report& report,
                               const std::vector<std::string>& exceeded);

// "No findings: none of the known problems was found in what was recorded."
std::string no_findings(const session::Reader& reader, const explain::Report& report);
// Parts of both forms of Markdown.
std::string summary_markdown(const explain::Report& report);
std::string finding_markdown(const session::Reader& reader, const explain::Report& report, size_t at);
std::string functions_markdown(const session::Reader& reader, const explain::Report& report);
std::string markdown_place(const session::Reader& reader, const explain::Line& line, bool in_cell = false);

}  // namespace footlight::cli
