// Narrows down, for each gradient, the positions of the op that it may belong to.
#include "app/models/layer_costs.h"

#include "engine/explain/node_hashes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace footlight::app {
namespace {

constexpr size_t kMaxReaders = 32;  // a value that everything reads says nothing
constexpr size_t kMaxBetween = 4096;  // ops between two that are known

class Assigner {
 public:
  Assigner(const session::GraphRecord& graph, const std::vector<size_t>& layer, const std::vector<size_t>& forward)
      : graph_(graph), layer_(layer), forward_(forward), index_(graph), count_(graph.nodes.size()) {
    made_.is_gradient.assign(count_, false);
    made_.layer.assign(count_, 0);
    candidates_.resize(count_);
    readers_.resize(count_);
    find_changes();
  }

  GradientLayers assign() {
    // One call of a tape makes all of its gradients at one place.
    std::set<Where> tapes;
    for (size_t i = 0; i < count_; ++i)
      if (forward_[i] < count_ && !layer_[i]) tapes.insert(where(i));
    std::map<Where, std::vector<size_t>> regions;
    for (size_t i = 0; i < count_; ++i) {
      if (layer_[i] || !tapes.contains(where(i))) continue;
      if (!is_known(i) && forward_[i] >= count_) continue;
      made_.is_gradient[i] = true;
      regions[where(i)].push_back(i);
    }
    for (size_t i = 0; i < count_; ++i) {
      if (made_.is_gradient[i]) continue;
      for (const session::EdgeRecord& e : graph_.nodes[i].inputs)
        if (const size_t from = index_.find(e.from); from < count_) readers_[from].push_back(i);
    }
    for (const auto& [at, nodes] : regions) assign(nodes);
    return std::move(made_);
  }

 private:
  using Where = std::tuple<CodeId, uint32_t, uint32_t>;
  Where where(size_t i) const {
    const session::NodeRecord& n = graph_.nodes[i];
    return {n.source.code, n.source.offset, n.location.value};
  }
  bool is_known(size_t i) const { return graph_.nodes[i].source.code.valid() || graph_.nodes[i].location.valid(); }

  // A loop comes to the same place again, with ops that were made meanwhile.
  void assign(const std::vector<size_t>& nodes) {
    size_t from = 0;
    for (size_t k = 0; k < nodes.size(); ++k) {
      find_candidates(nodes[k], nodes[from]);
      const bool is_later = forward_[nodes[k]] < count_ && forward_[nodes[k]] > nodes[from];
      if (!is_later) continue;
      assign_run({nodes.begin() + static_cast<ptrdiff_t>(from), nodes.begin() + static_cast<ptrdiff_t>(k)});
      from = k;
      find_candidates(nodes[k], nodes[from]);
    }
    assign_run({nodes.begin() + static_cast<ptrdiff_t>(from), nodes.end()});
  }

  static bool is_shape(const session::NodeRecord& n) {
    return !n.outputs.empty() && n.outputs.front().starts_with("int");
  }
  static bool has_no_gradient(const session::NodeRecord& n) {
    return n.op == "Const" || n.op == "Placeholder" || n.op == "ReadVariableOp" || n.op == "NoOp" || is_shape(n);
  }

  // Collects, from the last op to the first, ops that may have a gradient, and where the layer changes among them.
  void find_changes() {
    next_useful_.assign(count_ + 1, count_);
    next_layer_.assign(count_ + 1, count_);
    for (size_t i = count_; i-- > 0;) {
      const size_t after = next_useful_[i + 1];
      next_useful_[i] = has_no_gradient(graph_.nodes[i]) ? after : i;
      if (next_useful_[i] != i) next_layer_[i] = next_layer_[i + 1];
      else next_layer_[i] = after < count_ && layer_[after] == layer_[i] ? next_layer_[after] : after;
    }
  }
  // The layer of all ops in [low, high] of which a gradient may be; nothing: there are several, or none.
  std::optional<size_t> only_layer(size_t low, size_t high) const {
    const size_t first = next_useful_[low];
    return first <= high && next_layer_[first] > high ? std::optional(layer_[first]) : std::nullopt;
  }

