// Plans come from files: slots and sizes may be any numbers, what they name may be missing, and one node may claim
// millions of values.
#include "engine/explain/memory.h"

#include "engine/base/text.h"
#include "engine/explain/stages.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace footlight::explain {
namespace {

using session::GraphRecord;
using session::MemoryPlace;
using session::PlannedValue;

constexpr size_t kMaxListed = 100;  // values of a node

std::string size_text(int64_t bytes) {
  return bytes < 0 ? "size known when it runs" : bytes_text(static_cast<uint64_t>(bytes));
}

std::string name_of(const GraphRecord& graph, uint32_t id) {
  if (id < graph.nodes.size() && graph.nodes[id].id == id) return graph.nodes[id].name;
  for (const session::NewNode& node : graph.new_nodes)
    if (node.id == id) return node.name;
  return "another node";
}

std::string words_of(const GraphRecord& graph, const PlannedValue& value, const PlannedValue* next) {
  const bool other = value.of != value.node;
  const std::string whose = other ? name_of(graph, value.of) : std::string();
  std::string text;
  switch (value.place) {
    case MemoryPlace::kTile:
      return str("fused; no buffer of its own (", size_text(value.bytes), ')');
    case MemoryPlace::kNone: return "none";
    default: text = str("slot ", value.slot);
  }
  if (value.place == MemoryPlace::kView) text += other ? str(", a view of ", whose) : ", a view of what it reads";
  else if (other) text += str(", in place of ", whose);
  if (value.place == MemoryPlace::kGraph) text += ", given by the graph that it runs";
  text += str(", ", size_text(value.bytes));
  if (value.place == MemoryPlace::kKept) text += ", stays for the next run";
  if (next) text += str(", reused by ", name_of(graph, next->node));
  return text;
}

}  // namespace

std::vector<std::string> memory_of(const GraphRecord& graph, uint32_t node) {
  std::vector<std::string> all;
  if (graph.memory.empty()) return all;
  const uint32_t as = runs_as(graph, node);
  for (size_t i = 0; i < graph.memory.size(); ++i) {
    const PlannedValue& value = graph.memory[i];
    if (value.node != as) continue;
    if (all.size() == kMaxListed) {
      all.push_back("not listed, nor are those after it");
      break;
    }
    const PlannedValue* next = nullptr;
    for (size_t k = i + 1; k < graph.memory.size() && !next; ++k) {
      const PlannedValue& later = graph.memory[k];
      const bool takes = later.of == value.node && later.node != value.node && later.made == value.last &&
                         later.place != MemoryPlace::kView;
      if (takes || (value.place == MemoryPlace::kKept && later.place == MemoryPlace::kKept && later.slot == value.slot))
        next = &later;
    }
    all.push_back(words_of(graph, value, next));
  }
  return all;
}

MemoryTotal memory_total(const GraphRecord& graph) {
  MemoryTotal total;
  // Sums of what files claim have to fit.
  const int64_t most_bytes =
      std::min(int64_t{1} << 50, (int64_t{1} << 61) / std::max<int64_t>(1, static_cast<int64_t>(graph.memory.size())));
  std::set<uint32_t> slots;
  std::map<uint32_t, int64_t> kept;
  // Memory that is handed on from value to value: from which step on, to which.
  struct Memory { int64_t bytes = 0, from = 0, to = 0; };
  std::vector<Memory> memory;
  std::map<std::pair<uint32_t, uint32_t>, size_t> taken;  // by node and the last step that uses its value
  std::unordered_map<uint32_t, size_t> first;             // by node
  const auto lies_in = [&](const PlannedValue& value, size_t at) {
    taken[{value.node, value.last}] = at;
    first.try_emplace(value.node, at);
  };
  for (const PlannedValue& value : graph.memory) {
    if (value.place == MemoryPlace::kNone) continue;
    if (value.place == MemoryPlace::kTile) {
      ++total.in_tiles;
      continue;
    }
    ++total.values;
    slots.insert(value.slot);
    const bool other = value.of != value.node;
    total.in_place += other && value.place != MemoryPlace::kView;
    total.unknown |= value.bytes < 0;
    const int64_t bytes = std::clamp<int64_t>(value.bytes, 0, most_bytes);
    if (value.place == MemoryPlace::kKept) {
      int64_t& most = kept[value.slot];
      most = std::max(most, bytes);
      continue;
    }
    if (const auto any = first.find(value.of); other && any != first.end()) {
      const auto same = taken.find({value.of, value.made});
      const size_t at = same == taken.end() ? any->second : same->second;
      memory[at].to = std::max<int64_t>(memory[at].to, value.last);
      lies_in(value, at);
      continue;
    }
    if (value.place == MemoryPlace::kView) continue;
    lies_in(value, memory.size());
    memory.push_back({bytes, value.made, std::max(value.made, value.last)});
  }
  total.slots = slots.size();
  for (const auto& [slot, bytes] : kept) total.kept += bytes;
  std::map<int64_t, int64_t> steps;
  for (const Memory& m : memory) {
    steps[m.from] += m.bytes;
    steps[m.to + 1] -= m.bytes;
  }
  int64_t now = 0;
  for (const auto& [step, change] : steps) total.most = std::max(total.most, now += change);
  total.most += total.kept;
  return total;
}

std::string words_of(const MemoryTotal& total) {
  if (!total.values && !total.in_tiles) return {};
  std::string text = str(total.values, total.values == 1 ? " value in " : " values in ", total.slots,
                         total.slots == 1 ? " slot" : " slots");
  if (total.in_place) text += str(", ", total.in_place, " in place of others");
  if (total.in_tiles) text += str("; ", total.in_tiles, " more inside fused loops");
  text += str("; at most ", size_text(total.most), " at once");
  if (total.kept) text += str(", of which ", size_text(total.kept), total.kept == 1 ? " stays" : " stay",
                              " for the next run");
  if (total.unknown) text += "; without what is known only when it runs";
  return text;
}

}  // namespace footlight::explain
