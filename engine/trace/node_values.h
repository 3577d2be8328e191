// Records the values of all nodes of a program while it runs: counts, histogram, elements, and positions of NaN and
// infinity.
#pragma once

#include "engine/runtime/watch.h"
#include "engine/session/records.h"

#include <map>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace footlight::trace {

// The program that runs a graph as it was traced, without passes: each node is an instruction.
compile::ProgramPtr program_as_traced(const Graph& graph);

// Whether a node takes an element from an iterator or a queue: it gives another one when it runs again.
bool takes_elements(const OpRow& row);
using TakenElements = std::vector<std::vector<Tensor>>;  // results of such nodes, in order

// Keeps the elements that a call takes from iterators. They are kept by the order of the nodes that take them: an
// iterator that the call itself makes may shuffle in another order when it runs again, where
// runtime::RepeatedElements, which knows elements by their iterator, starts it anew.
class ElementWatch final : public runtime::NodeWatch {
 public:
  ElementWatch() : NodeWatch(false) {}
  TakenElements taken;
  bool is_cut = false;  // whether the call took more than is kept
  void on_result(const compile::Program&, const compile::Instruction&, std::span<const Tensor> inputs,
                 std::span<const Tensor> outputs) override;

 private:
  static constexpr size_t kMaxBytes = 256 << 20, kMaxElements = 10'000;
  size_t bytes_ = 0;
};

// Gives these elements again to the same call.
class ElementReplay final : public runtime::NodeWatch {
 public:
  explicit ElementReplay(const TakenElements& taken) : NodeWatch(false), taken_(taken) {}
  bool supply(const compile::Program&, const compile::Instruction&, std::span<Tensor> outputs) override;

 private:
  const TakenElements& taken_;
  size_t next_ = 0;
};

class NodeValues final : public runtime::NodeWatch {
 public:
  // `calls`: how many calls share the memory for elements.
  explicit NodeValues(const TakenElements& taken, uint64_t calls = 1)
      : NodeWatch(true), replay_(taken), calls_(static_cast<int64_t>(calls)) {}
  // The records, in the order in which the nodes first ran.
  std::vector<session::TensorValue> take();

  void on_entry(const compile::Program&, std::span<const Tensor> inputs) override;
  bool supply(const compile::Program& program, const compile::Instruction& in, std::span<Tensor> outputs) override {
    return replay_.supply(program, in, outputs);
  }
  void on_result(const compile::Program&, const compile::Instruction&, std::span<const Tensor> inputs,
                 std::span<const Tensor> outputs) override;

 private:
  void see(const Graph& graph, NodeId node, std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  void keep_elements(const Tensor& value, session::TensorValue& record);

  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // graph, node, output
  ElementReplay replay_;
  const int64_t calls_;
  std::map<Key, session::TensorValue> values_;
  std::unordered_set<const Graph*> known_;  // whose constants were seen
  uint64_t step_ = 0;
  int64_t finite_bytes_ = 0, other_bytes_ = 0;  // of kept values
};

// While it lives, this thread's programs are watched.
class WatchNodes {
 public:
  explicit WatchNodes(runtime::NodeWatch& watch) : before_(std::exchange(this_thread.node_watch, &watch)) {}
  ~WatchNodes() { this_thread.node_watch = before_; }
  WatchNodes(const WatchNodes&) = delete;
  WatchNodes& operator=(const WatchNodes&) = delete;

 private:
  runtime::NodeWatch* const before_;
};

}  // namespace footlight::trace