  // The ops before `start` that may have asked for the gradient; empty: nothing tells.
  void find_candidates(size_t i, size_t start) {
    std::vector<size_t>& mine = candidates_[i];
    mine.clear();
    if (forward_[i] < count_) {
      mine = {forward_[i]};
      return;
    }
    for (const session::EdgeRecord& e : graph_.nodes[i].inputs) {
      const size_t from = index_.find(e.from);
      if (from >= count_) continue;
      std::vector<size_t> told;
      if (made_.is_gradient[from]) {
        if (is_shape(graph_.nodes[from])) told = candidates_[from];
      } else if (from < start && !has_no_gradient(graph_.nodes[from]) && readers_[from].size() <= kMaxReaders) {
        told.push_back(from);
        for (const size_t reader : readers_[from])
          if (reader < start && reader != from) told.push_back(reader);
        std::ranges::sort(told);
        told.erase(std::unique(told.begin(), told.end()), told.end());
      }
      if (told.empty()) continue;
      if (mine.empty()) {
        mine = std::move(told);
        continue;
      }
      std::vector<size_t> both;
      std::ranges::set_intersection(mine, told, std::back_inserter(both));
      if (!both.empty()) mine = std::move(both);
    }
  }

  // The nodes of one run of a tape, in order: the positions of their ops never grow.
  void assign_run(const std::vector<size_t>& nodes) {
    if (nodes.empty()) return;
    std::vector<size_t> low(nodes.size(), 0), high(nodes.size(), nodes.front() ? nodes.front() - 1 : 0);
    std::vector<bool> has_told(nodes.size());
    for (size_t k = 0; k < nodes.size(); ++k) has_told[k] = !candidates_[nodes[k]].empty();
    constexpr int kRounds = 3;  // each round narrows the choice of the next one
    for (int round = 0; round < kRounds; ++round) {
      for (size_t k = 0; k < nodes.size(); ++k) {
        if (k) high[k] = std::min(high[k], high[k - 1]);
        if (!candidates_[nodes[k]].empty()) high[k] = std::min(high[k], candidates_[nodes[k]].back());
      }
      for (size_t k = nodes.size(); k-- > 0;) {
        if (k + 1 < nodes.size()) low[k] = std::max(low[k], low[k + 1]);
        if (!candidates_[nodes[k]].empty()) low[k] = std::max(low[k], candidates_[nodes[k]].front());
      }
      for (size_t k = 0; k < nodes.size(); ++k)
        std::erase_if(candidates_[nodes[k]], [&](size_t at) { return at < low[k] || at > high[k]; });
    }
    for (size_t k = 0; k < nodes.size(); ++k) {
      const std::vector<size_t>& told = candidates_[nodes[k]];
      if (forward_[nodes[k]] < count_) {
        made_.layer[nodes[k]] = layer_[forward_[nodes[k]]];
        continue;
      }
      if (!has_told[k]) {
        if (low[k] > high[k] || high[k] - low[k] >= kMaxBetween) continue;
        if (const std::optional<size_t> only = only_layer(low[k], high[k])) made_.layer[nodes[k]] = *only;
        continue;
      }
      std::optional<size_t> only;
      bool is_one = true;
      for (const size_t at : told) {
        if (next_useful_[at] != at) continue;
        is_one = !only || *only == layer_[at];
        if (!is_one) break;
        only = layer_[at];
      }
      if (only && is_one) made_.layer[nodes[k]] = *only;
    }
  }

  const session::GraphRecord& graph_;
  const std::vector<size_t>& layer_;
  const std::vector<size_t>& forward_;
  const explain::GraphIndex index_;
  const size_t count_;
  GradientLayers made_;
  std::vector<std::vector<size_t>> candidates_, readers_;  // by position; readers that are no gradients
  std::vector<size_t> next_useful_;  // for each position, the next op that may have a gradient
  std::vector<size_t> next_layer_;   // for such an op, the next one in another layer
};

}  // namespace

GradientLayers layers_of_gradients(const session::GraphRecord& graph, const std::vector<size_t>& layer,
                                   const std::vector<size_t>& forward) {
  return Assigner(graph, layer, forward).assign();
}

}  // namespace footlight::app
