// a = Exp(x); b = Exp(x); y = a * b   ->   a = Exp(x); y = a * a
// Nodes without effects that have equal ops, attributes and inputs: the first one stays, with its name and line. Lists
// are not joined: one that nothing else holds grows in place.
#include "engine/optimize/optimize.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace footlight::optimize {
namespace {

constexpr size_t kMaxBytes = 4096;  // bytes of constants that are compared

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

uint64_t hash_of(const Tensor& t) {
  uint64_t h = mix(static_cast<uint64_t>(t.dtype()), static_cast<uint64_t>(t.shape().rank()));
  if (!is_plain(t.dtype()) || t.bytes() > kMaxBytes) return mix(h, reinterpret_cast<uintptr_t>(t.raw()));
  const char* bytes = static_cast<const char*>(t.raw());
  for (size_t at = 0; at < t.bytes(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<size_t>(8, t.bytes() - at));
    h = mix(h, word);
  }
  return h;
}

bool equal(const Tensor& a, const Tensor& b) {
  if (a.body() == b.body()) return true;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (!is_plain(a.dtype()) || a.device() != b.device()) return false;
  if (a.raw() == b.raw()) return true;
  return a.bytes() <= kMaxBytes && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
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
        if constexpr (std::is_same_v<T, Tensor>) return equal(v, w);
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
  explicit Joiner(Rewrite& rewrite) : rewrite_(rewrite), places_(std::bit_ceil(rewrite.size() * 2 + 2), kFree) {}

  void look(NodeId id) {
    const Node& node = rewrite_.node(id);
    uint64_t h = mix(node.op->id.value, node.inputs.size());
    for (const Edge edge : node.inputs) {
      const Edge from = rewrite_.resolve(edge);
      h = mix(h, uint64_t{from.node.value} << 32 | from.output);
    }
    for (const auto& [name, value] : node.attrs) h = mix(h, hash_of(value));
    const size_t mask = places_.size() - 1;
    // Equal nodes lie in one row of occupied places.
    for (size_t at = h & mask; looked_ < kMaxLooks * rewrite_.size() + kMaxLooks; at = (at + 1) & mask, ++looked_) {
      if (places_[at] == kFree) {
        places_[at] = id.value;
        return;
      }
      if (same(rewrite_.node(NodeId(places_[at])), node)) return join(id, NodeId(places_[at]));
    }
  }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  static constexpr size_t kMaxLooks = 64;  // per node, should many have one hash

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
      if (!rewrite_.replaced({id, k}) && !(rewrite_.resolve({first, k}) == Edge{id, k}))
        rewrite_.replace({id, k}, {first, k});
  }

  Rewrite& rewrite_;
  std::vector<uint32_t> places_;  // of nodes, keyed by their hash
  size_t looked_ = 0;
};

}  // namespace

void join_equal(Rewrite& rewrite) {
  Joiner joiner(rewrite);
  for (const NodeId id : rewrite.order())
    if (rewrite.live(id) && may_join(rewrite.node(id))) joiner.look(id);
}

}  // namespace footlight::optimize
