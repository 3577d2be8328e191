// Kernels that choose: classes by their logits, candidates among classes, permutations of rows; and the state of
// generators.
#include "kernels/cpu/scalar/random_streams.h"
#include "kernels/cpu/register.h"

#include "engine/base/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_set>

namespace footlight::FL_ISA {

namespace {

constexpr int64_t kBlocksTogether = 1024;

// Computes the cumulative sums of the exponentials of a row.
template <class T>
double sum_up(const T* logits, std::vector<double>& sums) {
  double most = std::numeric_limits<double>::lowest();
  for (size_t k = 0; k < sums.size(); ++k)
    if (const double x = static_cast<double>(logits[k]); std::isfinite(x)) most = std::max(most, x);
  double total = 0;
  for (size_t k = 0; k < sums.size(); ++k) {
    if (const double x = static_cast<double>(logits[k]); std::isfinite(x)) total += std::exp(x - most);
    sums[k] = total;
  }
  return total;
}

// A class for each sample: where the cumulative sum passes a uniform part of the total. Two words per sample.
template <class I>
void choose_row(const std::vector<double>& sums, double total, const Philox& base, int64_t first, int64_t last,
                I* out) {
  const auto class_of = [&](double part) -> int64_t {
    constexpr size_t kFew = 32;
    if (sums.size() > kFew) return std::upper_bound(sums.begin(), sums.end(), part) - sums.begin();
    int64_t below = 0;
    for (const double sum : sums) below += sum <= part;
    return below;
  };
  parallel_for((last + 1) / 2 - first / 2, kBlocksTogether, [&](int64_t begin, int64_t end) {
    constexpr int64_t kBlocksAtOnce = 256;
    uint32_t words[4 * kBlocksAtOnce];
    for (int64_t at = first / 2 + begin; at < first / 2 + end; at += kBlocksAtOnce) {
      const int64_t blocks = std::min(kBlocksAtOnce, first / 2 + end - at);
      bulk_draws.words(base, static_cast<uint64_t>(at), blocks, words);
      const int64_t from = std::max(2 * at, first), to = std::min(2 * (at + blocks), last);
      for (int64_t s = from; s < to; ++s) {
        const uint32_t* w = words + 2 * (s - 2 * at);
        out[s] = static_cast<I>(class_of(unit_double(w[0], w[1]) * total));
      }
    }
  });
}

template <class T, class I>
void choose(const T* logits, int64_t rows, int64_t classes, int64_t samples, Philox base, I* out) {
  parallel_for(rows, std::max<int64_t>(1, 4096 / (classes + samples)), [&](int64_t begin_row, int64_t end_row) {
    std::vector<double> sums(static_cast<size_t>(classes));
    for (int64_t r = begin_row; r < end_row; ++r) {
      const double total = sum_up(logits + r * classes, sums);
      choose_row(sums, total, base, r * samples, (r + 1) * samples, out);
    }
  });
}

template <class T>
void categorical(KernelContext& c, Philox base) {
  const Tensor& logits = c.inputs[0];
  const Tensor& out = c.outputs[0];
  if (out.elements() == 0) return;
  const int64_t rows = logits.shape()[0], classes = logits.shape()[1], samples = out.shape()[1];
  if (out.dtype() == DType::kInt32) choose(logits.data<T>(), rows, classes, samples, base, out.data<int32_t>());
  else choose(logits.data<T>(), rows, classes, samples, base, out.data<int64_t>());
}

template <class T>
void categoricals() {
  const uint32_t type = bit_of(dtype_of<T>);
  on_cpu("Multinomial", type, [](KernelContext& c) {
    const Shape& out = c.outputs[0].shape();
    const uint64_t words = static_cast<uint64_t>(out[0] * ((out[1] + 3) / 4 * 4) * 2);
    categorical<T>(c, out.elements() ? next_stream(c, words * kBlocksPerElement) : Philox());
  });
  on_cpu("StatelessMultinomial", type, [](KernelContext& c) { categorical<T>(c, seeded_stream(c.inputs[2])); });
}

// Fisher and Yates from the front: element i is swapped with one from i on. The partners are computed on all cores, and
// their elements are prefetched.
template <class Swap, class Fetch>
void exchange(int64_t size, const Philox& philox, Swap&& swap, Fetch&& fetch) {
  constexpr int64_t kAhead = 32;
  const int64_t blocks = (size - 1 + 3) / 4;
  std::vector<uint32_t> with(static_cast<size_t>(4 * blocks));
  parallel_for(blocks, kBlocksTogether, [&](int64_t begin, int64_t end) {
    bulk_draws.words(philox, static_cast<uint64_t>(begin), end - begin, with.data() + 4 * begin);
    for (int64_t i = 4 * begin; i < std::min(4 * end, size - 1); ++i)
      with[static_cast<size_t>(i)] %= static_cast<uint32_t>(size - i);
  });
  for (int64_t i = 0; i + 1 < size; ++i) {
    if (i + kAhead + 1 < size) fetch(i + kAhead + with[static_cast<size_t>(i + kAhead)]);
    swap(i, i + with[static_cast<size_t>(i)]);
  }
}

template <class T>
void exchange_elements(T* values, int64_t size, const Philox& philox) {
  exchange(
      size, philox, [&](int64_t i, int64_t k) { std::swap(values[i], values[k]); },
      [&](int64_t k) { __builtin_prefetch(values + k, 1); });
}

std::vector<int64_t> shuffled_order(int64_t size, const Philox& philox) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), int64_t{0});
  exchange_elements(order.data(), size, philox);
  return order;
}

