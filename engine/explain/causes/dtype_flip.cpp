// dtype_flip: one call line passes tensors of several dtypes to one parameter, or there are three or more dtypes. Fix:
// cast the odd ones where they are made.
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/outlines.h"
#include "engine/explain/words.h"

#include "engine/base/dtype_names.h"
#include "engine/source/line.h"

#include <algorithm>
#include <utility>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

constexpr size_t kManyDTypes = 3;
constexpr size_t kCallsOfMode = 3;

// Casts lose nothing but precision towards a dtype of a higher kind.
int kind_of(std::string_view dtype) {
  if (dtype.starts_with("complex")) return 3;
  if (dtype.find("float") != dtype.npos) return 2;  // bfloat16 too
  return dtype == "bool" ? 0 : 1;
}

struct TensorDTypes {
  std::string parameter;
  std::vector<std::string> names;           // in the order of their first call
  std::map<std::string, size_t> calls;
  std::map<std::pair<CodeId, uint32_t>, std::set<std::string>> by_line;

  bool flips() const {
    return names.size() >= kManyDTypes ||
           std::any_of(by_line.begin(), by_line.end(), [](const auto& line) { return line.second.size() > 1; });
  }
  // Two precisions that are both in use; each has a graph of its own, as rule 10 says of PyTorch.
  bool are_two_modes() const {
    return names.size() == 2 &&
           std::ranges::all_of(calls, [](const auto& dtype) { return dtype.second >= kCallsOfMode; });
  }
  // The dtype that most calls pass, of those that fractions survive if any call passes some; the first if there are
  // several.
  const std::string& usual() const {
    const auto rank = [&](const std::string& name) { return std::pair(kind_of(name), calls.at(name)); };
    return *std::ranges::max_element(names, {}, rank);
  }
};

std::map<std::string, TensorDTypes> dtypes_of(const FunctionRun& run) {
  std::map<std::string, TensorDTypes> all;
  for (const FunctionRun::Step& step : run.steps) {
    if (!step.call) continue;
    for (const KeyLeaf& leaf : step.trace->key) {
      if (leaf.kind != "tensor") continue;
      TensorDTypes& dtypes = all[leaf.path];
      dtypes.parameter = leaf.parameter;
      if (!dtypes.calls[leaf.type]++) dtypes.names.push_back(leaf.type);
      dtypes.by_line[{step.source.code, step.source.offset}].insert(leaf.type);
    }
  }
  return all;
}

bool change_together(const FunctionRun& run, const std::string& a, const std::string& b) {
  const auto only_one = [&](const TraceRecord* t) { return !leaf_at(*t, a) != !leaf_at(*t, b); };
  if (std::ranges::any_of(run.traces, only_one)) return false;
  const auto types = [&](const std::string& path) {
    return [&](size_t i) {
      const KeyLeaf* leaf = leaf_at(*run.traces[i], path);
      return leaf ? leaf->type : std::string();
    };
  };
  return one_to_one(run.traces.size(), types(a), types(b)).has_value();
}

// The cast in the line that makes the odd tensor, or else where it is passed: casting a tensor of the usual dtype
// changes nothing.
void add_casts(const Evidence& evidence, const FunctionRun& run, const std::string& path, const std::string& usual,
               Finding& made) {
  const std::string before = is_jax(run) ? "jnp.asarray(" : "tf.cast(";
  const std::string behind = (is_jax(run) ? ", dtype=jnp." : ", tf.") + usual + ")";
  const TraceRecord* example = evidence.trace(made.example);
  const KeyLeaf* odd = example ? leaf_at(*example, path) : nullptr;
  Finding at_call = made;
  at_call.path = path;
  if (odd && odd->type != usual) {
    at_call.line = evidence.line(example->source);
    made.edit = wrap_value(evidence, run, at_call, made.line, before, behind);
  }
  std::set<Line> calls;
  for (const TraceRecord* t : run.traces) calls.insert(evidence.line(t->source));
  if (calls.size() != 1) return;
  at_call.line = *calls.begin();
  Finding::Edit edit = wrap_argument(evidence, run, at_call, before, behind);
  if (edit.at && edit.at != made.edit.at) add_alternative(made, "Cast it at the call", made.checked, std::move(edit));
}

