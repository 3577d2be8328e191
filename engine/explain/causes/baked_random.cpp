// baked_random: a number of Python's or NumPy's generators, or the time, was read while a trace was made, and each
// later call that it served got the same one. Fix: tf.random, or an argument.
#include "engine/explain/causes/observed.h"
#include "engine/explain/engines.h"
#include "engine/source/line.h"

#include <algorithm>
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

void find_baked_random(const Evidence& evidence, Findings& to) {
  const Hits served(evidence);
  std::map<Line, Finding> all;
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kRandomRead) continue;
    const size_t hits = served.of(o.trace);
    if (!hits) {
      suppress(evidence, o, to);
      continue;
    }
    const auto [at, fresh] = all.try_emplace(Line{o.file, o.line}, wrong_result(evidence, o, 0));
    at->second.calls += hits;
    if (!fresh) continue;
    Finding& f = at->second;
    const std::string name = name_in(o.path), function = short_name(evidence, o.function);
    const bool clock = o.note == "clock";
    f.title = name + " is read once, when " + function + " is traced";
    const bool jax = is_jax(evidence, o.function);
    const std::string at_call =
        "where " + function + " is called and pass it as " + (jax ? "an argument" : "a tensor");
    f.fix = clock ? "Read it " + at_call
            : jax ? "Draw with jax.random, from a key that is an argument"
                  : "Draw with tf.random";
    if (jax && !clock) also(f, "Draw the number " + at_call, f.checked);
    if (jax) continue;
    if (!clock) {
      f.edit = edit_of(evidence, f.line, kSameDraw);
      also(f, "Draw the number " + at_call, f.checked);
    } else if (name.starts_with("time.")) {
      // What a name keeps may be passed to Python, which takes no tensor.
      const bool kept = evidence.text(f.line).find(" = ") != std::string_view::npos;
      also(f, "Use tf.timestamp()", f.checked, kept ? Finding::Edit() : edit_of(evidence, f.line, kSameClock));
    }
  }
  for (auto& [line, f] : all) {
    f.detail = "The value that " + short_name(evidence, f.function) + " got while it was traced is a constant of the " +
               "graph: " + later_calls(f.calls) + " used the same one";
    to.found.push_back(std::move(f));
  }
}

const Cause baked_random("baked_random", find_baked_random);

}  // namespace
}  // namespace footlight::explain