void copy_rows(KernelContext& c, const std::vector<int64_t>& order) {
  const Tensor& in = c.inputs[0];
  const int64_t row = in.elements() / in.shape()[0];
  if (in.dtype() == DType::kString) {
    for (size_t i = 0; i < order.size(); ++i)
      std::copy_n(in.data<std::string>() + order[i] * row, row,
                  c.out<std::string>() + static_cast<int64_t>(i) * row);
    return;
  }
  const size_t bytes = static_cast<size_t>(row) * size_of(in.dtype());
  const auto* from = static_cast<const std::byte*>(in.raw());
  auto* to = static_cast<std::byte*>(c.outputs[0].raw());
  parallel_for(static_cast<int64_t>(order.size()), std::max<int64_t>(1, (1 << 16) / static_cast<int64_t>(bytes + 1)),
               [&](int64_t begin, int64_t end) {
                 for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
                   std::memcpy(to + i * bytes, from + static_cast<size_t>(order[i]) * bytes, bytes);
               });
}

// Single numbers are swapped directly, for larger rows their indices are.
void shuffle_rows(KernelContext& c, const Philox& philox) {
  const Tensor& in = c.inputs[0];
  const int64_t size = in.shape()[0];
  const size_t bytes = in.dtype() == DType::kString ? 0 : in.bytes() / static_cast<size_t>(size);
  if (bytes != 4 && bytes != 8) return copy_rows(c, shuffled_order(size, philox));
  std::memcpy(c.outputs[0].raw(), in.raw(), in.bytes());
  if (bytes == 4) exchange_elements(static_cast<uint32_t*>(c.outputs[0].raw()), size, philox);
  else exchange_elements(static_cast<uint64_t*>(c.outputs[0].raw()), size, philox);
}

bool nothing_to_shuffle(KernelContext& c) {
  const Tensor& in = c.inputs[0];
  if (in.elements() > 1 && in.shape()[0] > 1) return false;
  c.outputs[0] = in;
  return true;
}

void shuffle(KernelContext& c) {
  if (nothing_to_shuffle(c)) return;
  const int64_t size = c.inputs[0].shape()[0];
  shuffle_rows(c, next_stream(c, static_cast<uint64_t>(size - 1 + 3) / 4));
}

void stateless_shuffle(KernelContext& c) { if (!nothing_to_shuffle(c)) shuffle_rows(c, keyed_stream(c, 1)); }

