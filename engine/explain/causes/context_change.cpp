// context_change: the arguments are the same, and the calls are made in other device scopes, in other modes of PyTorch
// or under other settings of JAX. Fix: one context for all.
#include "engine/explain/causes/layouts.h"
#include "engine/explain/enclosing.h"
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

uint64_t device_of(std::span<const uint64_t> key) { return key.size() > 1 ? key[1] : 0; }

bool enters_device(std::string_view line) {
  return source::leading_word(line) == "with" && line.find("device(") != line.npos;
}

// The `with` around the call that made a trace, in its function; none: line 0.
Line scope_around(const Evidence& evidence, const TraceRecord& trace) {
  const Line found = enclosing(evidence, evidence.line(trace.source), [](std::string_view head) {
    return enters_device(head) || source::leading_word(head) == "def";
  });
  return enters_device(evidence.text(found)) ? found : Line();
}

// The only `with` of a device scope in the file of a call, if there is one: the call may be in a function that is
// called inside of it.
Line only_scope(const Evidence& evidence, session::FileId file) {
  Line only, line{file, 0};
  const int last = evidence.line_count(file);
  for (line.line = 1; line.line <= last; ++line.line) {
    if (!enters_device(evidence.text(line))) continue;
    if (only) return {};
    only = line;
  }
  return only;
}

// The line to edit is where a scope is entered: around a call that need not have traced, else around another.
void name_scope(const Evidence& evidence, const FunctionRun& run, Finding& f, const ReplayResult& result) {
  std::vector<const TraceRecord*> traces = result.saved;
  traces.insert(traces.end(), run.traces.begin(), run.traces.end());
  for (const TraceRecord* t : traces)
    if (const Line scope = scope_around(evidence, *t)) return edit_at(f, scope, "call");
  std::set<session::FileId> seen;
  for (const TraceRecord* t : traces) {
    const session::FileId file = evidence.line(t->source).file;
    if (!seen.insert(file).second) continue;
    if (const Line scope = only_scope(evidence, file)) return edit_at(f, scope, "call");
  }
}

// "tf.device("/CPU:0")", as it is written around a call that asked for the device; "a device scope" where no such line
// is found.
std::string scope_text(const Evidence& evidence, const FunctionRun& run, uint64_t device) {
  for (const TraceRecord* t : run.traces) {
    if (device_of(evidence.key_of(*t)) != device) continue;
    Line scope = scope_around(evidence, *t);
    if (!scope) scope = only_scope(evidence, evidence.line(t->source).file);
    if (!scope) continue;
    std::string_view text = source::trimmed(source::without_comment(evidence.text(scope)));
    text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
    const size_t end = text.rfind(')');
    if (end != text.npos) return std::string(text.substr(0, end + 1));
  }
  return "a device scope";
}

constexpr size_t kCallsOfMode = 3, kFewModes = 2;

bool enters_mode(std::string_view line) {
  const std::string_view word = source::leading_word(line);
  return word == "with" || line.starts_with('@') || line.find("set_") != line.npos;
}

// The line around a call in another mode; none: the call itself.
void name_mode(const Evidence& evidence, const TraceText& text, const FunctionRun& run, Finding& f) {
  std::map<std::string, size_t> counts = uses(run, text);
  const auto rare = std::ranges::min_element(counts, {}, [](const auto& count) { return count.second; });
  for (const TraceRecord* t : run.traces) {
    if (rare != counts.end() && text(*t) != rare->first) continue;
    const Line call = evidence.line(t->source);
    const Line scope = enclosing(
        evidence, call, [](std::string_view head) { return enters_mode(head) || source::leading_word(head) == "def"; });
    if (scope && enters_mode(evidence.text(scope))) return edit_at(f, scope, "call");
    if (call) return edit_at(f, call, "call");
  }
}

