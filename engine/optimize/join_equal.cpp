// a = Exp(x); b = Exp(x); y = a * b   ->   a = Exp(x); y = a * a
// Common subexpression elimination: of nodes without effects that have equal ops, attributes and inputs, the first one
// stays, with its name and line. Nodes that return tensor lists are not joined, because a list that nothing else holds
// grows in place.
#include "engine/optimize/optimize.h"
#include "engine/optimize/values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace footlight::optimize {
namespace {

constexpr size_t kMaxHashedBytes = 4096;  // of larger constants, only the address is hashed

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

uint64_t hash_of(const Tensor& t) {
  uint64_t h = mix(static_cast<uint64_t>(t.dtype()), static_cast<uint64_t>(t.shape().rank()));
  if (!is_plain(t.dtype()) || t.bytes() > kMaxHashedBytes) return mix(h, reinterpret_cast<uintptr_t>(t.raw()));
  const char* bytes = static_cast<const char*>(t.raw());
  for (size_t at = 0; at < t.bytes(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<size_t>(8, t.bytes() - at));
    h = mix(h, word);
  }
  return h;
}

// Lists of attributes are long and rarely differ alone: only their length is hashed.
uint64_t hash_of(const AttrValue& value) {
  return std::visit(
      [](const auto& v) -> uint64_t {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Tensor>) return hash_of(v);
        else if constexpr (std::is_same_v<T, GraphPtr>) return reinterpret_cast<uintptr_t>(v.get());
        else if constexpr (std::is_same_v<T, float>) return std::bit_cast<uint32_t>(v);
        else if constexpr (std::is_same_v<T, std::string>) return std::hash<std::string>()(v);
        else if constexpr (std::is_same_v<T, Shape>) return static_cast<uint64_t>(v.rank());
        else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) return static_cast<uint64_t>(v);
        else return v.size();
      },
      value);
}

bool equal(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        const T& w = std::get<T>(b);
        if constexpr (std::is_same_v<T, Tensor>) return equal_constants(v, w);
        else if constexpr (std::is_same_v<T, float>) return std::bit_cast<uint32_t>(v) == std::bit_cast<uint32_t>(w);
        else if constexpr (std::is_same_v<T, std::vector<float>>)
          return v.size() == w.size() && std::memcmp(v.data(), w.data(), v.size() * sizeof(float)) == 0;
        else return v == w;
      },
      a);
}

bool may_join(const Node& node) {
  if (node.op->effect != Effect::kNone || node.op->host_only || node.dtypes.empty()) return false;
  switch (node.op->execution) {
    case Execution::kPlaceholder:
    case Execution::kFakeParam:
    case Execution::kNoOp: return false;
    default: break;
  }
  return std::ranges::all_of(node.dtypes, [](DType d) { return is_plain(d) || d == DType::kString; });
}

class Joiner {
 public:
  explicit Joiner(Rewrite& rewrite) : rewrite_(rewrite), table_(std::bit_ceil(rewrite.size() * 2 + 2), kFree) {}

  void visit(NodeId id) {
    const Node& node = rewrite_.node(id);
    uint64_t h = mix(node.op->id.value, node.inputs.size());
    for (const Edge edge : node.inputs) {
      const Edge from = rewrite_.resolve(edge);
      h = mix(h, uint64_t{from.node.value} << 32 | from.output);
    }
    for (const auto& [name, value] : node.attrs) h = mix(h, hash_of(value));
    const size_t mask = table_.size() - 1;
    // Linear probing: an equal node, if any, is found before the first free place.
    for (size_t at = h & mask; probes_ < kMaxProbesPerNode * rewrite_.size() + kMaxProbesPerNode;
         at = (at + 1) & mask, ++probes_) {
      if (table_[at] == kFree) {
        table_[at] = id.value;
        return;
      }
      if (same(rewrite_.node(NodeId(table_[at])), node)) return join(id, NodeId(table_[at]));
    }
  }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  static constexpr size_t kMaxProbesPerNode = 64;  // on average; limits the time if many hashes collide

  bool same(const Node& a, const Node& b) const {
    if (a.op != b.op || a.inputs.size() != b.inputs.size() || a.attrs.size() != b.attrs.size() ||
        a.device != b.device || a.dtypes != b.dtypes || !(a.shapes == b.shapes))
      return false;
    for (size_t i = 0; i < a.inputs.size(); ++i)
      if (!(rewrite_.resolve(a.inputs[i]) == rewrite_.resolve(b.inputs[i]))) return false;
    return std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), [](const auto& x, const auto& y) {
      return x.first == y.first && equal(x.second, y.second);
    });
  }

  void join(NodeId id, NodeId first) {
    for (uint32_t k = 0; k < rewrite_.node(id).dtypes.size(); ++k)
      if (!rewrite_.is_replaced({id, k}) && !(rewrite_.resolve({first, k}) == Edge{id, k}))
        rewrite_.replace({id, k}, {first, k});
  }

  Rewrite& rewrite_;
  std::vector<uint32_t> table_;  // an open-addressing hash table of nodes
  size_t probes_ = 0;
};

}  // namespace

void join_equal(Rewrite& rewrite) {
  Joiner joiner(rewrite);
  for (const NodeId id : rewrite.order())
    if (rewrite.is_live(id) && may_join(rewrite.node(id))) joiner.visit(id);
}

}  // namespace footlight::optimize
