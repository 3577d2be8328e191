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
struct Same { std::string_view python, tensorflow; };
constexpr Same kSameClock[] = {{"time.time()", "tf.timestamp()"}};
constexpr Same kSameDraw[] = {
    {"np.random.rand()", "tf.random.uniform([])"},     {"np.random.random()", "tf.random.uniform([])"},
    {"numpy.random.rand()", "tf.random.uniform([])"},  {"np.random.randn()", "tf.random.normal([])"},
    {"np.random.normal()", "tf.random.normal([])"},    {"np.random.uniform()", "tf.random.uniform([])"},
    {"random.random()", "tf.random.uniform([])"},
};

Finding::Edit edit_of(const Evidence& evidence, const Line& line, std::span<const Same> known) {
  const std::string text(source::trimmed(evidence.text(line)));
  for (const Same& same : known) {
    const size_t at = text.find(same.python);
    if (at == text.npos) continue;
    std::string changed = text;
    changed.replace(at, same.python.size(), same.tensorflow);
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
    if (jax && !clock) add_alternative(f, "Draw the number " + at_call, f.checked);
    if (jax) continue;
    if (!clock) {
      f.edit = edit_of(evidence, f.line, kSameDraw);
      if (!of_library) add_alternative(f, "Draw the number " + at_call, f.checked);
    } else if (name.starts_with("time.")) {
      // What a name keeps may be passed to Python, which takes no tensor.
      const bool kept = evidence.text(f.line).find(" = ") != std::string_view::npos;
      add_alternative(f, "Use tf.timestamp()", f.checked,
                      kept ? Finding::Edit() : edit_of(evidence, f.line, kSameClock));
    }
  }
  for (auto& [line, f] : all) {
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