// Under PyTorch: gradients, inference mode, autocast, the number of threads. Two modes that are both in use are two
// programs, if they compute different things or are called from different lines.
void propose_modes(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const auto value = [](const KeyLeaf* leaf) { return leaf ? leaf->value : std::string(); };
  const auto mode = [](const KeyLeaf* leaf) {
    return layout_part(leaf, LayoutPart::kMode).empty() ? std::string("made outside")
                                                        : std::string("made in inference mode");
  };
  for (const LeafSeries& s : leaf_series(run)) {
    const bool context = s.path.starts_with("context."), layout = s.path.ends_with(".layout");
    if ((!context && !layout) || s.path == kBackend) continue;
    const LeafText text = context ? LeafText(value) : LeafText(mode);
    Candidate c;
    Finding& f = c.finding;
    f.values = distinct(s, text);
    if (f.values.size() < 2) continue;
    f.path = context ? s.path : "context.inference_mode";
    const TraceText of_trace = at_path(s.path, text);
    c.paths = {s.path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    const bool often = recurring(uses(run, of_trace), kFewModes, kCallsOfMode);
    const bool same_line = most_from_one_line(evidence, run, of_trace) > 1;
    c.variants = often && (!same_line || evidence.compare_graphs(run.traces) == GraphRelation::kStructure);
    c.complete = [&evidence, &run, of_trace](Finding& made, const ReplayResult&) {
      name_mode(evidence, of_trace, run, made);
    };
    const std::string name = f.path.substr(std::string_view("context.").size());
    f.title = "The calls are made with different " + name;
    f.detail = f.path + ": " + joined(f.values, ", then ") + "; each has its own trace";
    f.fix = "Make all calls in one mode, the warm-up too";
    candidates.push_back(std::move(c));
    if (layout) return;  // one tensor stands for all that were made so
  }
}

// JAX keys a trace by its settings. A trace's context names those that differ from the program's first ones, such as
// "numpy_rank_promotion=raise".
void propose_settings(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const TraceText settings = at_path("context", [](const KeyLeaf* leaf) {
    return leaf && !leaf->value.empty() ? leaf->value : std::string("as at the start");
  });
  Candidate c;
  Finding& f = c.finding;
  std::string name;
  for (const TraceRecord* t : run.traces) {
    std::string value = settings(*t);
    if (name.empty() && value.find('=') != value.npos) name = value.substr(0, value.find('='));
    if (std::ranges::find(f.values, value) == f.values.end()) f.values.push_back(std::move(value));
  }
  if (f.values.size() < 2) return;
  f.path = "context." + name;
  c.paths = {"context"};
  c.fix.call = leave_context();
  c.most = GraphRelation::kStructure;
  c.fewest = 1;
  c.variants = recurring(uses(run, settings), kFewModes, kCallsOfMode) &&
               (most_from_one_line(evidence, run, settings) < 2 ||
                evidence.compare_graphs(run.traces) == GraphRelation::kStructure);
  c.complete = [&evidence, &run, settings](Finding& made, const ReplayResult&) {
    name_mode(evidence, settings, run, made);
  };
  f.title = "The calls are made under different settings of " + name;
  f.detail = f.path + ": " + joined(f.values, ", then ") + "; each has its own trace";
  f.fix = "Make all calls under one setting, the warm-up too";
  candidates.push_back(std::move(c));
}

void propose_context_change(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  if (is_torch(run)) return propose_modes(evidence, run, candidates);
  if (is_jax(run)) return propose_settings(evidence, run, candidates);
  std::vector<uint64_t> devices;
  for (const TraceRecord* t : run.traces) {
    const uint64_t device = device_of(evidence.key_of(*t));
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  if (devices.size() < 2) return;
  Candidate c;
  Finding& f = c.finding;
  f.path = "context.device";
  for (const uint64_t device : devices) {
    const std::string text = device ? scope_text(evidence, run, device) : "no device scope";
    const bool is_known = std::ranges::find(f.values, text) != f.values.end();
    f.values.push_back(is_known ? "another " + (text == "a device scope" ? "device scope" : text) : text);
  }
  c.paths = {"context"};
  c.fix.call = leave_context();
  c.most = GraphRelation::kStructure;
  c.fewest = 1;
  c.complete = [&](Finding& found, const ReplayResult& result) { name_scope(evidence, run, found, result); };
  f.title = "The calls are made in different device scopes";
  f.detail = "Calls came from " + listed(f.values) + "; each has its own trace";
  f.fix = "Make the calls in one tf.device scope, or put the scope into the function";
  candidates.push_back(std::move(c));
}

const Cause context_change("context_change", propose_context_change);

}  // namespace
}  // namespace footlight::explain
