// The report as text that reads well in a terminal and in a bug report.
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

std::string clean(const std::string& text) { return printable(valid_text(text)); }

// Text from the session in Markdown: no control characters, no markup.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : clean(text)) {
    if (std::string_view("\\`*_<>[]|#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// As code; a longer fence where the text has backquotes itself.
std::string code(const std::string& text) {
  const std::string shown = clean(text);
  const std::string fence = shown.find('`') == shown.npos ? "`" : "``";
  return shown.empty() ? "" : fence + shown + fence;
}

std::string place(const Reader& reader, const explain::Line& line) {
  const std::string path = explain::path_of(reader, line);
  return path.empty() ? "" : code(path.substr(path.rfind('/') + 1) + ':' + std::to_string(line.line));
}

std::string plural(size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

void write_finding(const Reader& reader, const Finding& f, size_t number, std::string& out) {
  out += "\n### F" + std::to_string(number) + ": " + plain(f.title) + "\n\n";
  out += code(explain::function_name(reader, f)) + ", " + f.cause;
  if (const std::string at = place(reader, f.line); !at.empty()) out += ", edit " + at;
  for (const explain::RelatedLine& r : f.related)
    if (const std::string at = place(reader, r.at); !at.empty()) out += ", " + r.role + ' ' + at;
  out += f.severity == explain::Severity::kWrongResult ? ": **wrong results**" : "";
  out += ".\n\n" + plain(f.detail) + ".\n\n";
  if (f.edit.at) {
    out += "```diff";
    for (const std::string& line : text_lines(f.edit.old_text)) out += "\n-" + line;
    for (const std::string& line : text_lines(f.edit.new_text)) out += "\n+" + line;
    out += "\n```\n\n";
  } else if (!f.fix.empty()) {
    out += "Fix: " + code(f.fix) + "\n\n";
  }
  out += plain(explain::check_text(f.checked));
  if (f.checked.ok) out += ", " + ms(f.saved_ns);
  out += ".\n";
  for (const Finding::Alternative& a : f.alternatives)
    out += "\nOr: " + plain(a.fix) + " (" + plain(explain::check_text(a.checked)) + ").\n";
}

}  // namespace

std::string report_markdown(const Reader& reader, const explain::Report& report) {
  std::string out = "# " + plain(report.script.substr(report.script.rfind('/') + 1)) + "\n\n";
  out += plural(report.functions.size(), "traced function") + ", " + plural(report.calls, "call") + ", " +
         plural(report.traces, "trace") + " in " + ms(report.trace_ns) + "; " +
         std::to_string(report.removable().size()) +
         " avoidable.\n";
  if (!report.ended) out += "\nThe run did not end: what was recorded up to then is here.\n";
  if (report.signal || report.exit_code)
    out += std::string("\nIt ended with ") + (report.signal ? "signal " : "exit code ") +
           std::to_string(report.signal ? report.signal : report.exit_code) +
           (report.error.empty() ? "" : ": " + plain(report.error.substr(0, report.error.find('\n')))) + ".\n";
  for (const std::string& gap : report.gaps) out += "\nIncomplete: " + plain(gap) + ".\n";

  out += "\n## Findings\n";
  size_t number = 0;
  for (const Finding& f : report.findings) write_finding(reader, f, ++number, out);
  if (report.findings.empty())
    out += "\nNone: no function was traced more often than it needs, as far as was recorded.\n";

  if (!report.functions.empty()) {
    out += "\n## Functions\n\n| function | defined | calls | hits | traces | tracing | running |\n"
           "|---|---|--:|--:|--:|--:|--:|\n";
    for (const explain::ReportedFunction& f : report.functions)
      out += "| " + plain(f.name) + " | " + place(reader, f.at) + " | " + std::to_string(f.calls) +
             (f.failed ? " (" + std::to_string(f.failed) + " failed)" : "") + " | " + std::to_string(f.hits) + " | " +
             std::to_string(f.traces) + " | " + ms(f.trace_ns) + " | " + ms(f.run_ns) + " |\n";
  }
  if (!report.suppressed.empty()) {
    out += "\n## Looked at and legitimate\n\n";
    for (const auto& s : report.suppressed)
      out += "* " + plain(s.function) + ": " + plain(s.cause) + ", rule " + std::to_string(s.rule) + '\n';
  }
  return out;
}

}  // namespace footlight::cli