// The place of an index in a permutation of [0, max]: a small block cipher of `width` bits per word after Simon,
// applied until the result is in range.
uint64_t shuffled_index(uint64_t index, const uint32_t (&seed)[3], uint64_t max, int64_t rounds) {
  if (max == 0) return 0;
  int bits = static_cast<int>(std::ceil(std::log2(max)));
  bits = std::min(std::max(bits + bits % 2, 16), 64);
  const int width = bits / 2;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  const auto left = [&](uint64_t x, int by) { return (x << by | x >> (width - by)) & mask; };
  const auto right = [&](uint64_t x, int by) { return (x >> by | x << (width - by)) & mask; };
  const auto mix = [&](uint64_t x) { return (left(x, 1) & left(x, 8)) ^ left(x, 2); };
  std::vector<uint64_t> keys{seed[0] & mask, seed[1] & mask, seed[2] & mask};
  uint64_t constant = 0x7369f885192c0ef5u & mask;
  for (int64_t i = 3; i < rounds; ++i, constant >>= 1)
    keys.push_back((0xfffffffcu & mask) ^ (constant & 1) ^ keys[static_cast<size_t>(i) - 3] ^ right(keys.back(), 3) ^
                   right(keys.back(), 4));
  do {
    uint64_t high = index >> width & mask, low = index & mask;
    for (size_t i = 0; i + 1 < keys.size(); i += 2) {
      high ^= mix(low) ^ keys[i];
      low ^= mix(high) ^ keys[i + 1];
    }
    index = high << width | low;
  } while (index > max);
  return index;
}

template <class I>
void index_shuffle(KernelContext& c) {
  const Tensor& seed = c.inputs[1];
  const bool one_index = c.inputs[0].shape().rank() == 0, one_max = c.inputs[2].shape().rank() == 0,
             one_seed = seed.shape().rank() == 1;
  const int64_t rounds = c.attrs.get_or("rounds"_attr, int64_t{4});
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i) {
    const I index = c.in<I>(0)[one_index ? 0 : i], max = c.in<I>(2)[one_max ? 0 : i];
    if (max < 0 || index < 0 || index > max)
      invalid("index must be in [0, max_index]: index ", index, ", max_index ", max, " [Op:", c.row.name, "]");
    uint32_t words[3];
    with_plain_type(seed.dtype(), [&](auto zero) {
      using S = decltype(zero);
      if constexpr (std::is_integral_v<S>)
        for (int k = 0; k < 3; ++k) words[k] = static_cast<uint32_t>(seed.data<S>()[(one_seed ? 0 : 3 * i) + k]);
    });
    c.out<I>()[i] = static_cast<I>(
        shuffled_index(static_cast<uint64_t>(index), words, static_cast<uint64_t>(max), rounds));
  }
}

void read_and_skip(KernelContext& c) {
  const Tensor before = advance_state(c, *c.in<int32_t>(1), *c.in<uint64_t>(2) * kBlocksPerElement);
  c.outputs[0] = before.alias();
}
void skip(KernelContext& c) {
  advance_state(c, *c.in<int64_t>(1), static_cast<uint64_t>(*c.in<int64_t>(2)) * kBlocksPerElement);
}

void from_the_system(KernelContext& c) {
  std::random_device device;
  auto* bytes = static_cast<unsigned char*>(c.outputs[0].raw());
  for (size_t i = 0; i < c.outputs[0].bytes(); ++i) bytes[i] = static_cast<unsigned char>(device());
}

// --- candidates for losses over few of many classes, bit for bit as TensorFlow draws them ---

// Reads the words of a stream one after the other.
class Words {
 public:
  explicit Words(Philox philox) : philox_(philox) {}
  uint32_t next() {
    if (at_ == Philox::kWords) {
      block_ = philox_.next();
      at_ = 0;
    }
    return block_.w[at_++];
  }

 private:
  Philox philox_;
  Philox::Words block_{};
  int at_ = Philox::kWords;
};

// Draws all classes with the same probability.
struct Even {
  explicit Even(int64_t range) : range(static_cast<uint64_t>(range)) {}
  int64_t draw(Words& words) const {
    const auto word = [&] {
      const uint64_t low = words.next();
      return low | uint64_t{words.next()} << 32;
    };
    if ((range & (range - 1)) == 0) return static_cast<int64_t>(word() & (range - 1));
    const uint64_t rest = (UINT64_MAX % range + 1) % range;  // words below it would favour some classes
    uint64_t found;
    do found = word();
    while (found < rest);
    return static_cast<int64_t>(found % range);
  }
  float share(int64_t) const { return 1.0f / static_cast<float>(range); }
  uint64_t range;
};

// Samples by the logarithms of class numbers, for classes sorted by frequency.
struct ByLogarithm {
  explicit ByLogarithm(int64_t range) : range(range), log_range(std::log(1.0 + static_cast<double>(range))) {}
  int64_t draw(Words& words) const {
    const uint32_t first = words.next(), second = words.next();
    // Not below the range only through rounding.
    return (static_cast<int64_t>(std::exp(unit_double(first, second) * log_range)) - 1) % range;
  }
  float share(int64_t value) const {
    return static_cast<float>(std::log((static_cast<double>(value) + 2.0) / (static_cast<double>(value) + 1.0)) /
                              log_range);
  }
  int64_t range;
  double log_range;
};

