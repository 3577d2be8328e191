// Looks for the leaf that makes keys differ and replays the calls without it.
#include "engine/explain/retrace_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace footlight::explain {
namespace {

using session::CallRecord;
using session::GraphRecord;
using session::KeyLeaf;
using session::TraceReason;
using session::TraceRecord;

// Fewer values are a choice between variants, not a number that changes.
constexpr size_t kManyValues = 5;
constexpr size_t kManyShapes = 3;
constexpr size_t kSteadyShapes = 8;
constexpr size_t kSteadyHits = 3;
constexpr size_t kWorthSaving = 2;

struct Of {
  FunctionId function;
  std::vector<const TraceRecord*> traces;  // made by calls, in order
  std::vector<const TraceRecord*> calls;   // trace that each call ran, in order of the calls
};

// How a leaf is seen in a replay: as it is, any value of its type, or any size in the dimensions that vary.
enum class Relax { kValue, kShape };

std::string key_text(const TraceRecord& t, const std::set<std::string>& relaxed, Relax how) {
  std::string text;
  for (const KeyLeaf& leaf : t.key) {
    text += leaf.path + '\1' + leaf.kind + '\1' + leaf.type + '\1';
    const bool loose = relaxed.count(leaf.path) > 0;
    if (!loose || how == Relax::kValue) text += leaf.shape;
    text += '\1';
    if (!loose || how == Relax::kShape) text += leaf.value;
    text += '\2';
  }
  return text;
}

struct Replay {
  size_t traces = 0;
  int64_t saved_ns = 0;
  std::map<std::string, size_t> calls_per_key;
};

Replay replay(const Of& of, const std::set<std::string>& relaxed, Relax how) {
  Replay made;
  for (const TraceRecord* t : of.traces) {
    if (made.calls_per_key.emplace(key_text(*t, relaxed, how), 0).second) {
      ++made.traces;
    } else {
      made.saved_ns += t->end_ns - t->start_ns;
    }
  }
  for (const TraceRecord* t : of.calls) ++made.calls_per_key[key_text(*t, relaxed, how)];
  return made;
}

std::vector<std::string> dimensions_of(const std::string& shape) {
  std::vector<std::string> found;
  if (shape.empty()) return found;
  size_t at = 0;
  while (true) {
    const size_t comma = shape.find(',', at);
    found.push_back(shape.substr(at, comma == std::string::npos ? std::string::npos : comma - at));
    if (comma == std::string::npos) return found;
    at = comma + 1;
  }
}

const KeyLeaf* leaf_at(const TraceRecord& t, const std::string& path) {
  for (const KeyLeaf& leaf : t.key) {
    if (leaf.path == path) return &leaf;
  }
  return nullptr;
}

// Paths of one kind of leaf, in key order, over all traces.
std::vector<std::string> paths(const Of& of, bool (*wanted)(const KeyLeaf&)) {
  std::vector<std::string> found;
  for (const TraceRecord* t : of.traces) {
    for (const KeyLeaf& leaf : t->key) {
      if (wanted(leaf) && std::find(found.begin(), found.end(), leaf.path) == found.end()) found.push_back(leaf.path);
    }
  }
  return found;
}

class Finder {
 public:
  explicit Finder(const RetraceEvidence& evidence) : evidence_(evidence) {
    for (const GraphRecord& g : evidence.graphs) graphs_[g.id] = &g;
  }

  void look_at(const Of& of, std::vector<RetraceFinding>& found) const {
    scalars(of, found);
    shapes(of, found);
  }

 private:
  std::string graphs_of(const std::vector<const TraceRecord*>& group) const {
    std::string worst = "identical";
    const GraphRecord* first = nullptr;
    for (const TraceRecord* t : group) {
      const auto it = graphs_.find(t->graph);
      if (it == graphs_.end()) return "structure";
      if (!first) {
        first = it->second;
        continue;
      }
      const std::string verdict = compare_graphs(*first, *it->second);
      if (verdict == "structure") return verdict;
      if (verdict == "constants") worst = verdict;
    }
    return worst;
  }

