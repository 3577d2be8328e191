// baked_random: a number of Python's or NumPy's generators, or the time, was read while a trace was made, and each
// later call that it served got the same one. Fix: tf.random, or an argument.
#include "engine/explain/causes/observed.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::ObservationKind;

// What is the same in TensorFlow, for the plainest calls.
struct Same { std::string_view python, tensorflow; };
constexpr Same kSame[] = {
    {"np.random.rand()", "tf.random.uniform([])"},     {"np.random.random()", "tf.random.uniform([])"},
    {"numpy.random.rand()", "tf.random.uniform([])"},  {"np.random.randn()", "tf.random.normal([])"},
    {"np.random.normal()", "tf.random.normal([])"},    {"np.random.uniform()", "tf.random.uniform([])"},
    {"random.random()", "tf.random.uniform([])"},
};

void add_edit(const Evidence& evidence, Finding& f) {
  std::string text(evidence.text(f.line));
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
  if (begin == text.npos) return;
  text = text.substr(begin, end - begin + 1);
  for (const Same& same : kSame) {
    const size_t at = text.find(same.python);
    if (at == text.npos) continue;
    std::string changed = text;
    changed.replace(at, same.python.size(), same.tensorflow);
    f.edit = {f.line, text, changed};
    return;
  }
}

void find(const Evidence& evidence, Findings& to) {
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
    f.fix = clock ? "read it where " + function + " is called and pass it as a tensor" +
                        (name.starts_with("time.") ? ", or use tf.timestamp()" : "")
                  : "draw with tf.random, or draw where " + function + " is called and pass the number as a tensor";
    if (!clock) add_edit(evidence, f);
  }
  for (auto& [line, f] : all) {
    f.detail = "the value that " + short_name(evidence, f.function) + " got while it was traced is a constant of the " +
               "graph: " + later_calls(f.calls) + " used the same one";
    to.found.push_back(std::move(f));
  }
}

const Cause cause("baked_random", find);

}  // namespace
}  // namespace footlight::explain
