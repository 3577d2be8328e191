// Kernels that order and look up.
#include "kernels/cpu/elements.h"
#include "kernels/cpu/once/hash.h"
#include "kernels/functors/common.h"

#include "engine/base/thread_pool.h"

#include <bit>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace footlight {
namespace FL_ISA {

namespace {

using functors::Compute;

void write_int(Tensor& t, int64_t at, int64_t value) {
  if (t.dtype() == DType::kInt64)
    t.data<int64_t>()[at] = value;
  else if (t.dtype() == DType::kInt16)
    t.data<int16_t>()[at] = static_cast<int16_t>(value);
  else
    t.data<int32_t>()[at] = static_cast<int32_t>(value);
}

// The larger first, of equal ones the one that came first; NaN behind everything.
template <class C>
struct Ranked {
  C value;
  int32_t index;
  friend bool operator<(const Ranked& a, const Ranked& b) {
    if (a.value > b.value) return true;
    if (a.value < b.value) return false;
    if constexpr (!std::is_integral_v<C>) {
      const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
      if (a_nan != b_nan) return b_nan;
    }
    return a.index < b.index;
  }
};

// A number whose order is the other way round: small for what comes first. NaN is the largest, -0 the same as
// 0.
template <class C>
uint32_t rank_of(C value) {
  if constexpr (std::is_same_v<C, float>) {
    if (value != value) return ~0u;
    const auto bits = std::bit_cast<uint32_t>(value + 0.f);
    return ~(bits >> 31 ? ~bits : bits | 0x80000000u);
  } else if constexpr (std::is_signed_v<C>) {
    return ~(static_cast<uint32_t>(static_cast<int32_t>(value)) ^ 0x80000000u);
  } else {
    return ~static_cast<uint32_t>(value);
  }
}

// The places of a whole row in order, eleven bits at a time; equal ones keep theirs.
template <class T>
void sorted_places(const T* in, int64_t n, std::vector<std::pair<uint32_t, int32_t>>& from,
                   std::vector<std::pair<uint32_t, int32_t>>& to) {
  using C = Compute<T>;
  constexpr uint32_t kBits = 11, kMask = (1u << kBits) - 1;
  uint32_t counts[3][kMask + 1] = {};
  from.resize(static_cast<size_t>(n));
  to.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t rank = rank_of(static_cast<C>(in[i]));
    from[static_cast<size_t>(i)] = {rank, static_cast<int32_t>(i)};
    for (uint32_t pass = 0; pass < 3; ++pass) ++counts[pass][rank >> (pass * kBits) & kMask];
  }
  for (uint32_t pass = 0; pass < 3; ++pass) {
    uint32_t at = 0;
    for (uint32_t& count : counts[pass]) at += std::exchange(count, at);
    for (const auto& one : from) to[counts[pass][one.first >> (pass * kBits) & kMask]++] = one;
    std::swap(from, to);
  }
}

template <class T>
void top_k(KernelContext& c) {
  using C = Compute<T>;
  const Shape& shape = c.inputs[0].shape();
  const int64_t n = shape[shape.rank() - 1];
  const int64_t k = c.outputs[0].shape()[shape.rank() - 1];
  const int64_t rows = product(shape, 0, shape.rank() - 1);
  if (k == 0) return;
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  Tensor& places = c.outputs[1];
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(n, 1));
  if constexpr (sizeof(C) <= 4) {
    constexpr int64_t kWorthPasses = 1024;
    if (n >= kWorthPasses && k * 4 >= n) {
      parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
        std::vector<std::pair<uint32_t, int32_t>> order, spare;
        for (int64_t r = begin; r < end; ++r) {
          sorted_places(in + r * n, n, order, spare);
          for (int64_t i = 0; i < k; ++i) {
            const int64_t from = order[static_cast<size_t>(i)].second;
            out[r * k + i] = in[r * n + from];
            write_int(places, r * k + i, from);
          }
        }
      });
      return;
    }
  }
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    std::vector<Ranked<C>> row(static_cast<size_t>(n));
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = 0; i < n; ++i)
        row[static_cast<size_t>(i)] = {static_cast<C>(in[r * n + i]), static_cast<int32_t>(i)};
      if (k == 1)
        std::swap(row[0], *std::min_element(row.begin(), row.end()));
      else if (k * 4 < n)
        std::partial_sort(row.begin(), row.begin() + k, row.end());
      else
        std::sort(row.begin(), row.end());
      for (int64_t i = 0; i < k; ++i) {
        const int64_t from = row[static_cast<size_t>(i)].index;
        out[r * k + i] = in[r * n + from];
        write_int(places, r * k + i, from);
      }
    }
  });
}