  // Traces that fall together once the leaves are relaxed must be one graph but for constants.
  std::string verdict(const Of& of, const std::set<std::string>& relaxed, Relax how) const {
    std::map<std::string, std::vector<const TraceRecord*>> groups;
    for (const TraceRecord* t : of.traces) groups[key_text(*t, relaxed, how)].push_back(t);
    std::string worst = "identical";
    for (const auto& [key, group] : groups) {
      const std::string one = graphs_of(group);
      if (one == "structure") return one;
      if (one == "constants") worst = one;
    }
    return worst;
  }

  void finish(const Of& of, const std::set<std::string>& relaxed, Relax how, RetraceFinding& f) const {
    const Replay after = replay(of, relaxed, how);
    f.function = of.function;
    f.traces_before = of.traces.size();
    f.traces_after = after.traces;
    f.saved_ns = after.saved_ns;
    for (const TraceRecord* t : of.traces) f.cost_ns += t->end_ns - t->start_ns;
    const TraceRecord* first = of.traces.front();
    for (const TraceRecord* t : of.traces) {
      const bool differs = std::any_of(t->differing.begin(), t->differing.end(), [&](const std::string& path) {
        return path.starts_with(f.path);
      });
      if (t != first && differs) {
        f.example = t->id;
        f.call = t->source;
        return;
      }
    }
    f.example = first->id;
    f.call = first->source;
  }

  void scalars(const Of& of, std::vector<RetraceFinding>& found) const {
    std::set<std::string> taken;
    const auto literal = [](const KeyLeaf& leaf) {
      return leaf.kind == "literal" && leaf.type != "bool" && leaf.type != "NoneType";
    };
    const std::vector<std::string> candidates = paths(of, literal);
    const auto values_at = [&](const std::string& path) {
      std::vector<std::string> values;
      for (const TraceRecord* t : of.traces) {
        const KeyLeaf* leaf = leaf_at(*t, path);
        if (!leaf || leaf->kind != "literal") continue;
        if (std::find(values.begin(), values.end(), leaf->value) == values.end()) values.push_back(leaf->value);
      }
      return values;
    };
    for (const std::string& path : candidates) {
      if (taken.count(path)) continue;
      RetraceFinding f;
      f.values = values_at(path);
      if (f.values.size() < kManyValues) continue;
      const KeyLeaf* leaf = nullptr;
      for (size_t i = 0; !leaf && i < of.traces.size(); ++i) leaf = leaf_at(*of.traces[i], path);
      f.path = path;
      f.parameter = leaf->parameter;
      f.type = leaf->type;
      std::set<std::string> relaxed{path};
      // Leaves that change whenever this one does, and only then, are the same cause.
      for (const std::string& other : candidates) {
        if (other == path || taken.count(other)) continue;
        std::map<std::string, std::set<std::string>> there, back;
        for (const TraceRecord* t : of.traces) {
          const KeyLeaf *a = leaf_at(*t, path), *b = leaf_at(*t, other);
          there[a ? a->value : ""].insert(b ? b->value : "");
          back[b ? b->value : ""].insert(a ? a->value : "");
        }
        const auto single = [](const auto& pairs) {
          return std::all_of(pairs.begin(), pairs.end(), [](const auto& p) { return p.second.size() == 1; });
        };
        if (back.size() > 1 && single(there) && single(back)) {
          f.also_paths.push_back(other);
          relaxed.insert(other);
        }
      }
      f.graphs = verdict(of, relaxed, Relax::kValue);
      if (f.graphs == "structure") continue;
      f.cause = f.graphs == "identical" ? "identical_graphs" : "python_scalar_argument";
      finish(of, relaxed, Relax::kValue, f);
      if (f.traces_before - f.traces_after < kWorthSaving) continue;
      taken.insert(relaxed.begin(), relaxed.end());
      found.push_back(std::move(f));
    }
  }

