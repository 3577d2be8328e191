// The report as text that reads well in a terminal and in a bug report.
#include "engine/cli/report.h"
#include "engine/cli/text.h"

#include <algorithm>
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

// As code; a longer fence than any run of backquotes in the text. In a table's cell a bar would end the cell.
std::string code(const std::string& text, bool in_cell = false) {
  const std::string shown = printable(text);
  if (shown.empty()) return "";
  size_t longest = 0, run = 0;
  std::string out;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|' && in_cell) out += '\\';
    out += c;
  }
  const std::string fence(longest + 1, '`'), space = shown.front() == '`' || shown.back() == '`' ? " " : "";
  return fence + space + out + space + fence;
}

// Readers of Markdown make links, mentions, references and formulas out of such words even where they are escaped, but
// not where they are code.
bool is_live(std::string_view word) {
  return word.find_first_of("@$#") != word.npos || word.find("://") != word.npos || word.find("www.") != word.npos;
}

// Text from the session in Markdown: no control characters, no markup.
std::string plain(const std::string& text, bool in_cell = false) {
  std::string out;
  std::string_view left = text;
  for (bool first = true; !left.empty() || first; first = false) {
    const size_t end = left.find(' ');
    const std::string word = printable(left.substr(0, end));
    if (is_live(word)) {
      out += code(word, in_cell);
    } else {
      // What makes a list, a heading or a line where it stands first.
      const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
      for (size_t i = 0; i < word.size(); ++i) {
        const bool begins = first && ((i == 0 && std::string_view("-+=").find(word[i]) != std::string_view::npos) ||
                                      (i > 0 && i == digits && (word[i] == '.' || word[i] == ')')));
        if (begins || std::string_view("\\`*_<>[]|~&!").find(word[i]) != std::string_view::npos) out += '\\';
        out += word[i];
      }
    }
    if (end == left.npos) break;
    out += ' ';
    left.remove_prefix(end + 1);
  }
  return out;
}

std::string place(const Reader& reader, const explain::Line& line, bool in_cell = false) {
  const std::string path = explain::path_of(reader, line);
  return path.empty() ? "" : code(path.substr(path.rfind('/') + 1) + ':' + std::to_string(line.line), in_cell);
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
      out += "| " + plain(f.name, true) + " | " + place(reader, f.at, true) + " | " + std::to_string(f.calls) +
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
