// function_made_in_loop: one line makes a tf.function again and again, each with a trace of its own. Fix: make it once,
// and pass what it captured.
#include "engine/explain/enclosing.h"
#include "engine/explain/engines.h"
#include "engine/explain/graph_pairs.h"
#include "engine/explain/words.h"
#include "engine/session/run_times.h"
#include "engine/source/line.h"

#include <algorithm>
#include <iterator>

namespace footlight::explain {
namespace {

constexpr size_t kManyFunctions = 3;

// "for k in range(TERMS)" or "run_round": the nearest loop or function around a line.
std::string surroundings(const Evidence& evidence, Line line) {
  const Line found = enclosing(evidence, line, [&](std::string_view head) {
    const std::string_view word = source::leading_word(head);
    return word == "for" || word == "while" || word == "def";
  });
  std::string_view head = source::unindented(evidence.text(found));
  if (const std::string_view name = source::defined_function(head); !name.empty()) return std::string(name);
  if (head.starts_with("async ")) head.remove_prefix(6);
  return std::string(head.substr(0, head.rfind(':')));
}

// In recordings of older versions and other engines, all that is known is its first call.
int64_t made_ns(const FunctionRun& run) {
  const int64_t made = run.record->made_ns, first = run.steps.front().start_ns;
  return made > 0 && made < first ? made : first;
}

// As if they were one function; those that captured variables and tensors of other shapes stay functions of their own.
ReplayResult replay_as_few(const Evidence& evidence, const std::vector<const FunctionRun*>& runs,
                           const ProposedFix& fix) {
  std::map<std::string, std::vector<const FunctionRun*>> alike;
  for (const FunctionRun* run : runs) alike[capture_types(*run->traces.front())].push_back(run);
  ReplayResult all;
  for (const auto& [types, some] : alike) {
    ReplayResult one = replay_as_one(evidence, some, fix);
    if (one.checked.method == Checked::Method::kNone) return one;
    all.checked.method = one.checked.method;
    all.checked.ok |= one.checked.ok;
    all.checked.traces_before += one.checked.traces_before;
    all.checked.traces_after += one.checked.traces_after;
    all.saved.insert(all.saved.end(), one.saved.begin(), one.saved.end());
    std::ranges::move(one.merged, std::back_inserter(all.merged));
  }
  std::ranges::sort(all.saved, {}, &session::TraceRecord::start_ns);
  return all;
}

// Tensor arguments whose sizes differ from function to function. Then one function for all saves traces only together
// with unknown sizes; under JAX, which has none, with fewer sizes.
struct VaryingSizes {
  std::map<std::string, std::set<size_t>> dimensions;  // place -> dimensions that differ
  std::vector<std::string> specs;                      // "tf.TensorSpec([None, 4], tf.float32)"
  std::vector<std::string> names;                      // "tokens"
};

VaryingSizes varying_sizes(const Evidence& evidence, const std::vector<const FunctionRun*>& runs) {
  VaryingSizes varying;
  const session::TraceRecord& first = *runs.front()->traces.front();
  for (const session::KeyLeaf& leaf : first.key) {
    if (leaf.kind != "tensor" || leaf.shape == "<unknown>") continue;
    std::vector<std::string> sizes = sizes_of(leaf.shape);
    std::set<size_t> differ;
    bool alike = true;
    for (const FunctionRun* run : runs) {
      for (const session::TraceRecord* t : run->traces) {
        const session::KeyLeaf* other = leaf_at(*t, leaf.path);
        const auto its = other ? sizes_of(other->shape) : std::vector<std::string>();
        alike &= other && other->kind == leaf.kind && other->type == leaf.type && its.size() == sizes.size() &&
                 other->shape != "<unknown>";
        for (size_t d = 0; alike && d < sizes.size(); ++d)
          if (its[d] != sizes[d]) differ.insert(d);
      }
    }
    if (!alike || differ.empty()) continue;
    for (const FunctionRun* run : runs)
      for (const std::string& place : places_of(evidence, *run, {leaf.path})) varying.dimensions[place] = differ;
    for (const size_t d : differ) sizes[d] = "None";
    varying.specs.push_back("tf.TensorSpec([" + joined(sizes, ", ") + "], tf." + leaf.type + ")");
    varying.names.push_back(argument_name(leaf.path, leaf.parameter));
  }
  return varying;
}

void find_function_made_in_loop(const Evidence& evidence, Findings& findings) {
  std::map<std::pair<Line, std::string>, std::vector<const FunctionRun*>> made;
  for (const auto& [id, run] : evidence.functions()) {
    const Line line = evidence.definition(run);
    if (!line || run.traces.empty()) continue;
    // One call of a library makes several functions of one name: without a loop, none is made again.
    if (is_step_of_library(run.record) && surroundings(evidence, line).empty()) continue;
    made[{line, run.record->name}].push_back(&run);
  }
  for (auto& [where, runs] : made) {
    if (runs.size() < kManyFunctions) continue;
    const auto span = [](const FunctionRun* run) {
      return std::pair(made_ns(*run), run->steps.back().start_ns);
    };
    if (std::ranges::any_of(runs, [](const FunctionRun* run) { return run->steps.empty(); })) continue;
    std::ranges::sort(runs, {}, span);
    // Functions that are there side by side are those of a factory, even if they are used one after the other.
    const size_t all = runs.size();
    std::vector<const FunctionRun*> in_turn;
    int64_t used_until = INT64_MIN;  // by those before
    for (size_t i = 0; i < all; ++i) {
      const auto [first, last] = span(runs[i]);
      if (used_until <= first && (i + 1 == all || last <= span(runs[i + 1]).first)) in_turn.push_back(runs[i]);
      used_until = std::max(used_until, last);
    }
    if (in_turn.size() < kManyFunctions) {
      findings.suppressed.push_back({runs.front()->id, {}, Rule::kVariants});
      continue;
    }
    runs = std::move(in_turn);
    const bool jax = is_jax(*runs.front());
    const bool body = runs.front()->record->kind == "eager";
    ReplayResult result = replay_as_few(evidence, runs, {});
    VaryingSizes varying;
    size_t fewest = kMinSaved;
    if (result.saved.size() < kMinSaved && !body && !is_torch(*runs.front())) {
      varying = varying_sizes(evidence, runs);
      ProposedFix sizes;
      if (jax) sizes.call = round_up_sizes(varying.dimensions);
      else sizes.trace = forget_sizes(varying.dimensions);
      if (!varying.dimensions.empty()) result = replay_as_few(evidence, runs, sizes);
      if (jax) fewest = std::max(kMinSaved, (runs.size() + 1) / 2);
    }
    const bool is_padded = jax && !varying.names.empty();
    Finding f;
    f.graphs = GraphRelation::kIdentical;
    for (const auto& group : result.merged) f.graphs = std::max(f.graphs, evidence.compare_graphs(group, true));
    // Sizes are attributes of JAX's graphs.
    const GraphRelation most = is_padded ? GraphRelation::kStructure : GraphRelation::kConstants;
    if (f.graphs > most || result.saved.size() < fewest || !fill_from_replay(evidence, *runs.front(), result, f)) {
      findings.suppressed.push_back({runs.front()->id, {}, Rule::kNotConfirmed});
      continue;
    }
    f.related.clear();
    f.calls = 0;
    std::vector<const session::TraceRecord*> made;
    for (const FunctionRun* run : runs) {
      made.insert(made.end(), run->traces.begin(), run->traces.end());
      f.calls += evidence.calls_of(run->id);
    }
    f.cost_ns = session::tracing_time(made);
    describe_graphs(evidence, result.merged, f);
    edit_at(f, where.first, "call");
    f.path = surroundings(evidence, where.first);
    f.title = where.second + (body  ? " is made anew for each " + runs.front()->record->options
                              : jax ? " is given to jit again on each iteration"
                                    : " is re-created as a tf.function on each iteration");
    f.reason = "the function was re-created";
    f.detail = "One line made " + with_commas(all) + " functions, " +
               (runs.size() == all ? std::string() : with_commas(runs.size()) + " of them ") +
               "one after the other; their graphs " + f.graphs_words;
    f.fix = "Make it once, outside of " + (f.path.empty() ? "the loop" : f.path) + ", and pass what it captures";
    if (!varying.specs.empty()) f.detail += "; the shapes of its arguments vary, too";
    if (is_padded) {
      f.fix += "; pad " + listed(varying.names) + " to powers of two before the call and mask what was added";
    } else if (!varying.specs.empty()) {
      f.fix += "; declare the sizes that vary as None: " + joined(varying.specs, ", ");
    }
    if (body) f.fix += "; or put jax.jit around what calls it";
    findings.found.push_back(std::move(f));
  }
}

// PyTorch shares the traces of a code object, but not with another backend object.
void propose_backend_made_in_loop(const Evidence& evidence, const FunctionRun& run,
                                  std::vector<Candidate>& candidates) {
  if (!is_torch(run)) return;
  for (const LeafSeries& s : leaf_series(run)) {
    if (s.path != kBackend) continue;
    Candidate c;
    Finding& f = c.finding;
    f.values = distinct(s, [](const session::KeyLeaf* leaf) { return leaf ? leaf->value : std::string(); });
    if (f.values.size() < kManyFunctions) continue;
    f.path = s.path;
    c.paths = {s.path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kConstants;
    c.edit_at = Candidate::EditAt::kDefinition;
    f.title = std::string(last_name(run.record->name)) + " is compiled for a new backend object again and again";
    f.reason = "the backend was re-created";
    f.detail = f.path + ": " + progression(f.values) + "; PyTorch compares backends by identity";
    f.fix = "Make the backend once, and call torch.compile once, outside of the loop";
    candidates.push_back(std::move(c));
  }
}

const Cause function_made_in_loop("function_made_in_loop", propose_backend_made_in_loop, find_function_made_in_loop);

}  // namespace
}  // namespace footlight::explain
