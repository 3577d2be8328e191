// baked_random: a number of Python's or NumPy's generators, or the time, was read while a trace was made, and each
// later call that it served got the same one. Fix: tf.random, or an argument.
#include "engine/explain/causes/later_calls.h"
#include "engine/explain/causes/wrong_results.h"
#include "engine/explain/engines.h"
#include "engine/explain/outlines.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <span>

namespace footlight::explain {
namespace {

using session::ObservationKind;

// What is the same in TensorFlow, for the plainest calls.
struct Same {
  std::string_view python, tensorflow;
  std::string with(const std::string& dtype) const {
    const std::string call(tensorflow);
    if (tensorflow == "tf.timestamp()") return dtype == "float64" ? call : "tf.cast(" + call + ", tf." + dtype + ")";
    return dtype == "float32" ? call : call.substr(0, call.size() - 1) + ", dtype=tf." + dtype + ")";
  }
};
constexpr Same kSame[] = {
    {"np.random.rand()", "tf.random.uniform([])"},     {"np.random.random()", "tf.random.uniform([])"},
    {"numpy.random.rand()", "tf.random.uniform([])"},  {"np.random.randn()", "tf.random.normal([])"},
    {"np.random.normal()", "tf.random.normal([])"},    {"np.random.uniform()", "tf.random.uniform([])"},
    {"random.random()", "tf.random.uniform([])"},      {"time.time()", "tf.timestamp()"},
};

// The dtypes of the floating-point constants that the line has in the graph and in those inside it.
void add_dtypes_at(const Evidence& evidence, const Line& line, GraphId id, std::set<std::string>& dtypes,
                   int depth = 0) {
  constexpr int kMaxDepth = 16;
  const session::GraphRecord* const graph = evidence.graph(id);
  if (!graph || depth > kMaxDepth) return;
  for (const session::NodeRecord& node : graph->nodes) {
    for (const session::NodeFunction& f : node.functions) add_dtypes_at(evidence, line, f.graph, dtypes, depth + 1);
    if (node.op != "Const" || node.outputs.empty() || evidence.line(node.source) != line) continue;
    const std::string dtype = node.outputs.front().substr(0, node.outputs.front().find(' '));
    if (dtype.starts_with("float") || dtype == "bfloat16") dtypes.insert(dtype);
  }
}

// An edit where the number becomes a constant of the graph on its own line, so that its dtype is known: what a name
// keeps, or a text, may be passed to Python, which takes no tensor.
Finding::Edit edit_of(const Evidence& evidence, const Line& line, const std::set<TraceId>& traces) {
  std::set<std::string> dtypes;
  for (const TraceId id : traces)
    if (const session::TraceRecord* trace = evidence.trace(id)) add_dtypes_at(evidence, line, trace->graph(), dtypes);
  if (dtypes.size() != 1) return {};
  const std::string text(source::trimmed(evidence.text(line)));
  for (const Same& same : kSame) {
    const size_t at = text.find(same.python);
    if (at == text.npos || text.find(same.python, at + 1) != text.npos) continue;
    std::string changed = text;
    changed.replace(at, same.python.size(), same.with(*dtypes.begin()));
    return {line, text, changed};
  }
  return {};
}

// Where a time that is read on a line goes, as far as the source tells: into waits and printed texts alone, or perhaps
// into the graph.
class TimeUses {
 public:
  explicit TimeUses(const Evidence& evidence) : evidence_(evidence), outlines_(evidence) {}

  bool stays_in_python(const Line& line) {
    const source::Function* function = outlines_.of(line.file).innermost(line.line);
    if (!function) return false;
    std::set<std::string, std::less<>> names;
    if (!goes_nowhere(line, names)) return false;
    for (size_t before = SIZE_MAX; before != names.size();) {
      before = names.size();
      for (int at = function->line + 1; at <= function->last_line; ++at) {
        const std::string_view text = source::without_comment(evidence_.text({line.file, at}));
        const auto has = [&](const std::string& name) { return source::has_name(text, name); };
        if (std::ranges::any_of(names, has) && !goes_nowhere({line.file, at}, names)) return false;
      }
    }
    return true;
  }

