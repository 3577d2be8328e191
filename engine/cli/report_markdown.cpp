// The report as text that reads well in a terminal and in a bug report.
#include "engine/base/markdown_text.h"
#include "engine/cli/report.h"
#include "engine/cli/text.h"

#include <cstdio>

namespace footlight::cli {
namespace {

using explain::Finding;
using session::Reader;

std::string ms(int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(ns) / 1e6);
  return text;
}

std::string place(const Reader& reader, const explain::Line& line, bool in_cell = false) {
  const std::string path = explain::path_of(reader, line);
  return path.empty() ? "" : markdown_code(path.substr(path.rfind('/') + 1) + ':' + std::to_string(line.line), in_cell);
}

std::string plural(size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

void write_finding(const Reader& reader, const Finding& f, size_t number, std::string& out) {
  out += "\n### F" + std::to_string(number) + ": " + markdown_words(f.title) + "\n\n";
  out += markdown_code(explain::function_name(reader, f)) + ", " + f.cause;
  if (const std::string at = place(reader, f.line); !at.empty()) out += ", edit " + at;
  for (const explain::RelatedLine& r : f.related)
    if (const std::string at = place(reader, r.at); !at.empty()) out += ", " + r.role + ' ' + at;
  out += f.severity == explain::Severity::kWrongResult ? ": **wrong results**" : "";
  out += ".\n\n" + markdown_words(f.detail) + ".\n\n";
  if (f.edit.at) {
    std::string lines;
    for (const std::string& line : text_lines(f.edit.old_text)) lines += '-' + line + '\n';
    for (const std::string& line : text_lines(f.edit.new_text)) lines += '+' + line + '\n';
    out += markdown_block("diff", lines) + '\n';
  } else if (!f.fix.empty()) {
    out += "Fix: " + markdown_code(f.fix) + "\n\n";
  }
  out += markdown_words(explain::check_text(f.checked));
  if (f.checked.ok) out += ", " + ms(f.saved_ns);
  out += ".\n";
  for (const Finding::Alternative& a : f.alternatives)
    out += "\nOr: " + markdown_words(a.fix) + " (" + markdown_words(explain::check_text(a.checked)) + ").\n";
}

}  // namespace

std::string report_markdown(const Reader& reader, const explain::Report& report) {
  std::string out = "# " + markdown_words(report.script.substr(report.script.rfind('/') + 1)) + "\n\n";
  out += plural(report.functions.size(), "traced function") + ", " + plural(report.calls, "call") + ", " +
         plural(report.traces, "trace") + " in " + ms(report.trace_ns) + "; " +
         std::to_string(report.removable().size()) +
         " avoidable.\n";
  if (!report.ended) out += "\nThe run did not end: what was recorded up to then is here.\n";
  if (report.signal || report.exit_code)
    out += std::string("\nIt ended with ") + (report.signal ? "signal " : "exit code ") +
           std::to_string(report.signal ? report.signal : report.exit_code) +
           (report.error.empty() ? "" : ": " + markdown_words(report.error.substr(0, report.error.find('\n')))) + ".\n";
  for (const std::string& gap : report.gaps) out += "\nIncomplete: " + markdown_words(gap) + ".\n";

  out += "\n## Findings\n";
  size_t number = 0;
  for (const Finding& f : report.findings) write_finding(reader, f, ++number, out);
  if (report.findings.empty())
    out += "\nNone: no function was traced more often than it needs, as far as was recorded.\n";

  if (!report.functions.empty()) {
    out += "\n## Functions\n\n| function | defined | calls | hits | traces | tracing | running |\n"
           "|---|---|--:|--:|--:|--:|--:|\n";
    for (const explain::ReportedFunction& f : report.functions)
      out += "| " + markdown_words(f.name, true) + " | " + place(reader, f.at, true) + " | " + std::to_string(f.calls) +
             (f.failed ? " (" + std::to_string(f.failed) + " failed)" : "") + " | " + std::to_string(f.hits) + " | " +
             std::to_string(f.traces) + " | " + ms(f.trace_ns) + " | " + ms(f.run_ns) + " |\n";
  }
  if (!report.suppressed.empty()) {
    out += "\n## Looked at and legitimate\n\n";
    for (const auto& s : report.suppressed)
      out += "* " + markdown_words(s.function) + ": " + markdown_words(s.cause) + ", rule " +
             std::to_string(s.rule) + '\n';
  }
  return out;
}

}  // namespace footlight::cli
