// The report for GitHub: Markdown with folded parts, and workflow commands that mark lines of the change.
#include "engine/base/markdown_text.h"
#include "engine/base/place.h"
#include "engine/base/text.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"
#include "engine/cli/text.h"
#include "engine/explain/words.h"

#include <cstdlib>
#include <unistd.h>

namespace footlight::cli {
namespace {

using explain::Finding;
using session::Reader;

// The values of a workflow command: percent, line ends and, in a property, colons and commas are escaped.
std::string command_text(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '%') out += "%25";
    else if (c == '\r') out += "%0D";
    else if (c == '\n') out += "%0A";
    else if (c == ':' && is_property) out += "%3A";
    else if (c == ',' && is_property) out += "%2C";
    else out += c;
  }
  return out;
}

// The path in the checkout, which is the current folder unless GITHUB_WORKSPACE names another one.
std::string in_checkout(const std::string& path) {
  std::string folder;
  if (const char* workspace = std::getenv("GITHUB_WORKSPACE"); workspace && *workspace) {
    folder = workspace;
  } else if (char* const here = getcwd(nullptr, 0)) {
    folder = here;
    std::free(here);
  }
  if (!folder.ends_with('/')) folder += '/';
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

std::string details(const std::string& summary, const std::string& inside) {
  return "<details><summary>" + summary + "</summary>\n\n" + inside + "\n</details>\n";
}

}  // namespace

std::string report_github(const Reader& reader, const explain::Report& report,
                          const std::vector<std::string>& exceeded) {
  std::string out = "## Footlight: " + markdown_words(report.script.substr(report.script.rfind('/') + 1)) + "\n\n";
  for (const std::string& words : exceeded) out += "**Too many: " + markdown_words(words) + ".**\n\n";
  out += summary_markdown(report);
  for (const explain::ReportedEngine& engine : report.engines)
    for (const std::string& missing : engine.missing_hooks) out += "\n" + markdown_words(missing) + ".\n";
  if (report.findings.empty()) {
    out += str("\n", no_findings(reader, report), "\n");
  } else {
    out += "\n| finding | function | line | cost |\n|---|---|---|---|\n";
    for (size_t i = 0; i < report.findings.size(); ++i) {
      const Finding& f = report.findings[i];
      const std::string cost = f.severity == explain::Severity::kWrongResult ? "wrong results"
                                                                             : explain::cost_text(f, report.run_ns);
      out += str("| F", i + 1, ": ", markdown_words(f.title, true), " | ",
                 markdown_code(explain::function_name(reader, f), true), " | ", markdown_place(reader, f.line, true),
                 " | ", markdown_words(cost, true), " |\n");
    }
    for (size_t i = 0; i < report.findings.size(); ++i)
      out += str("\n**F", i + 1, ": ", markdown_words(report.findings[i].title), "**\n\n",
                 details("Evidence and fix", finding_markdown(reader, report, i)));
  }
  out += ranks_markdown(reader);
  if (!report.functions.empty())
    out += '\n' + details(str(report.functions.size(), report.functions.size() == 1 ? " function" : " functions"),
                          functions_markdown(reader, report));
  return out;
}

std::string github_annotations(const Reader& reader, const explain::Report& report,
                               const std::vector<std::string>& exceeded) {
  std::string out;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& f = report.findings[i];
    const std::string path = explain::path_of(reader, f.line);
    out += "::warning ";
    if (path.starts_with('/'))
      out += str("file=", command_text(in_checkout(path), true), ",line=", f.line.line, ",");
    out += str("title=", command_text(f.title, true), "::",
               command_text(explain::message_of(report.findings, i), false), '\n');
  }
  for (const std::string& words : exceeded) out += str("::error title=Footlight::", command_text(words, false), '\n');
  return out;
}

}  // namespace footlight::cli
