// structure_change: a list, tuple or dict comes with other lengths, keys or nesting. Fix: stack and pad; always all
// keys.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/forms.h"
#include "engine/keys/key.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

constexpr size_t kFewStructures = 4;
constexpr size_t kOftenUsed = 3;

std::string kind_of(const std::string& type) { return type.substr(0, type.find('[')); }

// "list[3]", "dict with 'a', 'b'"
std::string short_text(const TraceRecord& trace, const KeyLeaf& container) {
  if (container.kind != "structure") return container.kind == "variable" ? "a variable" : "a tensor";
  if (!container.type.starts_with("dict")) return container.type;
  std::string keys;
  for (const KeyLeaf& leaf : trace.key) {
    if (!leaf.path.starts_with(container.path + '[')) continue;
    const size_t end = leaf.path.find(']', container.path.size());
    if (end + 1 != leaf.path.size()) continue;
    keys += (keys.empty() ? "" : ", ") + leaf.path.substr(container.path.size() + 1, end - container.path.size() - 1);
  }
  return "dict with " + keys;
}

// Structures at each trace; or a tensor at times, where the nesting differs.
bool are_structures(const FunctionRun& run, const LeafSeries& s) {
  bool structures = false, tensors = false;
  for (size_t i = 0; i < s.leaves.size(); ++i) {
    const KeyLeaf* leaf = s.leaves[i];
    if (!leaf) return false;
    if (leaf->kind == "structure") {
      structures = true;
      tensors |= contents_of(*run.traces[i], s.path).tensors;
    } else if (leaf->kind != "tensor" && leaf->kind != "variable") {
      return false;
    }
  }
  return structures && (tensors || std::ranges::all_of(s.leaves, [](auto* l) { return l->kind == "structure"; }));
}

std::set<std::string> kinds_of(const LeafSeries& s) {
  std::set<std::string> kinds;
  for (const KeyLeaf* leaf : s.leaves) kinds.insert(kind_of(leaf->type));
  return kinds;
}

// What it is itself in each trace, each once: nothing of what differs inside of it.
std::vector<std::string> values_of(const FunctionRun& run, const LeafSeries& s) {
  std::vector<std::string> values;
  for (size_t i = 0; i < s.leaves.size(); ++i) {
    std::string text = short_text(*run.traces[i], *s.leaves[i]);
    if (std::ranges::find(values, text) == values.end()) values.push_back(std::move(text));
  }
  return values;
}

// Whether lists come in several lengths; false where each has the same, or is a tensor.
bool lengths_vary(const LeafSeries& s) {
  std::set<std::string> lengths;
  for (const KeyLeaf* leaf : s.leaves)
    if (leaf->kind == "structure") lengths.insert(leaf->type.substr(std::min(leaf->type.find('['), leaf->type.size())));
  return lengths.size() > 1;
}

// Whether the first element of the list is a tuple, list or dict in some trace.
bool holds_parts(const FunctionRun& run, const LeafSeries& s) {
  return std::ranges::any_of(run.traces, [&](const TraceRecord* t) {
    const KeyLeaf* element = leaf_at(*t, s.path + "[0]");
    return element && element->kind == "structure";
  });
}

// How to pass lists or tuples as tensors. `flat`: all tensors in them, however deep, have one shape.
std::string list_fix(const FunctionRun& run, const LeafSeries& s, bool flat, const std::string& example) {
  const bool jax = is_jax(run);
  const std::string stack = jax ? "jnp.stack" : "tf.stack";
  const std::string padded = jax ? " padded to one length, with a mask" : " padded to one length";
  if (flat) return stack + (jax ? "(jax.tree.leaves(" : "(tf.nest.flatten(") + s.name() + "))" + padded;
  if (!lengths_vary(s)) return "Always pass " + s.name() + " in one form, such as " + example;
  if (holds_parts(run, s))
    return "Pass the parts of the elements of " + s.name() + " as tensors: " + stack + " for each of them," + padded;
  return stack + "(" + s.name() + ")" + padded + (jax ? "" : ", or declared with a None dimension");
}

// Whether the contents of one change from trace to trace exactly when those of the other do.
bool change_together(const FunctionRun& run, const LeafSeries& a, const LeafSeries& b) {
  const auto contents = [&](const LeafSeries& s) {
    return [&](size_t i) { return contents_of(*run.traces[i], s.path).text; };
  };
  return one_to_one(run.traces.size(), contents(a), contents(b)).has_value();
}

// Whether traces with different structures at the path would become one; else only the numbers in them would.
bool merges_structures(const ReplayResult& result, const std::string& path) {
  return std::ranges::any_of(result.merged, [&](const auto& group) {
    return std::ranges::any_of(group, [&](const TraceRecord* t) {
      return contents_of(*t, path).text != contents_of(*group.front(), path).text;
    });
  });
}

void propose_structure_change(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  std::vector<std::string> taken;
  const std::vector<LeafSeries> all = leaf_series(run);
  for (const LeafSeries& s : all) {
    const auto inside = [&](const std::string& outer) { return s.path.starts_with(outer); };
    if (std::ranges::any_of(taken, inside)) continue;
    if (!are_structures(run, s)) continue;
    const auto counts = uses(run, [&](const TraceRecord& t) { return contents_of(t, s.path).text; });
    if (counts.size() < 2) continue;
    // If what differs lies in one container inside, that one is named.
    Candidate c;
    Finding& f = c.finding;
    const std::set<std::string> kinds = kinds_of(s);
    f.values = values_of(run, s);
    if (f.values.size() < 2) continue;
    taken.push_back(s.path);
    c.paths = {s.path};
    for (const LeafSeries& other : all) {
      const auto holds = [&](const std::string& outer) { return other.path.starts_with(outer); };
      if (std::ranges::any_of(taken, holds)) continue;
      if (!are_structures(run, other) || values_of(run, other).size() < 2) continue;
      if (kinds_of(other) != kinds || !change_together(run, s, other)) continue;
      taken.push_back(other.path);
      c.paths.insert(other.path);
      f.also_paths.push_back(other.path);
    }
    const bool keys = kinds.size() == 1 && kinds.count("dict");
    f.path = kinds.size() > 1 ? s.path : keys ? s.path + ".keys()" : "len(" + s.path + ')';
    f.parameter = s.parameter;
    const std::set<std::string> where = places_of(evidence, run, c.paths);
    const Stacked lists = keys ? Stacked{with_all_keys(evidence, run, where)} : stacked(evidence, run, where);
    c.fix.call = lists.change;
    c.most = GraphRelation::kStructure;
    c.captures_may_differ = true;
    c.variants = recurring(counts, kFewStructures, kOftenUsed);
    f.title = s.name() + (keys ? " comes with different keys" : " comes with different structures");
    f.detail = s.path + ": " + with_commas(f.values.size()) + " structures, " + progression(f.values);
    f.detail += with_it(f.also_paths);
    f.fix = keys ? "Always pass all keys of " + s.name() : list_fix(run, s, lists.flat, f.values.front());
    c.complete = [path = s.path, name = s.name(), jax = is_jax(run)](Finding& made, const ReplayResult& result) {
      if (merges_structures(result, path)) return;
      made.title = name + " holds Python numbers that change";
      made.detail += "; the traces that would become one have the same structure and other numbers, and each structure "
                     "keeps a trace";
      made.fix = (jax ? "jnp.asarray(" : "tf.constant(") + name + "), which makes a tensor of its numbers";
    };
    candidates.push_back(std::move(c));
  }
}

const Cause structure_change("structure_change", propose_structure_change);

}  // namespace
}  // namespace footlight::explain
