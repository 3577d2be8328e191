// stale_capture: a trace read a global, an attribute or a closure's variable, and calls that it served later found
// another value there. Fix: a tf.Variable, or an argument.
#include "engine/explain/causes/later_calls.h"
#include "engine/explain/causes/wrong_results.h"
#include "engine/explain/engines.h"
#include "engine/explain/outlines.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <optional>

namespace footlight::explain {
namespace {

using session::ObservationKind;
using session::ObservationRecord;

using ReadKey = std::tuple<TraceId, std::string, Line>;
ReadKey place_of(const ObservationRecord& o) { return {o.trace, o.path, Line{o.file, o.line}}; }

// `if self.scale > 1.0:` with a number on its right: what the condition is for a value; nothing for other lines.
std::optional<bool> condition_at(std::string_view line, const std::string& name, double value) {
  line = source::trimmed(source::without_comment(line));
  if (!line.starts_with("if ") || !line.ends_with(':')) return {};
  line = source::trimmed(line.substr(3, line.size() - 4));
  if (line == name) return value != 0;
  if (!line.starts_with(name)) return {};
  line = source::trimmed(line.substr(name.size()));
  const size_t length = line.find_first_not_of("<>=!");
  if (length == 0 || length == line.npos) return {};
  const std::string_view sign = line.substr(0, length);
  const std::optional<double> other = number_of(source::trimmed(line.substr(length)));
  if (!other) return {};
  if (sign == "<") return value < *other;
  if (sign == "<=") return value <= *other;
  if (sign == ">") return value > *other;
  if (sign == ">=") return value >= *other;
  if (sign == "==") return value == *other;
  if (sign == "!=") return value != *other;
  return {};
}

// How many lines of a function's file name what it read, apart from those that store it.
size_t reads_in_file(const Evidence& evidence, session::FileId file, const std::string& name) {
  const size_t dot = name.rfind('.');
  const std::string last = dot == name.npos ? name : name.substr(dot);  // ".scale"
  size_t reads = 0;
  for (int line = 1; line <= evidence.line_count(file); ++line) {
    const std::string_view text = source::without_comment(evidence.text({file, line}));
    const size_t at = text.find(last);
    if (at == text.npos) continue;
    const std::string_view behind = source::trimmed(text.substr(at + last.size()));
    const bool stores = behind.starts_with('=') && !behind.starts_with("==");
    reads += !stores;
  }
  return reads;
}

// Whether the graph is the same with what is there now as with `before`, as far as the source tells: they are equal
// numbers, or one `if` is all that reads them, and it goes the same way.
bool is_same_graph(const Evidence& evidence, const ObservationRecord& o, const std::string& text_before) {
  const std::optional<double> before = number_of(text_before), after = number_of(o.values.back());
  if (!before || !after) return false;
  if (*before == *after) return true;
  const std::string name = name_in(o.path);
  const std::string_view line = evidence.text({o.file, o.line});
  const auto was = condition_at(line, name, *before), is = condition_at(line, name, *after);
  return was && is && *was == *is && reads_in_file(evidence, o.file, name) == 1;
}

// The times from a change to the moment when the old value, or one that gives the same graph, was back. A further
// change in between begins none. A change after which nothing differs has no entry.
std::map<const ObservationRecord*, LaterCalls::Span> times_with_another_value(const Evidence& evidence) {
  std::map<ReadKey, std::vector<const ObservationRecord*>> places;
  for (const ObservationRecord& o : evidence.records().observations)
    if (o.kind == ObservationKind::kStateChanged && o.values.size() >= 2) places[place_of(o)].push_back(&o);
  std::map<const ObservationRecord*, LaterCalls::Span> times;
  for (auto& [place, changes] : places) {
    std::ranges::stable_sort(changes, {}, &ObservationRecord::time_ns);
    const ObservationRecord* since = nullptr;
    for (const ObservationRecord* o : changes) {
      const bool back = o->note == session::kCameBack || is_same_graph(evidence, *o, changes.front()->values.front());
      if (!back) times.try_emplace(o, LaterCalls::Span{o->trace, o->time_ns, o->time_ns});
      if (since && back) times[since].until = o->time_ns;
      if (!since || back) since = back ? nullptr : o;
    }
    const bool watched = changes.back()->note != session::kLastWatched;
    if (since) times[since].until = watched ? INT64_MAX : changes.back()->time_ns + 1;
  }
  return times;
}

// "it changed to 0.25 → 0.125". Names all values that it got, since calls are counted from the first change on.
std::string change_text(const std::vector<std::string>& values, bool watched) {
  const std::vector<std::string> later(values.begin() + 1, values.end());
  const bool same_words = std::ranges::any_of(
      later, [&](const std::string& value) { return short_value(value) == short_value(values.front()); });
  const std::string text =
      later.empty() || same_words ? "what it holds changed" : "it changed to " + progression(later);
  return watched ? text : text + " (" + session::kLastWatched + ')';
}

// An old value, and the times in which calls worked with it though another one was there.
struct OldValue {
  std::string value;
  std::vector<LaterCalls::Span> times;
};

// What one finding is about: all functions and traces that read the same thing.
struct StaleReads {
  Finding finding;
  std::vector<OldValue> old;          // in the order of the traces that read them
  std::vector<FunctionId> functions;  // that read it
  bool watched = true;                // to the end
  bool exact = true;                  // each call looked at what is there

