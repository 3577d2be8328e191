// `footlight report`: what a run says about its functions, and what to change. Runs no code without --rerun.
#include "engine/cli/report.h"

#include "engine/base/errors.h"
#include "engine/cli/commands.h"
#include "engine/cli/export_output.h"
#include "engine/cli/open_file.h"
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
    return (first.starts_with("# ") || first.starts_with("## Footlight: ")) &&
           first.find(" traced function") != first.npos;
  }};
  return form == "json" ? json : form == "html" ? html : markdown;
}

// Reads a number that is the whole text and not negative.
template <class Number>
bool read_number(const std::string& text, Number& to) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), to);
  const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
  // Neither NaN nor infinity is a limit.
  if constexpr (std::is_floating_point_v<Number>) return is_number && to >= 0 && to <= 1e12;
  return is_number;
}

}  // namespace

int report(const Words& words) {
  constexpr const char* kHow =
      "`footlight report FILE [--json|--html [--fragment]|--markdown|--github] [--rerun] [--max-retraces N] "
      "[--max-compile-seconds S] [-o FILE]`";
  std::string file, form = "markdown", out;
  ReportLimits limits;
  bool rerun = false, fragment = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "--json" || w == "--html" || w == "--markdown" || w == "--github") {
      form = w.substr(2);
    } else if (w == "--rerun") {
      rerun = true;
    } else if (w == "--fragment") {
      fragment = true;
    } else if (w == "--max-retraces" && i + 1 < words.size()) {
      if (!read_number(words[++i], limits.retraces.emplace()))
        return complain("report: --max-retraces takes a number, not '" + words[i] + "'");
    } else if (w == "--max-compile-seconds" && i + 1 < words.size()) {
      if (!read_number(words[++i], limits.compile_seconds.emplace()))
        return complain("report: --max-compile-seconds takes a number of seconds, not '" + words[i] + "'");
    } else if ((w == "-o" || w == "--output") && i + 1 < words.size()) {
      out = words[++i];
    } else if (file.empty() && (w.empty() || w[0] != '-')) {
      file = w;
    } else {
      return complain("report: unknown option '" + w + "'; usage: " + kHow);
    }
  }
  if (file.empty()) return complain(std::string("report needs a recording; usage: ") + kHow);
  if (fragment && form != "html") return complain("report: --fragment is a form of --html; add that");
  const auto reader = open_file(file);
  explain::Report made = explain::make_report(*reader);
  if (rerun) rerun_findings(*reader, made);
  const std::vector<std::string> too_much = exceeded(*reader, made, limits);
  const HtmlForm html = fragment ? HtmlForm::kFragment : HtmlForm::kPage;
  const std::string text = form == "json"     ? report_json(*reader, made)
                           : form == "html"   ? report_html(*reader, made, html)
                           : form == "github" ? report_github(*reader, made, too_much)
                                              : report_markdown(*reader, made);
  Output to(out, file, kind_of(form));
  to.write(text);
  to.finish();
  // A workflow's log reads both streams for commands; standard output may be the summary's file.
  if (form == "github") std::fputs(github_annotations(*reader, made, too_much).c_str(), stderr);
  for (const std::string& words : too_much) std::fprintf(stderr, "footlight: %s\n", words.c_str());
  return too_much.empty() ? 0 : kOverLimit;
}

}  // namespace footlight::cli
