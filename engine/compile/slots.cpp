// Chooses the values that keep their memory, and assigns slots.
#include "engine/compile/slots.h"

namespace footlight::compile {
namespace {

constexpr size_t kMaxBytes = 1 << 14;       // of a kept value
constexpr size_t kMaxTotalBytes = 1 << 18;  // of all kept values of a program

// Whether a kernel only reads its inputs and does not hold them afterwards.
bool only_reads(const Node& node) {
  return node.op->execution == Execution::kKernel && node.op->effect == Effect::kNone &&
         (node.op->alias == Alias::kNone || node.op->alias == Alias::kInPlace);
}

size_t bytes_of(const Node& node) {
  return static_cast<size_t>(node.shapes[0].elements()) * size_of(node.dtypes[0]);
}

}  // namespace

SlotPlan::SlotPlan(const optimize::Rewrite& rewrite, const std::vector<NodeId>& schedule,
                   const std::vector<bool>& is_static)
    : rewrite_(rewrite), slot_of_(rewrite.size(), 0), keeps_(rewrite.size(), false) {
  for (const NodeId id : schedule) {
    const Node& node = rewrite.node(id);
    keeps_[id.value] = is_static[id.value] && only_reads(node) && node.device.empty() && node.dtypes.size() == 1 &&
                       is_plain(node.dtypes[0]) && bytes_of(node) <= kMaxBytes;
  }
  for (const NodeId id : schedule)
    if (!only_reads(rewrite.node(id)))
      for (Edge edge : rewrite.node(id).inputs) keeps_[rewrite.resolve(edge).node.value] = false;
  for (Edge edge : rewrite.outputs) keeps_[rewrite.resolve(edge).node.value] = false;
}

std::string SlotPlan::type_key(const Node& node) const {
  std::string key(1, static_cast<char>(node.dtypes[0]));
  const std::span<const int64_t> dims = node.shapes[0].dims();
  return key.append(reinterpret_cast<const char*>(dims.data()), dims.size_bytes());
}

void SlotPlan::take(NodeId id) {
  const Node& node = rewrite_.node(id);
  if (keeps(id)) {
    std::vector<uint32_t>& free_slots = free_[type_key(node)];
    if (!free_slots.empty()) {
      slot_of_[id.value] = free_slots.back();
      free_slots.pop_back();
      return;
    }
    kept_bytes_ += bytes_of(node);
    if (kept_bytes_ > kMaxTotalBytes) keeps_[id.value] = false;
  }
  slot_of_[id.value] = size_;
  size_ += static_cast<uint32_t>(node.dtypes.size());
}

void SlotPlan::give_back(NodeId id) { free_[type_key(rewrite_.node(id))].push_back(slot_of_[id.value]); }

}  // namespace footlight::compile
