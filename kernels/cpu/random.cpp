// Kernels that draw random numbers. A block of four Philox words gives four results, or two of 64 bits; which block
// serves which element is TensorFlow's, so equal seeds give equal numbers. The stateless ops are given the stream
// position; the others get it from their RandomState.
#include "kernels/cpu/scalar/random_streams.h"
#include "kernels/cpu/random_blocks.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/threefry.h"

#include "engine/base/text.h"
#include "engine/base/thread_pool.h"

#include <algorithm>
#include <vector>

namespace footlight::FL_ISA {

namespace {

constexpr int kThreefry = 2;  // the values of the input `alg`: 1 Philox, 2 Threefry, 3 whichever fits
constexpr int64_t kGroupsAtOnce = 4096;

Philox stream_of(KernelContext& c) {
  return next_stream(c, static_cast<uint64_t>(c.outputs[0].elements()) * kBlocksPerElement);
}

// Reads the stream from a generator's variable.
Philox generator_stream(KernelContext& c) {
  return take_from_state(c, static_cast<uint64_t>(c.outputs[0].elements()) * kBlocksPerElement);
}

bool is_threefry(const KernelContext& c) { return *c.in<int32_t>(3) == kThreefry; }

Philox given_stream(const KernelContext& c) { return keyed_stream(c, 1); }

template <class T, class Distribution>
void fill(Philox base, T* out, int64_t count) {
  constexpr int64_t kCount = Distribution::kCount;
  parallel_for((count + kCount - 1) / kCount, kGroupsAtOnce, [&](int64_t begin, int64_t end) {
    BlockWords words;
    for (int64_t g = begin; g < end; g += kBlocksAtOnce) {
      const int64_t blocks = std::min(kBlocksAtOnce, end - g);
      draw_blocks(base, static_cast<uint64_t>(g), 1, blocks, words);
      if ((g + blocks) * kCount <= count) {
        Distribution::of(words, blocks, out + g * kCount);
      } else {
        T last[kBlocksAtOnce * kCount];
        Distribution::of(words, blocks, last);
        std::copy(last, last + (count - g * kCount), out + g * kCount);
      }
    }
  });
}

// Every group of results has words of its own, as many as it may need: values within two deviations are kept. The first
// two blocks of many groups are drawn at once, and nearly always suffice.
template <class T, class F>
void fill_truncated(Philox base, T* out, int64_t count) {
  constexpr int64_t kGroup = NormalBlocks<F>::kCount;
  constexpr uint64_t kStride = kGroup * kBlocksPerElement / 4;
  parallel_for((count + kGroup - 1) / kGroup, kGroupsAtOnce / 8, [&](int64_t begin, int64_t end) {
    BlockWords words;
    F drawn[2][kBlocksAtOnce * kGroup], more[kGroup];
    for (int64_t at = begin; at < end; at += kBlocksAtOnce) {
      const int64_t groups = std::min(kBlocksAtOnce, end - at);
      for (uint64_t k = 0; k < 2; ++k) {
        draw_blocks(base, static_cast<uint64_t>(at) * kStride + k, kStride, groups, words);
        NormalBlocks<F>::of(words, groups, drawn[k]);
      }
      for (int64_t g = 0; g < groups; ++g) {
        F kept[2 * kGroup];
        int64_t filled = 0;
        const auto keep = [&](const F* values) {
          for (int64_t i = 0; i < kGroup; ++i) {
            kept[filled] = values[i];
            filled += std::abs(values[i]) < F(2);
          }
        };
        for (uint64_t k = 0;; ++k) {
          if (filled >= kGroup) break;
          if (k < 2) {
            keep(drawn[k] + g * kGroup);
            continue;
          }
          draw_blocks(base, static_cast<uint64_t>(at + g) * kStride + k, 1, 1, words);
          NormalBlocks<F>::of(words, 1, more);
          keep(more);
        }
        const int64_t start = (at + g) * kGroup, wanted = std::min(kGroup, count - start);
        for (int64_t i = 0; i < wanted; ++i) out[start + i] = T(kept[i]);
      }
    }
  });
}

// Integers: low + word % range, or the word itself if range is 0. The quotient by the rounded inverse is at most
// one too small.
template <class U>
struct Remainder {
  U low, range, inverse;
  Remainder(U from, U size) : low(from), range(size), inverse(size ? static_cast<U>(~U{0}) / size : 0) {}
  U of(U word) const {
    __extension__ using Wide = std::conditional_t<sizeof(U) == 8, unsigned __int128, uint64_t>;
    const U quotient = static_cast<U>(static_cast<Wide>(word) * inverse >> (8 * sizeof(U)));
    const U rest = word - quotient * range;
    return low + (rest >= range ? rest - range : rest);
  }
};

template <class T>
void fill_whole(Philox base, T* out, int64_t count, std::make_unsigned_t<T> low, std::make_unsigned_t<T> range) {
  using U = std::make_unsigned_t<T>;
  constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;
  const Remainder<U> remainder(low, range);
  parallel_for((count + kPerBlock - 1) / kPerBlock, kGroupsAtOnce, [&](int64_t begin, int64_t end) {
    BlockWords words;
    uint32_t w[4 * kBlocksAtOnce];
    for (int64_t g = begin; g < end; g += kBlocksAtOnce) {
      const int64_t blocks = std::min(kBlocksAtOnce, end - g);
      draw_blocks(base, static_cast<uint64_t>(g), 1, blocks, words);
      interleave(words.w, blocks, w);
      U samples[kPerBlock * kBlocksAtOnce];  // consecutive words are little-endian 64-bit numbers
      std::memcpy(samples, w, static_cast<size_t>(blocks) * 16);
      const int64_t wanted = std::min(blocks * kPerBlock, count - g * kPerBlock);
      T* to = out + g * kPerBlock;
      if (range == 0)
        for (int64_t i = 0; i < wanted; ++i) to[i] = static_cast<T>(samples[i]);
      else
        for (int64_t i = 0; i < wanted; ++i) to[i] = static_cast<T>(remainder.of(samples[i]));
    }
  });
}

void bulk_words(const Philox& stream, uint64_t first, int64_t blocks, uint32_t* out) {
  BlockWords words;
  for (int64_t at = 0; at < blocks; at += kBlocksAtOnce) {
    const int64_t some = std::min(kBlocksAtOnce, blocks - at);
    draw_blocks(stream, first + static_cast<uint64_t>(at), 1, some, words);
    interleave(words.w, some, out + 4 * at);
  }
}

void bulk_normal_and_uniform(const Philox& stream, uint64_t first, int64_t count, double* normal,
                             double (*uniform)[64]) {
  static_assert(kBlocksAtOnce == 64);
  BlockWords words;
  draw_blocks(stream, first * kBlocksPerElement, kBlocksPerElement, count, words);
  for (int64_t i = 0; i < count; ++i) {
    double unused;
    normals_of(words.w[0][i], words.w[1][i], words.w[2][i], words.w[3][i], unused, normal[i]);
  }
  draw_blocks(stream, first * kBlocksPerElement + 1, kBlocksPerElement, count, words);
  for (int64_t i = 0; i < count; ++i) {
    uniform[0][i] = unit_double(words.w[2][i], words.w[3][i]);
    uniform[1][i] = unit_double(words.w[0][i], words.w[1][i]);
  }
}

// The Threefry result for element i of a tensor of these dimensions, in [0, 1).
template <class F>
struct ThreefryDraws {
  Threefry threefry;
  uint64_t start;
  ThreefryPlaces places;
  F unit(int64_t i) const {
    if constexpr (std::is_same_v<F, double>) {
      const uint64_t block = threefry.block(start + static_cast<uint64_t>(i));
      const uint64_t bits = 0x3FF0000000000000u | block >> 12;
      double value;
      std::memcpy(&value, &bits, sizeof value);
      return value - 1.0;
    } else {
      const uint32_t bits = 0x3F800000u | threefry_word(threefry, start, places, i) >> 9;
      float value;
      std::memcpy(&value, &bits, sizeof value);
      return value - 1.0f;
    }
  }
};

template <class F>
ThreefryDraws<F> threefry_draws(const KernelContext& c, std::span<const int64_t> dims) {
  return {Threefry(*c.in<uint64_t>(1)), *c.in<uint64_t>(2), ThreefryPlaces(dims)};
}

// Inverts std::erf by Newton's method, from Winitzki's approximation.
double inverse_erf(double y) {
  const double log_part = std::log1p(-y * y);
  const double first = 2 / (3.14159265358979323846 * 0.147) + log_part / 2;
  double x = std::copysign(std::sqrt(std::sqrt(first * first - log_part / 0.147) - first), y);
  for (int i = 0; i < 3; ++i) x -= (std::erf(x) - y) / (1.1283791670955126 * std::exp(-x * x));
  return x;
}

template <class T, class F>
void threefry_uniform(KernelContext& c) {
  const int64_t count = c.outputs[0].elements();
  const auto draws = threefry_draws<F>(c, c.outputs[0].shape().dims());
  for (int64_t i = 0; i < count; ++i) c.out<T>()[i] = T(draws.unit(i));
}

// The pairs of the split dimension get a sine and a cosine; their inputs are drawn with the pair as a
// dimension of its own.
template <class T, class F>
void threefry_normal(KernelContext& c) {
  const auto dims = c.outputs[0].shape().dims();
  const ThreefryPlaces pairs(dims);
  std::vector<int64_t> wide(dims.begin(), dims.end());
  if (pairs.cut() == wide.size()) wide.push_back(1);
  wide[pairs.cut()] = pairs.half();
  wide.insert(wide.begin() + static_cast<std::ptrdiff_t>(pairs.cut()) + 1, 2);
  int64_t inner = 1;
  for (size_t d = pairs.cut() + 2; d < wide.size(); ++d) inner *= wide[d];
  const auto draws = threefry_draws<F>(c, wide);
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i) {
    const int64_t pair = static_cast<int64_t>(pairs.block(i));  // [outer, half, inner]
    const int64_t first = pair / inner * 2 * inner + pair % inner;
    const F u = std::max(draws.unit(first), F(1.0e-7f));
    const F angle = F(2 * 3.14159265358979323846) * draws.unit(first + inner);
    const F radius = std::sqrt(F(-2) * std::log(u));
    c.out<T>()[i] = T((pairs.second(i) ? std::cos(angle) : std::sin(angle)) * radius);
  }
}

// Draws by inverting the distribution function.
template <class T, class F>
void threefry_truncated(KernelContext& c) {
  const int64_t count = c.outputs[0].elements();
  const auto draws = threefry_draws<F>(c, c.outputs[0].shape().dims());
  const double below = 0.5 * std::erfc(std::sqrt(2.0));
  for (int64_t i = 0; i < count; ++i) {
    const double p = below + (1 - 2 * below) * std::max<double>(draws.unit(i), std::numeric_limits<F>::min());
    c.out<T>()[i] = T(F(std::clamp(std::sqrt(2.0) * inverse_erf(2 * p - 1), -2.0, 2.0)));
  }
}

template <class T>
void threefry_whole(KernelContext& c, std::make_unsigned_t<T> low, std::make_unsigned_t<T> range) {
  using U = std::make_unsigned_t<T>;
  const int64_t count = c.outputs[0].elements();
  const Threefry threefry(*c.in<uint64_t>(1));
  const ThreefryPlaces places(c.outputs[0].shape().dims());
  const uint64_t start = *c.in<uint64_t>(2);
  for (int64_t i = 0; i < count; ++i) {
    U sample;
    if constexpr (sizeof(T) == 8) sample = threefry.block(start + static_cast<uint64_t>(i));
    else sample = threefry_word(threefry, start, places, i);
    c.out<T>()[i] = static_cast<T>(range == 0 ? sample : low + sample % range);
  }
}

template <class T>
void check_range(T low, T high, const OpRow& row) {
  if (low >= high) invalid("Need minval < maxval, got ", low, " >= ", high, " [Op:", row.name, "]");
}

template <class T>
void uniform_int(KernelContext& c) {
  using U = std::make_unsigned_t<T>;
  const T low = *c.in<T>(1), high = *c.in<T>(2);
  check_range(low, high, c.row);
  fill_whole<T>(stream_of(c), c.out<T>(), c.outputs[0].elements(), static_cast<U>(low),
                static_cast<U>(static_cast<U>(high) - static_cast<U>(low)));
}

template <class T>
void stateless_uniform_int(KernelContext& c) {
  using U = std::make_unsigned_t<T>;
  const T low = *c.in<T>(4), high = *c.in<T>(5);
  check_range(low, high, c.row);
  const U range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
  if (is_threefry(c)) return threefry_whole<T>(c, static_cast<U>(low), range);
  fill_whole<T>(given_stream(c), c.out<T>(), c.outputs[0].elements(), static_cast<U>(low), range);
}

template <class T>
void stateful_uniform_int(KernelContext& c) {
  using U = std::make_unsigned_t<T>;
  const T low = *c.in<T>(3), high = *c.in<T>(4);
  check_range(low, high, c.row);
  fill_whole<T>(generator_stream(c), c.out<T>(), c.outputs[0].elements(), static_cast<U>(low),
                static_cast<U>(static_cast<U>(high) - static_cast<U>(low)));
}

template <class T>
void stateless_full_int(KernelContext& c) {
  if (is_threefry(c)) return threefry_whole<T>(c, 0, 0);
  fill_whole<T>(given_stream(c), c.out<T>(), c.outputs[0].elements(), 0, 0);
}

template <class T, class F>
void floats() {
  const uint32_t type = bit_of(dtype_of<T>);
  on_cpu("RandomUniform", type,
         [](KernelContext& c) { fill<T, UniformBlocks<T>>(stream_of(c), c.out<T>(), c.outputs[0].elements()); });
  on_cpu("RandomStandardNormal", type,
         [](KernelContext& c) { fill<T, NormalBlocks<T>>(stream_of(c), c.out<T>(), c.outputs[0].elements()); });
  on_cpu("TruncatedNormal", type,
         [](KernelContext& c) { fill_truncated<T, F>(stream_of(c), c.out<T>(), c.outputs[0].elements()); });
  on_cpu("StatefulUniform", type,
         [](KernelContext& c) { fill<T, UniformBlocks<T>>(generator_stream(c), c.out<T>(), c.outputs[0].elements()); });
  on_cpu("StatefulStandardNormalV2", type,
         [](KernelContext& c) { fill<T, NormalBlocks<T>>(generator_stream(c), c.out<T>(), c.outputs[0].elements()); });
  on_cpu("StatefulTruncatedNormal", type,
         [](KernelContext& c) { fill_truncated<T, F>(generator_stream(c), c.out<T>(), c.outputs[0].elements()); });
  on_cpu("StatelessRandomUniformV2", type, [](KernelContext& c) {
    if (is_threefry(c)) threefry_uniform<T, F>(c);
    else fill<T, UniformBlocks<T>>(given_stream(c), c.out<T>(), c.outputs[0].elements());
  });
  on_cpu("StatelessRandomNormalV2", type, [](KernelContext& c) {
    if (is_threefry(c)) threefry_normal<T, F>(c);
    else fill<T, NormalBlocks<T>>(given_stream(c), c.out<T>(), c.outputs[0].elements());
  });
  on_cpu("StatelessTruncatedNormalV2", type, [](KernelContext& c) {
    if (is_threefry(c)) threefry_truncated<T, F>(c);
    else fill_truncated<T, F>(given_stream(c), c.out<T>(), c.outputs[0].elements());
  });
}

template <class T>
void integers() {
  const uint32_t type = bit_of(dtype_of<T>);
  if constexpr (std::is_signed_v<T>) on_cpu("RandomUniformInt", type, uniform_int<T>);
  on_cpu("StatefulUniformInt", type, stateful_uniform_int<T>);
  on_cpu("StatefulUniformFullInt", type,
         [](KernelContext& c) { fill_whole<T>(generator_stream(c), c.out<T>(), c.outputs[0].elements(), 0, 0); });
  on_cpu("StatelessRandomUniformIntV2", type, stateless_uniform_int<T>);
  on_cpu("StatelessRandomUniformFullIntV2", type, stateless_full_int<T>);
}

}  // namespace

FL_CPU_KERNELS {
  bulk_draws = {bulk_words, bulk_normal_and_uniform};
  floats<float, float>();
  floats<double, double>();
  floats<Float16, float>();
  floats<BFloat16, float>();
  integers<int32_t>();
  integers<int64_t>();
  integers<uint32_t>();
  integers<uint64_t>();
}

}  // namespace footlight::FL_ISA
