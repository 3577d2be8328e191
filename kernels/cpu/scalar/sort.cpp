// Kernels that sort and search.
#include "kernels/cpu/elements.h"
#include "kernels/cpu/scalar/hash.h"
#include "kernels/functors/common.h"

#include "engine/base/thread_pool.h"

#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace footlight::FL_ISA {

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

// Orders larger values first, equal ones by position, and NaN last.
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

// A key whose order is reversed: small for what comes first. NaN is the largest, -0 equals
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

// Radix sort of a whole row's indices, some bits at a time; stable.
template <uint32_t kBits, class T>
void sorted_places(const T* in, int64_t n, std::vector<std::pair<uint32_t, int32_t>>& from,
                   std::vector<std::pair<uint32_t, int32_t>>& to) {
  using C = Compute<T>;
  constexpr uint32_t kMask = (1u << kBits) - 1, kPasses = (31 + kBits) / kBits;
  uint32_t counts[kPasses][kMask + 1] = {};
  from.resize(static_cast<size_t>(n));
  to.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t rank = rank_of(static_cast<C>(in[i]));
    from[static_cast<size_t>(i)] = {rank, static_cast<int32_t>(i)};
    for (uint32_t pass = 0; pass < kPasses; ++pass) ++counts[pass][rank >> (pass * kBits) & kMask];
  }
  for (uint32_t pass = 0; pass < kPasses; ++pass) {
    if (n > 0 && counts[pass][from[0].first >> (pass * kBits) & kMask] == n) continue;  // all the same
    uint32_t at = 0;
    for (uint32_t& count : counts[pass]) at += std::exchange(count, at);
    for (const auto& one : from) to[counts[pass][one.first >> (pass * kBits) & kMask]++] = one;
    std::swap(from, to);
  }
}

// The first k in order of elements [begin, end), themselves unsorted: a heap with the last of them on top. Most others
// are rejected many at a time.
template <class T>
void best_of(const T* in, int64_t begin, int64_t end, int64_t k, std::vector<Ranked<Compute<T>>>& best) {
  using C = Compute<T>;
  constexpr int64_t kTogether = 64;
  best.clear();
  int64_t i = begin;
  for (; i < end && i - begin < k; ++i) best.push_back({static_cast<C>(in[i]), static_cast<int32_t>(i)});
  std::make_heap(best.begin(), best.end());
  const auto offer = [&] {
    const Ranked<C> one{static_cast<C>(in[i]), static_cast<int32_t>(i)};
    if (!(one < best.front())) return;
    std::pop_heap(best.begin(), best.end());
    best.back() = one;
    std::push_heap(best.begin(), best.end());
  };
  while (i < end) {
    const int64_t some = std::min(kTogether, end - i);
    const C bar = best.front().value;
    bool any = bar != bar;
    if (some == kTogether) {
      for (int64_t j = 0; j < kTogether; ++j) any |= static_cast<C>(in[i + j]) > bar;
    } else {
      any = true;
    }
    if (!any) i += some;
    else for (const int64_t stop = i + some; i < stop; ++i) offer();
  }
}

// Finds the first k; long rows are searched in chunks.
template <class T>
void few_best(const T* in, int64_t n, int64_t k, std::vector<Ranked<Compute<T>>>& best) {
  constexpr int64_t kPiece = 1 << 16;
  if (n < 2 * kPiece) {
    best_of(in, 0, n, k, best);
  } else {
    std::mutex mutex;
    best.clear();
    parallel_for(n, kPiece, [&](int64_t begin, int64_t end) {
      std::vector<Ranked<Compute<T>>> own;
      best_of(in, begin, end, k, own);
      const std::lock_guard lock(mutex);
      best.insert(best.end(), own.begin(), own.end());
    });
  }
  std::partial_sort(best.begin(), best.begin() + k, best.end());
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
    constexpr int64_t kWorthPasses = 128, kWorthWidePasses = 4096;
    if (n >= kWorthPasses && k > (n - 1) / 4) {
      parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
        std::vector<std::pair<uint32_t, int32_t>> order, spare;
        for (int64_t r = begin; r < end; ++r) {
          if (n < kWorthWidePasses) sorted_places<8>(in + r * n, n, order, spare);
          else sorted_places<11>(in + r * n, n, order, spare);
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
    std::vector<Ranked<C>> row;
    for (int64_t r = begin; r < end; ++r) {
      constexpr int64_t kFew = 256;
      if (k <= kFew && k * 4 < n) {
        few_best(in + r * n, n, k, row);
      } else {
        row.resize(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i)
          row[static_cast<size_t>(i)] = {static_cast<C>(in[r * n + i]), static_cast<int32_t>(i)};
        if (k * 4 < n) std::partial_sort(row.begin(), row.begin() + k, row.end());
        else std::sort(row.begin(), row.end());
      }
      for (int64_t i = 0; i < k; ++i) {
        const int64_t from = row[static_cast<size_t>(i)].index;
        out[r * k + i] = in[r * n + from];
        write_int(places, r * k + i, from);
      }
    }
  });
}

// Whether fewer than k are larger than the target. False if the target's row contains a value that is not finite.
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

// Equal values have equal hashes: 0 and -0 too.
template <class K>
uint64_t hash_of(const K& key) {
  if constexpr (std::is_same_v<K, std::string>) {
    return fingerprint64(key);
  } else if constexpr (functors::is_complex_v<K>) {
    return hash_of(key.real()) * 31 + hash_of(key.imag());
  } else if constexpr (std::is_same_v<K, float>) {
    return std::bit_cast<uint32_t>(key + 0.f) * 0x9E3779B97F4A7C15u;
  } else if constexpr (std::is_same_v<K, double>) {
    return (std::bit_cast<uint64_t>(key + 0.0) ^ std::bit_cast<uint64_t>(key + 0.0) >> 32) * 0x9E3779B97F4A7C15u;
  } else {
    return static_cast<uint64_t>(key) * 0x9E3779B97F4A7C15u;
  }
}