// Among the k largest: fewer than k are larger. Nothing is when the target's row holds what is not finite.
template <class T>
void in_top_k(KernelContext& c) {
  const int64_t rows = c.inputs[0].shape()[0], classes = c.inputs[0].shape()[1];
  const int64_t k = int_at(c.inputs[2], 0);
  const float* in = c.in<float>(0);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t target = c.in<T>(1)[r];
    bool is = target >= 0 && target < classes && std::isfinite(in[r * classes + target]);
    int64_t larger = 0;
    for (int64_t i = 0; is && i < classes; ++i) {
      const float value = in[r * classes + i];
      if (!std::isfinite(value))
        is = false;
      else
        larger += value > in[r * classes + target];
    }
    c.out<bool>()[r] = is && larger < k;
  }
}

template <class T>
struct Key {
  using type = T;
};
template <>
struct Key<Float16> {
  using type = float;
};
template <>
struct Key<BFloat16> {
  using type = float;
};

template <class K>
struct Hash {
  size_t operator()(const K& key) const {
    if constexpr (functors::is_complex_v<K>) {
      using Part = typename K::value_type;
      return std::hash<Part>()(key.real()) * 31 + std::hash<Part>()(key.imag());
    } else {
      return std::hash<K>()(key);
    }
  }
};

template <class T>
void unique(KernelContext& c) {
  using K = typename Key<T>::type;
  const T* in = c.in<T>(0);
  const int64_t n = c.inputs[0].elements();
  std::unordered_map<K, int64_t, Hash<K>> seen;
  std::vector<int64_t> first, counts;
  Tensor& places = c.outputs[1];
  for (int64_t i = 0; i < n; ++i) {
    const auto [it, fresh] = seen.try_emplace(static_cast<K>(in[i]), static_cast<int64_t>(first.size()));
    if (fresh) {
      first.push_back(i);
      counts.push_back(0);
    }
    ++counts[static_cast<size_t>(it->second)];
    write_int(places, i, it->second);
  }
  const Shape shape{static_cast<int64_t>(first.size())};
  T* out = c.set_output(0, c.inputs[0].dtype(), shape).template data<T>();
  for (size_t k = 0; k < first.size(); ++k) out[k] = in[first[k]];
  if (c.outputs.size() < 3) return;
  Tensor& of = c.set_output(2, places.dtype(), shape);
  for (size_t k = 0; k < counts.size(); ++k) write_int(of, static_cast<int64_t>(k), counts[k]);
}

template <class T, bool upper>
void bound(KernelContext& c) {
  const int64_t rows = c.inputs[0].shape()[0], columns = c.inputs[0].shape()[1],
                wanted = c.inputs[1].shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    const T* begin = c.in<T>(0) + r * columns;
    const T* end = begin + columns;
    for (int64_t k = 0; k < wanted; ++k) {
      const T& value = c.in<T>(1)[r * wanted + k];
      const T* at = upper ? std::upper_bound(begin, end, value) : std::lower_bound(begin, end, value);
      write_int(c.outputs[0], r * wanted + k, at - begin);
    }
  }
}

void fingerprint(KernelContext& c) {
  if (*c.in<std::string>(1) != "farmhash64")
    invalid("Unsupported method: ", *c.in<std::string>(1), ", farmhash64 is offered [Op:Fingerprint]");
  const Tensor& data = c.inputs[0];
  const int64_t rows = data.shape()[0];
  const auto write = [&](int64_t at, uint64_t hash, uint8_t* to) { std::memcpy(to + 8 * at, &hash, 8); };
  uint8_t* out = c.out<uint8_t>();
  if (rows == 0) return;
  const int64_t width = data.elements() / rows;
  if (data.dtype() != DType::kString) {
    const size_t bytes = data.bytes() / static_cast<size_t>(rows);
    for (int64_t r = 0; r < rows; ++r)
      write(r, fingerprint64({static_cast<const char*>(data.raw()) + static_cast<size_t>(r) * bytes, bytes}),
            out);
    return;
  }
  // Several strings in a row: the fingerprint of their fingerprints.
  std::vector<uint8_t> each(static_cast<size_t>(data.elements()) * 8);
  for (int64_t i = 0; i < data.elements(); ++i) write(i, fingerprint64(c.in<std::string>(0)[i]), each.data());
  if (width == 1) {
    std::copy(each.begin(), each.end(), out);
    return;
  }
  const auto bytes = static_cast<size_t>(width) * 8;
  for (int64_t r = 0; r < rows; ++r)
    write(r,
          fingerprint64({reinterpret_cast<const char*>(each.data()) + static_cast<size_t>(r) * bytes, bytes}),
          out);
}

