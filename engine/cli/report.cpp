// `footlight report`: what a run says about its functions, and what to change. Runs no code without --rerun.
#include "engine/cli/report.h"

#include "engine/base/errors.h"
#include "engine/cli/commands.h"
#include "engine/cli/export_output.h"
#include "engine/cli/rerun.h"

#include <charconv>
#include <cstdio>
#include <optional>

namespace footlight::cli {
namespace {

const OutputKind& kind_of(const std::string& form) {
  static const OutputKind json{"a report as JSON", {".json"}, [](std::string_view first) {
    return first.starts_with("{\n  \"format\": \"footlight-report\"");
  }};
  static const OutputKind html{"a page of HTML", {".html", ".htm"}, [](std::string_view first) {
    return first.starts_with("<!DOCTYPE html><html lang=\"en\">");
  }};
  static const OutputKind markdown{"a report as Markdown", {".md", ".markdown", ".txt"}, [](std::string_view first) {
    return first.starts_with("# ") && first.find(" traced function") != first.npos;
  }};
  return form == "json" ? json : form == "html" ? html : markdown;
}

}  // namespace

int report(const Words& words) {
  constexpr const char* kHow =
      "`footlight report FILE [--json|--html|--markdown] [--rerun] [--max-retraces N] [-o FILE]`";
  std::string file, form = "markdown", out;
  std::optional<size_t> most;
  bool rerun = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "--json" || w == "--html" || w == "--markdown") {
      form = w.substr(2);
    } else if (w == "--rerun") {
      rerun = true;
    } else if (w == "--max-retraces" && i + 1 < words.size()) {
      size_t n = 0;
      const std::string& text = words[++i];
      const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
      if (read.ec != std::errc() || read.ptr != text.data() + text.size() || text.empty())
        return complain("report: --max-retraces takes a number, not '" + text + "'");
      most = n;
    } else if ((w == "-o" || w == "--output") && i + 1 < words.size()) {
      out = words[++i];
    } else if (file.empty() && (w.empty() || w[0] != '-')) {
      file = w;
    } else {
      return complain("report: unknown option '" + w + "'; usage: " + kHow);
    }
  }
  if (file.empty()) return complain(std::string("report needs a recording; usage: ") + kHow);
  const auto reader = session::Reader::open(file);
  explain::Report made = explain::make_report(*reader);
  if (rerun) rerun_findings(*reader, made);
  const std::string text = form == "json"   ? report_json(*reader, made)
                           : form == "html" ? report_html(*reader, made)
                                            : report_markdown(*reader, made);
  Output to(out, file, kind_of(form));
  to.write(text);
  to.finish();
  if (most && made.retraces > *most) {
    std::fprintf(stderr, "footlight: %zu retraces, %zu are allowed\n", made.retraces, *most);
    return kTooManyRetraces;
  }
  return 0;
}

}  // namespace footlight::cli
