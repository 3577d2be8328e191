// The memory plan of a program: which values keep their slot's memory from run to run, and which values share a slot
// because one is read for the last time before the other is computed.
#pragma once

#include "engine/optimize/rewrite.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::compile {

class SlotPlan {
 public:
  // `is_static`: for each node, whether its shapes are certain. A value may be kept only if all its readers are kernels
  // without effects.
  SlotPlan(const optimize::Rewrite& rewrite, const std::vector<NodeId>& schedule, const std::vector<bool>& is_static);

  // Whether the node's memory stays in its slot: it is small, its shape is known, and no user can hold it.
  bool keeps(NodeId id) const { return keeps_[id.value]; }
  // Excludes a value that is written while values which are read for the last time are still being read.
  void never_keep(NodeId id) { keeps_[id.value] = false; }
  uint32_t slot(NodeId id) const { return slot_of_[id.value]; }
  uint32_t size() const { return size_; }

  // Takes slots for the outputs of a node that runs now.
  void take(NodeId id);
  // `id` gets the memory of `dying`, which is kept and read for the last time.
  void take_over(NodeId id, NodeId dying) { slot_of_[id.value] = slot_of_[dying.value]; }
  // Frees the slot of a kept value that nothing reads any more.
  void give_back(NodeId id);

 private:
  std::string type_key(const Node& node) const;

  const optimize::Rewrite& rewrite_;
  std::vector<uint32_t> slot_of_;
  std::vector<bool> keeps_;
  std::unordered_map<std::string, std::vector<uint32_t>> free_;  // by dtype and shape
  size_t kept_bytes_ = 0;
  uint32_t size_ = 0;
};

}  // namespace footlight::compile