// The places of the values of each group (all dimensions but the last) of a sparse tensor, in the order
// given.
std::map<int64_t, std::vector<int64_t>> groups_of(const Tensor& indices, const Tensor& shape,
                                                  const Shape& groups) {
  const int64_t rank = shape.elements();
  std::map<int64_t, std::vector<int64_t>> out;
  for (int64_t k = 0; k < indices.shape()[0]; ++k) {
    int64_t at = 0;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t index = indices.data<int64_t>()[k * rank + d];
      if (index < 0 || index >= shape.data<int64_t>()[d])
        invalid("indices[", k, ", ", d, "] = ", index,
                " is out of bounds of the dense shape [Op:EditDistance]");
      if (d + 1 < rank) at = at * groups[static_cast<int>(d)] + index;
    }
    out[at].push_back(k);
  }
  return out;
}

// How many insertions, deletions and replacements make one sequence the other.
template <class Same>
int64_t distance(size_t n, size_t m, Same&& same) {
  std::vector<int64_t> row(m + 1);
  for (size_t j = 0; j <= m; ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= n; ++i) {
    int64_t corner = row[0];
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= m; ++j) {
      const int64_t replaced = corner + (same(i - 1, j - 1) ? 0 : 1);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[m];
}

template <class T>
void edit_distance(KernelContext& c) {
  static const AttrName kNormalize{"normalize"};
  const bool normalize = c.attrs.get_or(kNormalize, true);
  const Shape& shape = c.outputs[0].shape();
  for (size_t k : {size_t{0}, size_t{3}})
    if (c.inputs[k].shape()[0] != c.inputs[k + 1].shape()[0] ||
        c.inputs[k].shape()[1] != c.inputs[k + 2].shape()[0])
      invalid("indices, values and shape of a sparse tensor do not fit each other [Op:EditDistance]");
  const auto hypotheses = groups_of(c.inputs[0], c.inputs[2], shape);
  const auto truths = groups_of(c.inputs[3], c.inputs[5], shape);
  float* out = c.out<float>();
  static const std::vector<int64_t> kNone;
  for (int64_t g = 0; g < c.outputs[0].elements(); ++g) {
    const auto h = hypotheses.find(g), t = truths.find(g);
    const std::vector<int64_t>& a = h == hypotheses.end() ? kNone : h->second;
    const std::vector<int64_t>& b = t == truths.end() ? kNone : t->second;
    auto d = static_cast<float>(distance(
        a.size(), b.size(), [&](size_t i, size_t j) { return c.in<T>(1)[a[i]] == c.in<T>(4)[b[j]]; }));
    if (normalize) d = b.empty() ? (a.empty() ? 0.f : INFINITY) : d / static_cast<float>(b.size());
    out[g] = d;
  }
}

template <class... Types>
void ordered() {
  (on_cpu("TopKV2", bit_of(dtype_of<Types>), top_k<Types>), ...);
  (on_cpu("LowerBound", bit_of(dtype_of<Types>), bound<Types, false>), ...);
  (on_cpu("UpperBound", bit_of(dtype_of<Types>), bound<Types, true>), ...);
}
template <class... Types>
void found() {
  (on_cpu("Unique", bit_of(dtype_of<Types>), unique<Types>), ...);
  (on_cpu("UniqueWithCounts", bit_of(dtype_of<Types>), unique<Types>), ...);
}
template <class... Types>
void edited() {
  (on_cpu("EditDistance", bit_of(dtype_of<Types>), edit_distance<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  ordered<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Float16,
          BFloat16>();
  on_cpu("LowerBound", bit_of(DType::kString), bound<std::string, false>);
  on_cpu("UpperBound", bit_of(DType::kString), bound<std::string, true>);
  on_cpu("InTopKV2", bit_of(DType::kInt32), in_top_k<int32_t>);
  on_cpu("InTopKV2", bit_of(DType::kInt64), in_top_k<int64_t>);
  found<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
        Float16, BFloat16, std::complex<float>, std::complex<double>, std::string>();
  on_cpu("Fingerprint", kPlainTypes | bit_of(DType::kString), fingerprint);
  edited<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, std::string>();
}

}  // namespace FL_ISA
}  // namespace footlight
