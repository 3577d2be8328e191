// Keeps the global seed, the sequence of op seeds drawn from it, and the streams of eager ops.
#include "engine/ops/random_seeds.h"

#include "engine/base/text.h"
#include "engine/tensor/random_state.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

namespace footlight::random {

namespace {

constexpr int64_t kLargest = 2147483647;
constexpr int64_t kSeedWithoutGlobal = 87654321;

// Draws op seeds from a Mersenne Twister that is seeded like Python's random.Random(seed).
class PythonRandom {
 public:
  explicit PythonRandom(uint64_t seed) {
    seed_with(19650218);
    const uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    const uint32_t length = key[1] ? 2 : 1;
    uint32_t i = 1, j = 0;
    for (uint32_t k = kSize; k > 0; --k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525u)) + key[j] + j;
      if (++i >= kSize) { state_[0] = state_[kSize - 1]; i = 1; }
      if (++j >= length) j = 0;
    }
    for (uint32_t k = kSize - 1; k > 0; --k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941u)) - i;
      if (++i >= kSize) { state_[0] = state_[kSize - 1]; i = 1; }
    }
    state_[0] = 0x80000000u;
    at_ = kSize;
  }

  // randint(0, 2**31 - 1)
  int64_t next_seed() {
    for (;;) {
      const uint32_t word = next();
      if (word < 0x80000000u) return word;
    }
  }

 private:
  static constexpr uint32_t kSize = 624, kMiddle = 397;

  void seed_with(uint32_t seed) {
    state_[0] = seed;
    for (uint32_t i = 1; i < kSize; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }

  uint32_t next() {
    if (at_ >= kSize) {
      for (uint32_t i = 0; i < kSize; ++i) {
        const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kSize] & 0x7fffffffu);
        state_[i] = state_[(i + kMiddle) % kSize] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
      }
      at_ = 0;
    }
    uint32_t y = state_[at_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }

  std::array<uint32_t, kSize> state_;
  uint32_t at_ = kSize;
};

struct Seeded {
  std::optional<int64_t> seed;
  std::optional<PythonRandom> op_seeds;
  std::map<std::tuple<uint16_t, int64_t, int64_t, DType, DType, std::vector<int64_t>>, Tensor> eager_states;
};
struct Global : Seeded {
  std::mutex mutex;
};
Global& global() {
  static Global* one = new Global;  // never destroyed: threads may still draw at exit
  return *one;
}

std::atomic<bool> seeds_are_required = false;

int64_t truncated(int64_t seed) { return ((seed % kLargest) + kLargest) % kLargest; }

}  // namespace

void set_global_seed(int64_t seed) {
  Global& g = global();
  std::lock_guard lock(g.mutex);
  g.seed = seed;
  g.op_seeds.emplace(static_cast<uint64_t>(seed < 0 ? -seed : seed));
  g.eager_states.clear();
  RandomState::restart_all();  // also states of traced functions, whose seeds stay as traced
}

void set_graph_seed(std::optional<int64_t> seed) {
  Builder* const builder = this_thread.builder;
  builder->own_seed->seed = seed;
  builder->graph_seed = builder->own_seed;
}

KeptSeeds::KeptSeeds() {
  Global& g = global();
  std::lock_guard lock(g.mutex);
  kept_ = std::make_shared<Seeded>(g);
}

void KeptSeeds::put_back() const {
  Global& g = global();
  std::lock_guard lock(g.mutex);
  static_cast<Seeded&>(g) = *static_cast<const Seeded*>(kept_.get());
}

void require_seeds(bool on) { seeds_are_required = on; }

Seeds seeds_for_op(std::optional<int64_t> op_seed) {
  Global& g = global();
  std::lock_guard lock(g.mutex);
  Builder* const builder = this_thread.builder;
  const std::optional<int64_t> seed = builder && builder->graph_seed ? builder->graph_seed->seed : g.seed;
  if (!seed && !op_seed) {
    if (seeds_are_required)
      fail(ErrorKind::kRuntime, "Random ops require a seed to be set when determinism is enabled: call "
                                "tf.random.set_seed, or give the op a seed");
    return {};
  }
  Seeds seeds;
  if (!seed) {
    seeds = {kSeedWithoutGlobal, truncated(*op_seed)};
  } else {
    if (!op_seed) op_seed = builder ? builder->own_seed->unseeded_random_ops++ : g.op_seeds->next_seed();
    seeds = {truncated(*seed), truncated(*op_seed)};
  }
  if (seeds.seed == 0 && seeds.seed2 == 0) seeds.seed2 = kLargest;
  return seeds;
}

void set_seeds(Attrs& attrs, const Op& op, std::optional<int64_t> op_seed, DType input) {
  const Seeds seeds = seeds_for_op(op_seed);
  attrs.set("seed"_attr, seeds.seed);
  attrs.set("seed2"_attr, seeds.seed2);
  const auto fresh = [&] {
    return Tensor::resource(new RandomState(static_cast<uint64_t>(seeds.seed), static_cast<uint64_t>(seeds.seed2)));
  };
  if (this_thread.builder) {
    attrs.set("_state"_attr, fresh());
    return;
  }
  Global& g = global();
  std::lock_guard lock(g.mutex);
  DType result = DType::kInvalid;
  for (const AttrName& name : {"dtype"_attr, "Tout"_attr, "output_dtype"_attr}) result = attrs.get_or(name, result);
  std::vector<int64_t> numbers;  // applications with other attributes have streams of their own
  for (const auto& [name, value] : attrs) {
    if (const auto* number = std::get_if<int64_t>(&value); number && name != "seed"_attr && name != "seed2"_attr)
      numbers.push_back(*number);
    if (const auto* truth = std::get_if<bool>(&value)) numbers.push_back(*truth);
  }
  Tensor& state = g.eager_states[{op.id().value, seeds.seed, seeds.seed2, input, result, std::move(numbers)}];
  if (!state) state = fresh();
  attrs.set("_state"_attr, state);
}

}  // namespace footlight::random
