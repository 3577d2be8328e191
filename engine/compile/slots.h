// The memory plan of a program: which values keep their slot's memory from run to run, and which share a slot because
// one of them is dead before the other is made.
#pragma once

#include "engine/optimize/rewrite.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::compile {

class SlotPlan {
 public:
  // Of the nodes that will run, `settled` are those whose shapes are certain. What only kernels without effects read
  // may be kept.
  SlotPlan(const optimize::Rewrite& rewrite, const std::vector<NodeId>& schedule, const std::vector<bool>& settled);

  // Whether the value of the node stays in its slot: small, of a known shape, and used by nothing that could hold it.
  bool keeps(NodeId id) const { return keeps_[id.value]; }
  // It is written while values that die with it are still read, so it never gets their memory.
  void never_keep(NodeId id) { keeps_[id.value] = false; }
  uint32_t slot(NodeId id) const { return slot_of_[id.value]; }
  uint32_t size() const { return size_; }

  // Slots for the outputs of a node that runs now.
  void take(NodeId id);
  // The memory of `dying`, which is kept and read for the last time, becomes that of `id`.
  void take_over(NodeId id, NodeId dying) { slot_of_[id.value] = slot_of_[dying.value]; }
  // A kept value that nothing reads any more: its slot may be another's.
  void give_back(NodeId id);

 private:
  std::string kind(const Node& node) const;

  const optimize::Rewrite& rewrite_;
  std::vector<uint32_t> slot_of_;
  std::vector<bool> keeps_;
  std::unordered_map<std::string, std::vector<uint32_t>> free_;  // by dtype and shape
  size_t kept_bytes_ = 0;
  uint32_t size_ = 0;
};

}  // namespace footlight::compile
