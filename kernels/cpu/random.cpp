// Kernels that draw random numbers. A block of four Philox words gives four results, or two of 64 bits; which block
// serves which element is TensorFlow's, so equal seeds give equal numbers.
#include "kernels/cpu/register.h"
#include "kernels/functors/philox.h"

#include "engine/tensor/random_state.h"

#include <algorithm>

namespace footlight {
namespace FL_ISA {

namespace {

// More than any element can need, so that what one op takes never depends on the values.
constexpr uint64_t kBlocksPerElement = 256;

Philox stream_of(KernelContext& c) {
  static const AttrName kState{"_state"};
  static const AttrName kSeed{"seed"};
  static const AttrName kSeed2{"seed2"};
  const uint64_t blocks = static_cast<uint64_t>(c.outputs[0].elements()) * kBlocksPerElement;
  RandomState::Stream stream;
  if (const AttrValue* state = c.attrs.find(kState)) {
    stream = static_cast<RandomState*>(std::get<Tensor>(*state).resource_object())->reserve(blocks);
  } else {
    stream = RandomState(static_cast<uint64_t>(c.attrs.get_or(kSeed, int64_t{0})),
                         static_cast<uint64_t>(c.attrs.get_or(kSeed2, int64_t{0})))
                 .reserve(blocks);
  }
  Philox philox(stream.seed, stream.seed2);
  philox.skip(stream.skipped);
  return philox;
}

// What one block of words gives: `kCount` results of type T.
template <class T>
struct Uniform {
  static constexpr int kCount = 4;
  static void draw(Philox& philox, T* out) {
    const Philox::Words words = philox.next();
    for (int i = 0; i < 4; ++i) out[i] = from(words.w[i]);
  }
  static T from(uint32_t word) {
    if constexpr (std::is_same_v<T, float>) {
      return unit_float(word);
    } else {  // half floats have a mantissa of their own width
      constexpr int kMantissa = std::is_same_v<T, Float16> ? 10 : 7;
      const uint16_t bits = static_cast<uint16_t>((std::is_same_v<T, Float16> ? 15 : 127) << kMantissa |
                                                  (word & ((1u << kMantissa) - 1)));
      T value;
      std::memcpy(static_cast<void*>(&value), &bits, sizeof bits);
      return T(static_cast<float>(value) - 1.0f);
    }
  }
};
template <>
struct Uniform<double> {
  static constexpr int kCount = 2;
  static void draw(Philox& philox, double* out) {
    const Philox::Words words = philox.next();
    for (int i = 0; i < 2; ++i) out[i] = unit_double(words.w[2 * i], words.w[2 * i + 1]);
  }
};

template <class T>
struct Normal {
  static constexpr int kCount = 4;
  static void draw(Philox& philox, T* out) {
    const Philox::Words words = philox.next();
    for (int i = 0; i < 4; i += 2) {
      float pair[2];
      normal_pair(words.w[i], words.w[i + 1], pair);
      out[i] = T(pair[0]);
      out[i + 1] = T(pair[1]);
    }
  }
};
template <>
struct Normal<double> {
  static constexpr int kCount = 2;
  static void draw(Philox& philox, double* out) {
    const Philox::Words words = philox.next();
    normal_pair(words.w[0], words.w[1], words.w[2], words.w[3], out);
  }
};

template <class T, class Distribution>
void fill(KernelContext& c) {
  Philox philox = stream_of(c);
  T* out = c.out<T>();
  const int64_t count = c.outputs[0].elements();
  int64_t at = 0;
  for (; at + Distribution::kCount <= count; at += Distribution::kCount) Distribution::draw(philox, out + at);
  if (at < count) {
    T last[Distribution::kCount];
    Distribution::draw(philox, last);
    std::copy(last, last + (count - at), out + at);
  }
}

// Words one at a time.
class Singles {
 public:
  explicit Singles(Philox philox) : philox_(philox) {}
  uint32_t next() {
    if (used_ == 4) {
      words_ = philox_.next();
      used_ = 0;
    }
    return words_.w[used_++];
  }

 private:
  Philox philox_;
  Philox::Words words_{};
  int used_ = 4;
};

void draw_pair(Singles& words, float* out) {
  const uint32_t a = words.next();
  normal_pair(a, words.next(), out);
}
void draw_pair(Singles& words, double* out) {
  uint32_t w[4];
  for (uint32_t& word : w) word = words.next();
  normal_pair(w[0], w[1], w[2], w[3], out);
}

// Every group of results has words of its own, as many as it may need.
template <class T, class F>
void truncated_normal(KernelContext& c) {
  constexpr int kGroup = std::is_same_v<F, double> ? 2 : 4;
  const Philox base = stream_of(c);
  T* out = c.out<T>();
  const int64_t count = c.outputs[0].elements();
  for (int64_t start = 0; start < count; start += kGroup) {
    Philox philox = base;
    philox.skip(static_cast<uint64_t>(start / kGroup) * kGroup * kBlocksPerElement / 4);
    Singles words(philox);
    for (int filled = 0; filled < kGroup;) {
      F pair[2];
      draw_pair(words, pair);
      for (F value : pair) {
        if (std::abs(value) >= F(2) || filled == kGroup) continue;
        if (start + filled < count) out[start + filled] = T(value);
        ++filled;
      }
    }
  }
}

template <class T>
void uniform_int(KernelContext& c) {
  using U = std::make_unsigned_t<T>;
  constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4;
  const U low = static_cast<U>(*c.in<T>(1));
  const U range = static_cast<U>(*c.in<T>(2)) - low;
  if (range == 0 || *c.in<T>(2) <= *c.in<T>(1))
    invalid("Need minval < maxval, got ", *c.in<T>(1), " >= ", *c.in<T>(2), " [Op:RandomUniformInt]");
  Philox philox = stream_of(c);
  T* out = c.out<T>();
  const int64_t count = c.outputs[0].elements();
  for (int64_t at = 0; at < count; at += kPerBlock) {
    const Philox::Words words = philox.next();
    for (int i = 0; i < kPerBlock && at + i < count; ++i) {
      U sample;
      if constexpr (sizeof(T) == 8) sample = words.w[2 * i] | static_cast<U>(words.w[2 * i + 1]) << 32;
      else sample = words.w[i];
      out[at + i] = static_cast<T>(low + sample % range);
    }
  }
}

template <class T, class F>
void floats() {
  on_cpu("RandomUniform", bit_of(dtype_of<T>), fill<T, Uniform<T>>);
  on_cpu("RandomStandardNormal", bit_of(dtype_of<T>), fill<T, Normal<T>>);
  on_cpu("TruncatedNormal", bit_of(dtype_of<T>), truncated_normal<T, F>);
}

}  // namespace

FL_CPU_KERNELS {
  floats<float, float>();
  floats<double, double>();
  floats<Float16, float>();
  floats<BFloat16, float>();
  on_cpu("RandomUniformInt", bit_of(DType::kInt32), uniform_int<int32_t>);
  on_cpu("RandomUniformInt", bit_of(DType::kInt64), uniform_int<int64_t>);
}

}  // namespace FL_ISA
}  // namespace footlight