  void add(FunctionId function, const std::string& value, const LaterCalls::Span& time) {
    if (std::ranges::find(functions, function) == functions.end()) functions.push_back(function);
    auto at = std::ranges::find(old, value, &OldValue::value);
    if (at == old.end()) at = old.insert(old.end(), {value, {}});
    at->times.push_back(time);
  }
};

// "4 later calls of train and test still used 0.0, and 2 used 0.6"
std::string uses_text(const Evidence& evidence, const LaterCalls& later, const StaleReads& reads) {
  constexpr size_t kMaxValues = 4;
  std::string text;
  std::vector<LaterCalls::Span> others;
  size_t values = 0;
  for (const OldValue& old : reads.old) {
    const size_t calls = later.count(old.times);
    if (!calls) continue;
    if (++values > kMaxValues) {
      others.insert(others.end(), old.times.begin(), old.times.end());
      continue;
    }
    std::set<TraceId> traces;
    for (const LaterCalls::Span& time : old.times)
      if (later.count(std::vector{time})) traces.insert(time.trace);
    const std::vector<std::string> called = short_names(evidence, later.functions(traces));
    text += text.empty() ? later_calls(calls) : ", and " + with_commas(calls);
    if (called.size() > 1) text += " of " + listed(called);
    text += (values == 1 ? " still used " : " used ") + short_value(old.value);
  }
  if (!others.empty()) text += ", and " + with_commas(later.count(others)) + " used other old values";
  return text;
}

void find_stale_capture(const Evidence& evidence, Findings& findings) {
  const auto times = times_with_another_value(evidence);
  const LaterCalls later(evidence);
  std::map<std::pair<std::string, Line>, StaleReads> all;
  for (const ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kStateChanged || o.values.size() < 2) continue;
    const auto time = times.find(&o);
    if (time == times.end() && o.note != session::kCameBack) continue;
    const size_t calls = time == times.end() ? 0 : later.count(std::vector{time->second});
    const Line line{o.file, o.line};
    const std::pair<std::string, Line> key{o.path, o.path.starts_with("global ") ? Line() : line};
    if (!calls && !all.contains(key)) continue;
    const auto [at, fresh] = all.try_emplace(key, StaleReads{wrong_result(evidence, o, calls), {}, {}});
    Finding& f = at->second.finding;
    if (calls) {
      at->second.add(o.function, o.values.front(), time->second);
      at->second.exact &= o.count <= 1;
    }
    if (fresh || f.function == o.function) {
      at->second.watched &= o.note != session::kLastWatched;
      for (const std::string& value : o.values)
        if (std::ranges::find(f.values, value) == f.values.end()) f.values.push_back(value);
    }
    relate(f, o, "change", "change");
  }
  for (auto& [key, reads] : all) {
    Finding& f = reads.finding;
    std::vector<LaterCalls::Span> all_times;
    for (const OldValue& old : reads.old) all_times.insert(all_times.end(), old.times.begin(), old.times.end());
    f.calls = later.count(all_times);
    std::vector<std::string> functions;
    for (const FunctionId id : reads.functions) {
      std::string called = name_at(evidence, id, f.line);
      if (std::ranges::find(functions, called) == functions.end()) functions.push_back(std::move(called));
    }
    const std::string name = name_in(f.path), function = functions.front(), readers = listed(functions);
    f.title = name + " is frozen in the graph" + (functions.size() > 1 ? "s of " : " of ") + readers;
    f.detail = function + " read " + name + " = " + short_value(f.values.front()) + " while it was traced; " +
               change_text(f.values, reads.watched) + (reads.exact ? ", but " : ", but about ") +
               uses_text(evidence, later, reads);
    const bool of_library = is_step_of_library(evidence, f.function);  // nobody passes it an argument
    const bool of_dataset = is_of_dataset(evidence, f.function);
    const std::string again = "Build the dataset again when " + name + " has changed: it traces " + function + " anew";
    if (!is_jax(evidence, f.function) && std::ranges::all_of(f.values, is_scalar)) {
      f.fix = "Keep " + name + " in a tf.Variable and assign to it";
      if (of_dataset) add_alternative(f, again, f.checked);
      else if (!of_library) add_alternative(f, "Pass " + name + " to " + readers + " as a tensor", f.checked);
    } else if (of_dataset) {
      f.fix = again;
    } else if (of_library) {
      f.fix = "Call compile() of the model again when " + name + " has changed: it traces " + function + " anew";
    } else {
      f.fix = "Pass " + name + " to " + readers + " as an argument";
    }
    findings.found.push_back(std::move(f));
  }
}

const Cause stale_capture("stale_capture", find_stale_capture);

}  // namespace
}  // namespace footlight::explain
