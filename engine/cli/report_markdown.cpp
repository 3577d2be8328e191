// The report as text that reads well in a terminal and in a bug report.
#include "engine/base/markdown_text.h"
#include "engine/base/place.h"
#include "engine/base/text.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"
#include "engine/cli/text.h"
#include "engine/explain/cause_words.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/no_findings.h"
#include "engine/explain/words.h"
#include "engine/session/nothing_ran.h"

namespace footlight::cli {
namespace {

using explain::Finding;
using session::Reader;

std::string time(int64_t ns) { return explain::time_text(static_cast<double>(ns)); }

std::string plural(size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

void write_edit(const Finding::Edit& edit, std::string& out) {
  if (!edit.at) return;
  std::string lines;
  for (const std::string& line : text_lines(edit.old_text)) lines += '-' + line + '\n';
  for (const std::string& line : text_lines(edit.new_text)) lines += '+' + line + '\n';
  out += markdown_block("diff", lines) + '\n';
}

}  // namespace

std::string markdown_place(const Reader& reader, const explain::Line& line, bool in_cell) {
  const std::string path = explain::path_of(reader, line);
  return path.empty() ? "" : markdown_code(place_text(path, line.line), in_cell);
}

std::string finding_markdown(const Reader& reader, const explain::Report& report, size_t at) {
  const Finding& f = report.findings[at];
  std::string out = markdown_code(explain::function_name(reader, f)) + ", " + f.cause;
  if (const std::string at = markdown_place(reader, f.line); !at.empty()) out += ", edit " + at;
  for (const explain::RelatedLine& r : f.related)
    if (const std::string at = markdown_place(reader, r.at); !at.empty()) out += ", " + r.role + ' ' + at;
  out += f.severity == explain::Severity::kWrongResult ? ": **wrong results**" : "";
  out += ".\n\n" + markdown_words(explain::with_period(f.detail)) + "\n\n";
  if (const std::string pair = explain::pair_text(reader, f); !pair.empty()) out += markdown_words(pair) + ".\n\n";
  if (const std::string cost = explain::cost_text(f, report.run_ns); !cost.empty()) out += "Cost: " + cost + ".\n\n";
  if (!f.fix.empty()) {
    out += "Fix: " + markdown_words(f.fix);
    if (const std::string order = explain::order_text(report.findings, at); !order.empty()) out += ", " + order;
    out += ".\n\n";
  }
  write_edit(f.edit, out);
  if (const std::string line = f.edit.at ? "" : explain::line_text(reader, f.line); !line.empty())
    out += markdown_block("python", line + '\n') + '\n';
  out += markdown_words(explain::check_text(report.findings, at));
  if (f.checked.ok && !f.saved.empty()) out += ", " + time(f.saved_ns) + " of tracing";
  out += ".\n";
  for (const Finding::Alternative& a : f.alternatives) {
    out += "\nOr: " + markdown_words(a.fix) + " (" + markdown_words(explain::check_text(a.checked)) + ").\n";
    if (a.edit.at) out += '\n';
    write_edit(a.edit, out);
    if (a.edit.at) out.pop_back();
  }
  return out;
}

std::string summary_markdown(const explain::Report& report) {
  std::string out = plural(report.functions.size(), "traced function") + ", " + plural(report.calls, "call") + ", " +
         plural(report.traces, "trace") +
         (report.failed_traces ? " and " + std::to_string(report.failed_traces) + " that failed" : "") + " in " +
         time(report.trace_ns) + "; " +
         std::to_string(report.removable.size()) + " avoidable" +
         (report.also_removable.empty()
              ? ".\n"
              : ", and " + std::to_string(report.also_removable.size()) + " more that " +
                    (report.also_removable.size() == 1 ? "is" : "are") + " no problem.\n");
  if (!report.ended) out += "\nThe run did not end: what was recorded up to then is here.\n";
  if (report.signal || report.exit_code)
    out += std::string("\nIt ended with ") + (report.signal ? "signal " : "exit code ") +
           std::to_string(report.signal ? report.signal : report.exit_code) +
           (report.error.empty() ? "" : ": " + markdown_words(report.error)) + ".\n";
  for (const std::string& gap : report.gaps) out += "\nIncomplete: " + markdown_words(gap) + ".\n";
  return out;
}

std::string functions_markdown(const Reader& reader, const explain::Report& report) {
  std::string out = "| function | line | calls | hits | traces | tracing | rest of calls |\n"
                    "|---|---|--:|--:|--:|--:|--:|\n";
  const auto failed = [](size_t count, const char* before, const char* behind) {
    return count ? before + std::to_string(count) + behind : std::string();
  };
  for (const explain::ReportedFunction& f : report.functions)
    out += "| " + markdown_words(f.name, true) + " | " + markdown_place(reader, f.at, true) + " | " +
           std::to_string(f.calls) + failed(f.failed, " (", " failed)") + " | " +  // they are among the calls
           std::to_string(f.hits) + " | " + std::to_string(f.traces) +
           failed(f.failed_traces, ", and ", " failed") + " | " +  // they are not among the traces
           time(f.trace_ns) + " | " + time(f.run_ns) + " |\n";
  return out;
}

std::string no_findings(const Reader& reader, const explain::Report& report) {
  const bool nothing_ran = session::nothing_ran(reader.contents().run.engine);
  const bool has_traces = report.traces + report.failed_traces > 0;
  std::string text = str("No findings: ", explain::no_findings_text(nothing_ran, has_traces, report.eager_ops));
  const bool is_jax = std::ranges::any_of(report.engines, [](const auto& engine) { return engine.name == "jax"; });
  if (is_jax && !has_traces && report.eager_ops)
    text += " Under JAX only jit makes traces and calls to record: outside of it, grad, vmap and jnp run their ops one "
            "by one (`footlight info --ops`).";
  return text;
}

std::string report_markdown(const Reader& reader, const explain::Report& report) {
  std::string out = "# " + markdown_words(report.script.substr(report.script.rfind('/') + 1)) + "\n\n" +
                    summary_markdown(report);
  out += "\n## Findings\n";
  for (size_t i = 0; i < report.findings.size(); ++i)
    out += "\n### F" + std::to_string(i + 1) + ": " + markdown_words(report.findings[i].title) + "\n\n" +
           finding_markdown(reader, report, i);
  if (report.findings.empty())
    out += str("\n", no_findings(reader, report), "\n");
  out += ranks_markdown(reader);

  if (!report.functions.empty()) out += "\n## Functions\n\n" + functions_markdown(reader, report);
  if (!report.suppressed.empty()) {
    out += "\n## Checked, and no finding\n\n";
    for (const auto& s : report.suppressed)
      out += "* " + markdown_words(s.function) + ": " + markdown_words(explain::suppressed_text(s)) + '\n';
  }
  return out;
}

}  // namespace footlight::cli