// The line of the function that decides something by the dtype of the parameter; none: no line does.
Line line_that_asks(const Evidence& evidence, const FunctionRun& run, const std::string& parameter) {
  Line found;
  if (parameter.empty()) return found;
  each_line_of(evidence, run, [&](const Line& line, std::string_view text) {
    const std::string_view statement = source::trimmed(text);
    for (size_t at = text.find(parameter + ".dtype"); at != text.npos && !found; at = text.find(parameter, at + 1)) {
      if (at && (source::in_name(text[at - 1]) || text[at - 1] == '.')) continue;
      const std::string_view behind = source::trimmed(text.substr(at + parameter.size() + 6));
      const bool compares = behind.starts_with("==") || behind.starts_with("!=") || behind.starts_with("in ") ||
                            behind.starts_with("not in ") || behind.starts_with(".is_");
      const bool branches = statement.starts_with("if ") || statement.starts_with("elif ") ||
                            statement.starts_with("match ") || statement.starts_with("assert ");
      if (compares || branches) found = line;
    }
    return static_cast<bool>(found);
  });
  return found;
}

// Where the body decides by the dtype, one dtype for all calls takes another way through it than they take now.
void leave_the_choice(const Line& asks, Finding& made) {
  if (!asks) return;
  made.fix += ", if line " + std::to_string(asks.line) +
              ", which decides by the dtype, may go the same way in all calls";
  made.related.push_back({"use", asks});
  made.edit = {};
  for (Finding::Alternative& a : made.alternatives) a.edit = {};
}

void propose_dtype_flip(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const auto all = dtypes_of(run);
  std::set<std::string> taken;
  for (const auto& [path, dtypes] : all) {
    if (taken.count(path) || !dtypes.flips()) continue;
    if (is_torch(run) && dtypes.are_two_modes()) continue;
    Candidate c;
    Finding& f = c.finding;
    f.path = path + ".dtype";
    f.parameter = dtypes.parameter;
    f.values = dtypes.names;
    std::map<std::string, uint8_t> casts;
    for (const auto& [other, others] : all) {
      if (taken.count(other) || (other != path && !(others.flips() && change_together(run, path, other)))) continue;
      taken.insert(other);
      c.paths.insert(other);
      if (other != path) f.also_paths.push_back(other + ".dtype");
      for (const TraceRecord* t : run.traces)
        for (const std::string& place : places_of(evidence, *t, {other})) casts[place] = dtype_number(others.usual());
    }
    c.fix.call = cast_to(casts);
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    c.of_library = true;  // a library such as Keras' fit() passes on what the program cast before
    c.edit_at = Candidate::EditAt::kValue;
    const std::string name = argument_name(path, f.parameter);
    f.title = name + " has " + with_commas(f.values.size()) + " different dtypes";
    f.detail = f.path + ": " + joined(f.values, ", ");
    f.detail += with_it(f.also_paths);
    f.fix = is_jax(run) ? "jnp.asarray(" + name + ", dtype=jnp." + dtypes.usual() + ")"
                        : "tf.cast(" + name + ", tf." + dtypes.usual() + ")";
    c.complete = [&evidence, &run, path, usual = dtypes.usual()](Finding& made, const ReplayResult&) {
      if (made.also_paths.empty()) add_casts(evidence, run, path, usual, made);
      leave_the_choice(line_that_asks(evidence, run, made.parameter), made);
    };
    candidates.push_back(std::move(c));
  }
}

const Cause dtype_flip("dtype_flip", propose_dtype_flip);

}  // namespace
}  // namespace footlight::explain