// The expected number of times that a class is drawn among `count` of `tries`, which are more where each is taken once.
float expected(float share, int64_t count, int64_t tries) {
  if (tries == count) return share * static_cast<float>(count);
  return static_cast<float>(-std::expm1(static_cast<double>(tries) * std::log1p(-static_cast<double>(share))));
}

template <class Distribution>
void sample_classes(KernelContext& c) {
  constexpr uint64_t kBlocksPerSample = 2048 / Philox::kWords;
  const int64_t count = c.attrs.get<int64_t>("num_sampled"_attr), range = c.attrs.get<int64_t>("range_max"_attr);
  const bool unique = c.attrs.get<bool>("unique"_attr);
  if (range < 1) invalid("range_max must be positive, not ", range, " [Op:", c.row.name, "]");
  if (unique && count > range)
    invalid("Sampler's range is too small: ", count, " different classes of ", range, " are asked for [Op:", c.row.name,
            "]");
  const Distribution distribution(range);
  Words words(next_stream(c, static_cast<uint64_t>(count) * kBlocksPerSample));
  int64_t* const drawn = c.out<int64_t>(0);
  std::unordered_set<int64_t> seen;
  int64_t tries = 0;
  for (int64_t got = 0; got < count; ++tries) {
    const int64_t one = distribution.draw(words);
    if (!unique || seen.insert(one).second) drawn[got++] = one;
  }
  const auto expectations = [&](const int64_t* classes, int64_t number, float* out) {
    for (int64_t i = 0; i < number; ++i) {
      if (classes[i] < 0 || classes[i] >= range)
        invalid("`true_candidate` out of range [0, ", range, "), received ", classes[i], " [Op:", c.row.name, "]");
      out[i] = expected(distribution.share(classes[i]), count, tries);
    }
  };
  expectations(c.in<int64_t>(0), c.inputs[0].elements(), c.out<float>(1));
  expectations(drawn, count, c.out<float>(2));
}

// Returns each class once.
void all_classes(KernelContext& c) {
  for (int64_t i = 0; i < c.outputs[0].elements(); ++i) {
    c.out<int64_t>(0)[i] = i;
    c.out<float>(2)[i] = 1;
  }
  for (int64_t i = 0; i < c.outputs[1].elements(); ++i) {
    if (const int64_t one = c.in<int64_t>(0)[i]; one < 0 || one >= c.outputs[0].elements())
      invalid("`true_candidate` out of range [0, ", c.outputs[0].elements(), "), received ", one, " [Op:", c.row.name,
              "]");
    c.out<float>(1)[i] = 1;
  }
}

}  // namespace

FL_CPU_KERNELS {
  categoricals<float>();
  categoricals<double>();
  categoricals<Float16>();
  categoricals<BFloat16>();
  categoricals<int32_t>();
  categoricals<int64_t>();
  on_cpu("UniformCandidateSampler", kAllTypes, sample_classes<Even>);
  on_cpu("LogUniformCandidateSampler", kAllTypes, sample_classes<ByLogarithm>);
  on_cpu("AllCandidateSampler", kAllTypes, all_classes);
  on_cpu("RandomShuffle", kPlainTypes | bit_of(DType::kString), shuffle);
  on_cpu("StatelessShuffle", kPlainTypes | bit_of(DType::kString), stateless_shuffle);
  on_cpu("RandomIndexShuffle", bit_of(DType::kInt32), index_shuffle<int32_t>);
  on_cpu("RandomIndexShuffle", bit_of(DType::kInt64), index_shuffle<int64_t>);
  on_cpu("RandomIndexShuffle", bit_of(DType::kUInt32), index_shuffle<uint32_t>);
  on_cpu("RandomIndexShuffle", bit_of(DType::kUInt64), index_shuffle<uint64_t>);
  on_cpu("RngReadAndSkip", kAllTypes, read_and_skip);
  on_cpu("RngSkip", kAllTypes, skip);
  on_cpu("NonDeterministicInts", kIntegerTypes, from_the_system);
}

}  // namespace footlight::FL_ISA