template <class T>
decltype(auto) key_of(const T& value) {
  if constexpr (std::is_same_v<T, typename Key<T>::type>) return (value);
  else return static_cast<typename Key<T>::type>(value);
}

// Values in order of first occurrence (each NaN is a new one), looked up in an open hash table of their
// indices. The top bits of a hash are its slot.
template <class T, class I>
void number_values(const T* in, int64_t n, std::vector<int64_t>& first, std::vector<int64_t>& counts, I* places) {
  int shift = 64 - 8;
  std::vector<int32_t> table(size_t{1} << (64 - shift), -1);
  const auto place_of = [&](const auto& key) {
    size_t at = hash_of(key) >> shift;
    while (table[at] >= 0 && !(key_of(in[first[static_cast<size_t>(table[at])]]) == key))
      at = (at + 1) & (table.size() - 1);
    return at;
  };
  const auto grow = [&] {
    shift -= 2;
    table.assign(size_t{1} << (64 - shift), -1);
    for (size_t k = 0; k < first.size(); ++k)
      if (const auto& key = key_of(in[first[k]]); key == key) table[place_of(key)] = static_cast<int32_t>(k);
  };
  for (int64_t i = 0; i < n; ++i) {
    const auto& key = key_of(in[i]);
    const bool is_number = key == key;
    const size_t at = is_number ? place_of(key) : 0;
    if (is_number && table[at] >= 0) {
      places[i] = static_cast<I>(table[at]);
      ++counts[static_cast<size_t>(table[at])];
      continue;
    }
    if (is_number) table[at] = static_cast<int32_t>(first.size());
    places[i] = static_cast<I>(first.size());
    first.push_back(i);
    counts.push_back(1);
    if (2 * first.size() > table.size()) grow();
  }
}

template <class T>
void unique(KernelContext& c) {
  const T* in = c.in<T>(0);
  const int64_t n = c.inputs[0].elements();
  std::vector<int64_t> first, counts;
  Tensor& places = c.outputs[1];
  if (places.dtype() == DType::kInt64) number_values(in, n, first, counts, places.data<int64_t>());
  else number_values(in, n, first, counts, places.data<int32_t>());
  const Shape shape{static_cast<int64_t>(first.size())};
  T* out = c.set_output(0, c.inputs[0].dtype(), shape).template data<T>();
  for (size_t k = 0; k < first.size(); ++k) out[k] = in[first[k]];
  if (c.outputs.size() < 3) return;
  Tensor& of = c.set_output(2, places.dtype(), shape);
  for (size_t k = 0; k < counts.size(); ++k) write_int(of, static_cast<int64_t>(k), counts[k]);
}

constexpr int64_t kSearches = 16;

// Runs several binary searches in lockstep without a branch, so that their memory accesses overlap.
template <class T, bool upper>
void search_together(const T* sorted, int64_t n, const T* values, int64_t (&at)[kSearches]) {
  using C = Compute<T>;
  C value[kSearches];
  for (int64_t j = 0; j < kSearches; ++j) {
    value[j] = static_cast<C>(values[j]);
    at[j] = 0;
  }
  const auto step = [&](int64_t look, int64_t by) {
    for (int64_t j = 0; j < kSearches; ++j) {
      const C here = static_cast<C>(sorted[at[j] + look]);
      const bool behind = upper ? !(value[j] < here) : here < value[j];
      at[j] += by & -static_cast<int64_t>(behind);
    }
  };
  while (n > 1) {
    const int64_t half = n / 2;
    step(half - 1, half);
    n -= half;
  }
  if (n > 0) step(0, 1);
}

template <class T, bool upper>
void bound(KernelContext& c) {
  const int64_t columns = c.inputs[0].shape()[1], wanted = c.inputs[1].shape()[1];
  const T* values = c.in<T>(1);
  parallel_for(c.outputs[0].elements(), 1024, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end;) {
      const int64_t row = k / wanted, stop = std::min(end, (row + 1) * wanted);
      const T* sorted = c.in<T>(0) + row * columns;
      if constexpr (!std::is_same_v<T, std::string>) {
        int64_t at[kSearches];
        for (; k + kSearches <= stop; k += kSearches) {
          search_together<T, upper>(sorted, columns, values + k, at);
          if (c.outputs[0].dtype() == DType::kInt64)
            std::copy_n(at, kSearches, c.out<int64_t>() + k);
          else
            for (int64_t j = 0; j < kSearches; ++j) c.out<int32_t>()[k + j] = static_cast<int32_t>(at[j]);
        }
      }
      for (; k < stop; ++k) {
        const T* at = upper ? std::upper_bound(sorted, sorted + columns, values[k])
                            : std::lower_bound(sorted, sorted + columns, values[k]);
        write_int(c.outputs[0], k, at - sorted);
      }
    }
  });
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
  // The fingerprint of several strings is that of their fingerprints.
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

// The positions of the values of each group (all dimensions but the last) of a sparse tensor, in the given
// order.
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

// The number of insertions, deletions and replacements that turn one sequence into the other.
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
  const bool normalize = c.attrs.get_or("normalize"_attr, true);
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
void edited() { (on_cpu("EditDistance", bit_of(dtype_of<Types>), edit_distance<Types>), ...); }

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

}  // namespace footlight::FL_ISA