 private:
  // A loop that waits, something printed, or a name that gets the time and is followed too.
  bool goes_nowhere(const Line& line, std::set<std::string, std::less<>>& names) const {
    const std::string_view text = source::trimmed(source::without_comment(evidence_.text(line)));
    if (text.starts_with("while ")) {
      const std::string_view below = source::trimmed(evidence_.text({line.file, line.line + 1}));
      return text.ends_with(": pass") || (text.ends_with(':') && (below == "pass" || below.starts_with("time.sleep(")));
    }
    for (const char* printed : {"print(", "logging.", "logger.", "log."})
      if (text.starts_with(printed)) return true;
    const size_t equals = text.find(" = ");
    if (equals == text.npos) return false;
    const std::string_view name = text.substr(0, equals);
    const auto is_of_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
    if (!std::ranges::all_of(name, is_of_name)) return false;
    names.emplace(name);
    return true;
  }

  const Evidence& evidence_;
  Outlines outlines_;
};

// The edit, and the graph's clock in place of Python's. A body that reads the clock twice measures the time between:
// only all of its lines together can change.
void complete(const Evidence& evidence, const Line& line, const std::map<Line, std::set<TraceId>>& traces, Finding& f) {
  if (is_jax(evidence, f.function)) return;
  const Finding::Edit edit = edit_of(evidence, line, traces.at(line));
  if (!name_in(f.path).starts_with("time.")) {
    f.edit = edit;
    return;
  }
  std::vector<std::string> lines;
  for (const auto& [other, in] : traces)
    if (other.file == line.file && std::ranges::any_of(in, [&](TraceId id) { return traces.at(line).contains(id); }) &&
        evidence.text(other).find("time.") != std::string_view::npos)
      lines.push_back(std::to_string(other.line));
  if (lines.size() > 1)
    f.fix = "Use tf.timestamp() at lines " + listed(lines) + ": the time between them is measured when the graph runs";
  else
    add_alternative(f, "Use tf.timestamp()", f.checked, edit);
}

void find_baked_random(const Evidence& evidence, Findings& findings) {
  const LaterCalls later(evidence);
  std::map<Line, Finding> all;
  std::map<Line, std::vector<std::string>> functions;  // a helper is called by several
  std::map<Line, std::set<TraceId>> traces;
  TimeUses times(evidence);
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kRandomRead) continue;
    if (!later.count({o.trace})) {
      suppress(evidence, o, findings);
      continue;
    }
    if (o.note == "clock" && times.stays_in_python({o.file, o.line})) continue;
    std::vector<std::string>& traced = functions[{o.file, o.line}];
    const std::string function = name_at(evidence, o.function, {o.file, o.line});
    if (std::ranges::find(traced, function) == traced.end()) traced.push_back(function);
    const auto [at, fresh] = all.try_emplace(Line{o.file, o.line}, wrong_result(evidence, o, 0));
    traces[{o.file, o.line}].insert(o.trace);
    if (!fresh) continue;
    Finding& f = at->second;
    const std::string name = name_in(o.path);
    const bool clock = o.note == "clock";
    f.title = name + " is read once, when " + function + " is traced";
    const bool jax = is_jax(evidence, o.function);
    const std::string at_call =
        "where " + function + " is called and pass it as " + (jax ? "an argument" : "a tensor");
    f.fix = clock ? "Read it " + at_call
            : jax ? "Draw with jax.random, from a key that is an argument"
                  : "Draw with tf.random";
    const bool of_library = is_step_of_library(evidence, o.function);  // nobody passes it an argument
    if (!clock && (jax || !of_library)) add_alternative(f, "Draw the number " + at_call, f.checked);
  }
  for (auto& [line, f] : all) {
    complete(evidence, line, traces, f);
    const std::vector<std::string>& traced = functions[line];
    const bool several = traced.size() > 1;
    f.calls = later.count(traces[line]);
    f.detail = "The value that " + listed(traced) + " got while " + (several ? "they were" : "it was") +
               " traced is not read again: " + later_calls(f.calls) + " used the same one";
    findings.found.push_back(std::move(f));
  }
}

const Cause baked_random("baked_random", find_baked_random);

}  // namespace
}  // namespace footlight::explain