  void shapes(const Of& of, std::vector<RetraceFinding>& found) const {
    const auto tensor = [](const KeyLeaf& leaf) { return leaf.kind == "tensor"; };
    for (const std::string& path : paths(of, tensor)) {
      RetraceFinding f;
      std::vector<std::vector<std::string>> seen;
      bool one_rank = true;
      for (const TraceRecord* t : of.traces) {
        const KeyLeaf* leaf = leaf_at(*t, path);
        if (!leaf || leaf->kind != "tensor") continue;
        if (f.type.empty()) f.type = leaf->type, f.parameter = leaf->parameter;
        const std::vector<std::string> dims = dimensions_of(leaf->shape);
        if (leaf->type != f.type || (!seen.empty() && dims.size() != seen.front().size())) one_rank = false;
        if (std::find(seen.begin(), seen.end(), dims) == seen.end()) {
          seen.push_back(dims);
          f.values.push_back(leaf->shape);
        }
      }
      if (!one_rank || seen.size() < kManyShapes) continue;
      for (size_t d = 0; d < seen.front().size(); ++d) {
        const bool varies =
            std::any_of(seen.begin(), seen.end(), [&](const auto& s) { return s[d] != seen.front()[d]; });
        if (varies) f.dimensions.push_back(d);
      }
      if (seen.size() <= kSteadyShapes && steady(of, path)) continue;
      f.path = path;
      f.cause = "varying_shape";
      f.graphs = verdict(of, {path}, Relax::kShape);
      if (f.graphs == "structure") continue;
      finish(of, {path}, Relax::kShape, f);
      if (f.traces_before - f.traces_after < kWorthSaving) continue;
      found.push_back(std::move(f));
    }
  }

  // Every shape is hit again and again after its trace: buckets, a smaller last batch.
  static bool steady(const Of& of, const std::string& path) {
    std::map<std::string, size_t> calls;
    for (const TraceRecord* t : of.calls) {
      if (const KeyLeaf* leaf = leaf_at(*t, path)) ++calls[leaf->shape];
    }
    return !calls.empty() &&
           std::all_of(calls.begin(), calls.end(), [](const auto& c) { return c.second > kSteadyHits; });
  }

  const RetraceEvidence& evidence_;
  std::unordered_map<GraphId, const GraphRecord*> graphs_;
};

}  // namespace

std::string compare_graphs(const GraphRecord& a, const GraphRecord& b) {
  if (a.nodes.size() != b.nodes.size()) return "structure";
  bool constants = false;
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const session::NodeRecord &x = a.nodes[i], &y = b.nodes[i];
    if (x.op != y.op || x.inputs.size() != y.inputs.size() || x.control_inputs != y.control_inputs ||
        x.functions.size() != y.functions.size()) {
      return "structure";
    }
    for (size_t k = 0; k < x.inputs.size(); ++k) {
      if (x.inputs[k].from != y.inputs[k].from || x.inputs[k].output != y.inputs[k].output) return "structure";
    }
    if (x.constant != y.constant || x.outputs != y.outputs) constants = true;
  }
  return constants ? "constants" : "identical";
}

std::vector<RetraceFinding> find_retraces(const RetraceEvidence& evidence) {
  std::unordered_map<TraceId, const TraceRecord*> by_id;
  std::map<FunctionId, Of> functions;
  for (const TraceRecord& t : evidence.traces) {
    by_id[t.id] = &t;
    // What was asked for is no retrace.
    if (t.reason != TraceReason::kCall || !t.error.empty()) continue;
    Of& of = functions[t.function];
    of.function = t.function;
    of.traces.push_back(&t);
  }
  for (const CallRecord& c : evidence.calls) {
    const auto it = by_id.find(c.trace);
    const auto of = functions.find(c.function);
    if (it != by_id.end() && of != functions.end()) of->second.calls.push_back(it->second);
  }
  std::vector<RetraceFinding> found;
  const Finder finder(evidence);
  for (const auto& [id, of] : functions) {
    if (of.traces.size() > 1) finder.look_at(of, found);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.saved_ns > b.saved_ns; });
  return found;
}

}  // namespace footlight::explain
