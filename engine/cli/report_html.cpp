// The report as one HTML file that needs no network and runs no script.
#include "engine/base/error_words.h"
#include "engine/base/errors.h"
#include "engine/base/place.h"
#include "engine/base/text.h"
#include "engine/cli/export.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"
#include "engine/cli/text.h"
#include "engine/explain/cause_words.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <unordered_map>

namespace footlight::cli {
namespace {

using explain::Finding;
using session::Reader;

constexpr size_t kMaxTraces = 200;      // rows of a table; the rest is counted
constexpr size_t kMaxCalls = 240;       // bars of a strip; of more calls, each bar is a group
constexpr size_t kMaxLines = 4000;      // of one source file
constexpr int kTimelineWidth = 1240;
constexpr size_t kMaxNodes = 300;       // of a graph that is drawn
constexpr size_t kMaxGraphs = 4;

constexpr const char* kStyle = R"(
:root{--text:#1a1d22;--dim:#5b6472;--line:#e3e6ea;--panel:#f6f7f9;--amber:#8a5a00;--amberfill:#e8a41f;--amberbg:#fff4dd;
--teal:#2a9d8f;--green:#15803d;--blue:#0b57d0;--red:#b3261e;--redbg:#fdeceb}
@media(prefers-color-scheme:dark){:root{--text:#e7e9ed;--dim:#98a1ae;--line:#2c3139;--panel:#1a1d22;--amber:#f4b548;
--amberfill:#f4b548;--amberbg:#3a2f19;--teal:#4fb8a8;--green:#7bc47f;--blue:#6ea8fe;--red:#ef6f6c;--redbg:#3a1f22}
body{background:#15171b}}
body{font:14px/1.5 Inter,system-ui,sans-serif;color:var(--text);max-width:1240px;margin:40px auto;padding:0 24px}
h1{font-size:26px;margin:0}h2{font-size:17px;margin:34px 0 10px}h3{font-size:15px;margin:0}
code,pre,td.v{font-family:"JetBrains Mono",ui-monospace,monospace;font-size:12.5px;font-variant-ligatures:none}
.dim{color:var(--dim)}.amber{color:var(--amber)}.green{color:var(--green)}.red{color:var(--red)}.blue{color:var(--blue)}
.tiles{display:flex;gap:12px;margin:22px 0}.tile{flex:1;background:var(--panel);border:1px solid var(--line);
border-radius:8px;padding:12px 18px}.tile b{display:block;font-size:21px}
.finding{background:var(--panel);border:1px solid var(--line);border-left:4px solid var(--amberfill);border-radius:8px;
padding:12px 18px;margin:10px 0}.finding.wrong{border-left-color:var(--red)}
.finding:first-of-type{background:var(--amberbg)}.finding.wrong:first-of-type{background:var(--redbg)}
.head{display:flex;flex-wrap:wrap;gap:4px 18px;align-items:baseline}.head .check{margin-left:auto}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:8px 0;overflow-x:auto;margin:8px 0}
pre span{display:block;padding:0 14px}.del{background:#c6282822}.add{background:#2e7d3222}
table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:600;color:var(--dim);font-size:12.5px}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right}
details>summary{cursor:pointer;margin:6px 0}svg text{fill:var(--text);font:11px Inter,system-ui,sans-serif}
.src span{padding:0 14px}.src i{font-style:normal;color:var(--dim);display:inline-block;width:4.5em}
.src .mark{background:var(--amberbg)}.src em{font-style:normal;color:var(--amber);float:right;margin-left:2em}
.graph{background:#fff;border-radius:8px;overflow:auto}.graph svg text{fill:inherit}
ul.tree{list-style:none;padding-left:18px;margin:0}
)";
// The style of a fragment applies to nothing else, and suits a light and a dark page.
constexpr const char* kFragmentStyle = R"(
.footlight{font:14px/1.5 system-ui,sans-serif;max-width:1100px}.footlight h2{font-size:16px;margin:14px 0 6px}
.footlight h3{font-size:14px;margin:0}.footlight code,.footlight pre,.footlight td.v{font-family:ui-monospace,monospace;
font-size:12.5px}.footlight .dim{opacity:.72}.footlight .green{color:#2e8b57}.footlight .red{color:#d0453b}
.footlight .finding{background:#80808018;border-left:4px solid #e8a41f;border-radius:6px;padding:10px 16px;margin:8px 0}
.footlight .finding.wrong{border-left-color:#d0453b}.footlight .head{display:flex;flex-wrap:wrap;gap:4px 16px;
align-items:baseline}.footlight .head .check{margin-left:auto}.footlight pre{background:#80808018;border-radius:6px;
padding:6px 0;margin:6px 0;overflow-x:auto}.footlight pre span{display:block;padding:0 12px}
.footlight .del{background:#c6282833}.footlight .add{background:#2e7d3233}.footlight table{border-collapse:collapse}
.footlight th,.footlight td{padding:3px 14px 3px 0;text-align:left;border-bottom:1px solid #80808040}
.footlight th.n,.footlight td.n{text-align:right}
)";

// Text from the session: markup is escaped, control characters and broken UTF-8 are gone.
std::string html(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string time(int64_t ns) { return explain::time_text(static_cast<double>(ns)); }

std::string element(const char* name, const char* style, const std::string& inside) {
  return str('<', name, *style ? str(" class=\"", style, '"') : "", '>', inside, "</", name, '>');
}

class Page {
 public:
  Page(const Reader& reader, const explain::Report& report) : reader_(reader), report_(report) {}

  std::string write_fragment() {
    out_ += str("<div class=\"footlight\"><style>", kFragmentStyle, "</style>");
    out_ += element("div", "dim", html(report_.script.substr(report_.script.rfind('/') + 1)) + " · " + facts());
    state();
    for (const explain::ReportedEngine& engine : report_.engines)
      for (const std::string& missing : engine.missing_hooks) out_ += element("div", "dim", html(missing) + '.');
    findings();
    functions();
    return out_ + "</div>\n";
  }

  std::string write() {
    head();
    tiles();
    findings();
    out_ += ranks_html(reader_, html);
    calls_ = reader_.all_calls();
    reasons_ = explain::reasons_of_findings(reader_.contents().traces, report_.findings);
    timeline();
    retraces();
    where_from();
    sources();
    legitimate();
    return out_ + "</body></html>\n";
  }

 private:
  std::string place(const explain::Line& line) const {
    const std::string path = explain::path_of(reader_, line);
    if (path.empty() || line.line <= 0) return {};
    return element("code", "blue", html(place_text(path, line.line)));
  }
  explain::Line line_of(SourceRef source) const {
    const Reader::SourcePlace at = reader_.place(source);
    return {at.file, at.line};
  }
  void head() {
    const std::string name = html(report_.script.substr(report_.script.rfind('/') + 1));
    out_ += "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            "<title>" + name + "</title><style>" + kStyle + "</style></head><body><h1>" + name + "</h1>";
    out_ += element("div", "dim", facts());
    state();
  }
  // What was recorded, and how it ended.
  std::string facts() const {
    const auto& run = reader_.contents().run;
    const std::string python = run.python.substr(0, run.python.find(' ', run.python.find(' ') + 1));
    std::string facts = run.started_ns > 0 ? "Recorded " + local_time(run.started_ns) + " · " : "";
    facts += html(run.engine) + " · " + html(python) + " · " +
                        html(run.machine) + " · ";
    if (!report_.ended) facts += "did not end";
    else if (report_.signal) facts += "ended by signal " + std::to_string(report_.signal);
    else facts += report_.exit_code ? "exit code " + std::to_string(report_.exit_code) : "finished";
    facts += str(", ", time(report_.run_ns), report_.gaps.empty() ? " · nothing dropped" : "");
    return facts;
  }
  void state() {
    if (!report_.error.empty()) out_ += element("div", "red", html(report_.error));
    for (const std::string& gap : report_.gaps) out_ += element("div", "red", "Incomplete: " + html(gap));
  }

  void tile(const char* tone, const std::string& number, const std::string& words) {
    out_ += str("<div class=\"tile\"><b class=\"", tone, "\">", number, "</b>", words, "</div>");
  }
  void tiles() {
    size_t checked = 0, wrong = 0;
    const std::set<TraceId> removable = report_.removable;
    std::vector<const session::TraceRecord*> spared;
    for (const TraceId id : removable)
      if (const session::TraceRecord* t = reader_.trace(id)) spared.push_back(t);
    const int64_t saved = session::tracing_time(spared);
    for (const Finding& f : report_.findings) {
      wrong += f.severity == explain::Severity::kWrongResult;
      checked += f.checked.ok;
    }
    out_ += "<div class=\"tiles\">";
    tile(removable.empty() ? "green" : "amber", str(removable.size(), " of ", report_.traces),
         report_.also_removable.empty()
             ? std::string("traces avoidable")
             : str("traces avoidable, and ", report_.also_removable.size(), " more that ",
                   report_.also_removable.size() == 1 ? "is" : "are", " no problem"));
    if (saved) tile("amber", time(saved), "of " + time(report_.trace_ns) + " spent tracing");
    else tile("green", time(report_.trace_ns), "spent tracing");
    const size_t count = report_.findings.size();
    tile("", std::to_string(count), str(count == 1 ? "finding, " : "findings, ", checked, " checked"));
    tile(wrong ? "red" : "green", std::to_string(wrong), "about wrong results");
    out_ += "</div>";
  }

  void findings() {
    out_ += "<h2>Findings</h2><div>";
    for (size_t i = 0; i < report_.findings.size(); ++i) finding(i);
    out_ += "</div>";
    if (report_.findings.empty())
      out_ += element("p", "dim", no_findings(reader_, report_));
  }

  void functions() {
    if (report_.functions.empty()) return;
    out_ += "<h2>Functions</h2><table><tr><th>function</th><th>defined</th><th class=\"n\">calls</th><th class=\"n\">"
            "hits</th><th class=\"n\">traces</th><th class=\"n\">tracing</th><th class=\"n\">rest of calls</th></tr>";
    for (const explain::ReportedFunction& f : report_.functions) {
      const std::string failed = f.failed_traces ? str(", and ", f.failed_traces, " failed") : "";
      out_ += str("<tr><td class=\"v\">", html(f.name), "</td><td>", place(f.at), "</td><td class=\"n\">", f.calls,
                  "</td><td class=\"n\">", f.hits, "</td><td class=\"n\">", f.traces, failed, "</td><td class=\"n\">",
                  time(f.trace_ns), "</td><td class=\"n\">", time(f.run_ns), "</td></tr>");
    }
    out_ += "</table>";
  }

  void finding(size_t at) {
    const Finding& f = report_.findings[at];
    const bool wrong = f.severity == explain::Severity::kWrongResult;
    out_ += str("<div class=\"finding", wrong ? " wrong" : "", "\"><div class=\"head\"><h3>F", at + 1, ": ",
                html(f.title), "</h3>", place(f.line), element("code", "", html(explain::function_name(reader_, f))));
    std::string check = html(explain::check_text(report_.findings, at));
    if (f.checked.ok && !f.saved.empty()) check = str("✓ ", check, ", ", time(f.saved_ns), " of tracing");
    out_ += element("span", f.checked.ok ? "check green" : "check dim", check) + "</div>";
    out_ += element("div", "dim", html(explain::with_period(f.detail)));
    if (const std::string pair = explain::pair_text(reader_, f); !pair.empty())
      out_ += element("div", "dim", html(pair) + '.');
    if (const std::string cost = explain::cost_text(f, report_.run_ns); !cost.empty())
      out_ += element("div", "dim", "Cost: " + cost + '.');
    for (const explain::RelatedLine& r : f.related)
      if (const std::string place_of_it = place(r.at); !place_of_it.empty())
        out_ += element("div", "dim", str(role_words(r.role), ' ', place_of_it));
    const std::string order = explain::order_text(report_.findings, at);
    if (!f.fix.empty()) out_ += str("<div>Fix: ", html(f.fix), order.empty() ? "" : ", ", order, ".</div>");
    edit(f.edit);
    if (const std::string line = f.edit.at ? "" : explain::line_text(reader_, f.line); !line.empty())
      out_ += "<pre>" + element("span", "", html(line)) + "</pre>";
    for (const Finding::Alternative& a : f.alternatives) {
      out_ += element("div", "dim", "Or: " + html(a.fix) + " (" + html(explain::check_text(a.checked)) + ").");
      edit(a.edit);
    }
    out_ += "</div>";
  }

  void edit(const Finding::Edit& edit) {
    if (!edit.at) return;
    out_ += "<pre>";
    for (const std::string& line : text_lines(edit.old_text)) out_ += element("span", "del", "- " + html(line));
    for (const std::string& line : text_lines(edit.new_text)) out_ += element("span", "add", "+ " + html(line));
    out_ += "</pre>";
  }

  static std::string role_words(const std::string& role) {
    if (role == "call") return "Called at";
    if (role == "value") return "Made at";
    if (role == "use") return "Used at";
    if (role == "change") return "Changed at";
    return role == "definition" ? "Defined at" : html(role);
  }

  // Every call as a bar on its thread; a pixel shows the tracing in it, if there is some.
  void timeline() {
    if (calls_.empty()) return;
    const int64_t first = reader_.first_time(), last = std::max(reader_.last_time(), first + 1);
    const auto x = [&](int64_t ns) {
      return static_cast<int>(static_cast<double>(ns - first) / static_cast<double>(last - first) * kTimelineWidth);
    };
    std::map<session::ThreadId, std::map<int, std::pair<int, bool>>> lanes;  // thread -> start -> end, traced
    for (const session::CallRecord& c : calls_) {
      if (c.parent.valid()) continue;
      auto& [end, traced] = lanes[c.thread][std::clamp(x(c.start_ns), 0, kTimelineWidth - 1)];
      end = std::max(end, std::clamp(x(c.end_ns), 0, kTimelineWidth));
      traced |= c.outcome == CallOutcome::kTrace;
    }
    const int height = 24 * static_cast<int>(std::min<size_t>(lanes.size(), 40));
    out_ += str("<h2>Calls over time</h2><svg width=\"100%\" viewBox=\"0 0 ", kTimelineWidth, ' ', height + 14,
                "\" role=\"img\" aria-label=\"Calls of traced functions over time\">");
    int y = 0;
    for (const auto& [thread, bars] : lanes) {
      if (y >= height) break;
      for (const auto& [start, bar] : bars)
        out_ += str("<rect x=\"", start, "\" y=\"", y, "\" width=\"", std::max(bar.first - start, 1),
                    "\" height=\"18\" fill=\"var(--", bar.second ? "amberfill" : "teal", ")\"/>");
      y += 24;
    }
    out_ += str("<text x=\"0\" y=\"", height + 10, "\">0</text><text x=\"", kTimelineWidth, "\" y=\"", height + 10,
                "\" text-anchor=\"end\">", time(last - first),
                " from the first recorded event to the last</text></svg>");
  }

  void strip(const std::vector<const session::CallRecord*>& calls) {
    const size_t group = (calls.size() + kMaxCalls - 1) / kMaxCalls;
    const size_t bars = group ? (calls.size() + group - 1) / group : 0;
    if (!bars) return;
    const double width = std::min(20.0, double(kTimelineWidth) / static_cast<double>(bars));
    out_ += str("<svg width=\"100%\" viewBox=\"0 0 ", kTimelineWidth,
                " 34\" role=\"img\" aria-label=\"The calls in order\">");
    char bar[160];
    for (size_t i = 0; i < bars; ++i) {
      bool traced = false;
      for (size_t k = i * group; k < std::min(calls.size(), (i + 1) * group); ++k)
        traced |= calls[k]->outcome == CallOutcome::kTrace;
      std::snprintf(bar, sizeof bar,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" fill=\"var(--%s)\"/>",
                    width * static_cast<double>(i), traced ? 0 : 12, width * 0.8, traced ? 32 : 20,
                    traced ? "amberfill" : "teal");
      out_ += bar;
    }
    out_ += "</svg>";
    if (group > 1) out_ += element("div", "dim", str("Each bar stands for ", group, " calls"));
  }

  struct Runs {
    std::vector<const session::TraceRecord*> traces;
    std::vector<const session::CallRecord*> calls;
    std::map<TraceId, size_t> served;
  };
  void retraces() {
    std::unordered_map<FunctionId, Runs*> by_id;
    std::vector<Runs> all(report_.functions.size());
    for (size_t i = 0; i < all.size(); ++i)
      for (const FunctionId id : report_.functions[i].ids) by_id[id] = &all[i];
    const auto runs = [&](FunctionId id) {
      const auto at = by_id.find(id);
      return at == by_id.end() ? nullptr : at->second;
    };
    for (const session::TraceRecord& t : reader_.contents().traces)
      if (Runs* r = runs(t.function)) r->traces.push_back(&t);
    for (const session::CallRecord& c : calls_) {
      Runs* r = runs(c.function);
      if (!r) continue;
      r->calls.push_back(&c);
      ++r->served[c.trace];
    }
    for (size_t i = 0; i < all.size(); ++i)
      if (!all[i].traces.empty()) retraces_of(report_.functions[i], all[i]);
  }

  void retraces_of(const explain::ReportedFunction& f, Runs& runs) {
    auto& [traces, calls, served] = runs;
    std::ranges::sort(calls, {}, &session::CallRecord::start_ns);
    out_ += str("<h2>Traces of ", html(f.name), ' ', place(f.at), "</h2>");
    strip(calls);
    out_ += "<table><tr><th>trace</th><th>signature</th><th class=\"n\">calls</th><th class=\"n\">tracing</th>"
            "<th>why</th><th>differs in</th><th>called from</th></tr>";
    for (size_t i = 0; i < std::min(traces.size(), kMaxTraces); ++i) {
      const session::TraceRecord& t = *traces[i];
      std::string why = html(explain::trace_reason(t));
      if (!t.error.empty()) why = "failed: " + html(error_words(t.error).text());
      else if (const auto found = reasons_.find(t.id); found != reasons_.end()) why = html(found->second);
      if (const session::TraceRecord* near = t.error.empty() ? reader_.trace(t.nearest) : nullptr)
        why += str(", nearest #", near->number);
      std::string differs;
      for (const std::string& path : t.differing) differs += (differs.empty() ? "" : ", ") + html(path);
      out_ += str("<tr><td>#", t.number, "</td><td class=\"v\">", html(t.signature), "</td><td class=\"n\">",
                  served[t.id], "</td><td class=\"n\">", time(t.end_ns - t.start_ns), "</td><td>", why,
                  "</td><td class=\"v amber\">", differs, "</td><td>", place(line_of(t.source)), "</td></tr>");
    }
    out_ += "</table>";
    if (traces.size() > kMaxTraces)
      out_ += element("div", "dim", str("and ", traces.size() - kMaxTraces, " more"));
    if (++drawn_ <= kMaxGraphs) graph(*traces.front());
  }
  // The graph of a trace, if it is small enough to be looked at and Graphviz is there.
  void graph(const session::TraceRecord& t) {
    const session::GraphRecord* record = reader_.graph(t.graph());
    if (!record || record->nodes.empty() || record->nodes.size() > kMaxNodes) return;
    Output nowhere("", "", {"", {}, nullptr});
    Progress progress;
    std::string svg;
    try {
      svg = svg_text({reader_, nowhere, progress, "", "", record->name});
    } catch (const Error& e) {
      out_ += element("div", "dim", str("The graph of #", t.number, " is not drawn: ", html(e.message())));
      return;
    }
    const size_t begin = svg.find("<svg");
    if (begin == svg.npos) return;
    out_ += str("<details><summary>Graph of #", t.number, ", ", record->nodes.size(),
                " nodes</summary><div class=\"graph\">",
                svg.substr(begin), "</div></details>");
  }
  // Those that a call made of its function: two, if the first one made variables.
  std::vector<const session::TraceRecord*> traces_of(const session::CallRecord& call) {
    std::vector<const session::TraceRecord*> found;
    for (const session::TraceRecord& t : reader_.contents().traces) {
      const bool is_during = call.start_ns <= t.start_ns && t.end_ns <= call.end_ns;
      const bool is_own = t.id == call.trace || t.reason == session::TraceReason::kVariableCreation;
      if (t.function == call.function && t.error.empty() && is_own && is_during) found.push_back(&t);
    }
    return found;
  }
  // Which lines made traces, and in the calls of which functions.
  void where_from() {
    struct Node { std::vector<const session::TraceRecord*> traces; std::map<std::string, Node> inner; };
    Node root;
    std::map<CallId, const session::CallRecord*> by_id;
    for (const session::CallRecord& c : calls_) by_id[c.id] = &c;
    for (const session::CallRecord& c : calls_) {
      if (c.outcome != CallOutcome::kTrace) continue;
      const std::vector<const session::TraceRecord*> made = traces_of(c);
      if (made.empty()) continue;
      std::vector<const session::CallRecord*> stack;
      for (const session::CallRecord* at = &c; at && stack.size() < 60;) {
        stack.push_back(at);
        const auto outer = by_id.find(at->parent);
        at = outer == by_id.end() ? nullptr : outer->second;
      }
      Node* node = &root;
      for (auto call = stack.rbegin(); call != stack.rend(); ++call) {
        const session::CodeRecord* code = reader_.code((*call)->source.code);
        const session::FunctionRecord* function = reader_.function((*call)->function);
        node = &node->inner[str(place(line_of((*call)->source)), ' ', code ? html(code->qualname) : "", " → ",
                                function ? html(function->name) : "")];
        node->traces.insert(node->traces.end(), made.begin(), made.end());
      }
    }
    if (root.inner.empty()) return;
    out_ += "<h2>Where traces were made</h2>";
    const auto write = [&](const auto& self, const Node& node) -> void {
      out_ += "<ul class=\"tree\">";
      for (const auto& [text, inner] : node.inner) {
        out_ += str("<li>", text, " <span class=\"dim\">", inner.traces.size(),
                    inner.traces.size() == 1 ? " trace, " : " traces, ", time(session::tracing_time(inner.traces)),
                    "</span>");
        if (!inner.inner.empty()) self(self, inner);
        out_ += "</li>";
      }
      out_ += "</ul>";
    };
    write(write, root);
  }

  void sources() {
    std::map<session::FileId, std::map<int, std::string>> marks;
    const auto mark = [&](const explain::Line& line, const std::string& words) {
      if (!line) return;
      std::string& text = marks[line.file][line.line];
      if (text.find(words) == text.npos) text += (text.empty() ? "" : "; ") + words;
    };
    for (const explain::ReportedFunction& f : report_.functions) {
      const std::string share = explain::share_of_run(f.trace_ns, report_.run_ns);
      const std::string failed = f.failed_traces ? str(" and ", f.failed_traces, " that failed") : "";
      mark(f.at, str(f.traces, f.traces == 1 ? " trace" : " traces", failed, ", ", time(f.trace_ns),
                     share.empty() ? "" : ", ", share));
    }
    std::map<explain::Line, size_t> made;
    for (const session::TraceRecord& t : reader_.contents().traces)
      if (t.error.empty()) ++made[line_of(t.source)];
    for (const auto& [line, count] : made) mark(line, str("made ", count, count == 1 ? " trace" : " traces"));
    for (const Finding& f : report_.findings) mark(f.line, html(f.title));
    if (marks.empty()) return;
    out_ += "<h2>Source</h2>";
    for (const auto& [id, lines] : marks) {
      const session::FileRecord* file = reader_.file(id);
      if (!file || file->text.empty()) continue;
      out_ += str("<details open><summary><code>", html(file->path), "</code></summary><pre class=\"src\">");
      std::string_view rest = file->text;
      for (int number = 1; !rest.empty() && number <= static_cast<int>(kMaxLines); ++number) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        const auto at = lines.find(number);
        out_ += str(at == lines.end() ? "<span>" : "<span class=\"mark\">", "<i>", number, "</i>",
                    html(rest.substr(0, end)), at == lines.end() ? "" : element("em", "", at->second), "</span>");
        rest.remove_prefix(std::min(rest.size(), end + 1));
      }
      if (!rest.empty()) out_ += element("span", "dim", "the rest of the file is left out");
      out_ += "</pre></details>";
    }
  }

  void legitimate() {
    if (report_.suppressed.empty()) return;
    out_ += "<h2>Checked, and no finding</h2><ul>";
    for (const auto& s : report_.suppressed)
      out_ += str("<li><code>", html(s.function), "</code>: ", html(explain::suppressed_text(s)), "</li>");
    out_ += "</ul>";
  }

  const Reader& reader_;
  const explain::Report& report_;
  std::vector<session::CallRecord> calls_;
  std::map<TraceId, std::string> reasons_;  // of traces about which a finding says more
  size_t drawn_ = 0;
  std::string out_;
};

}  // namespace

std::string report_html(const Reader& reader, const explain::Report& report, HtmlForm form) {
  Page page(reader, report);
  return form == HtmlForm::kFragment ? page.write_fragment() : page.write();
}

}  // namespace footlight::cli
