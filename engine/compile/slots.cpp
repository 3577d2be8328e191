// Checks kept memory before it is used again: a tensor that somebody else holds by then is left to them.
#include "engine/compile/slots.h"

namespace footlight::compile {
namespace {

constexpr size_t kMaxBytes = 1 << 14;        // bytes of a kept value
constexpr size_t kMaxInAll = 1 << 18;

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
                   const std::vector<bool>& settled)
    : rewrite_(rewrite), slot_of_(rewrite.size(), 0), keeps_(rewrite.size(), false) {
  for (const NodeId id : schedule) {
    const Node& node = rewrite.node(id);
    keeps_[id.value] = settled[id.value] && only_reads(node) && node.device.empty() && node.dtypes.size() == 1 &&
                       is_plain(node.dtypes[0]) && bytes_of(node) <= kMaxBytes;
  }
  for (const NodeId id : schedule)
    if (!only_reads(rewrite.node(id)))
      for (Edge edge : rewrite.node(id).inputs) keeps_[rewrite.resolve(edge).node.value] = false;
  for (Edge edge : rewrite.outputs) keeps_[rewrite.resolve(edge).node.value] = false;
}

std::string SlotPlan::kind(const Node& node) const {
  std::string key(1, static_cast<char>(node.dtypes[0]));
  const std::span<const int64_t> dims = node.shapes[0].dims();
  return key.append(reinterpret_cast<const char*>(dims.data()), dims.size_bytes());
}

void SlotPlan::take(NodeId id) {
  const Node& node = rewrite_.node(id);
  if (keeps(id)) {
    std::vector<uint32_t>& same = free_[kind(node)];
    if (!same.empty()) {
      slot_of_[id.value] = same.back();
      same.pop_back();
      return;
    }
    kept_bytes_ += bytes_of(node);
    if (kept_bytes_ > kMaxInAll) keeps_[id.value] = false;
  }
  slot_of_[id.value] = size_;
  size_ += static_cast<uint32_t>(node.dtypes.size());
}

void SlotPlan::give_back(NodeId id) { free_[kind(rewrite_.node(id))].push_back(slot_of_[id.value]); }

}  // namespace footlight::compile
