// Chooses seeds that the user did not give.
#include "engine/data/random_numbers.h"

#include "engine/data/state.h"

#include <random>

namespace footlight::data {
namespace {

uint64_t from_the_system() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

}  // namespace

void RandomWords::state(State& s) {
  const auto joined = [](uint32_t low, uint32_t high) { return static_cast<uint64_t>(high) << 32 | low; };
  uint64_t seed = joined(philox_.key[0], philox_.key[1]), seed2 = joined(philox_.counter[2], philox_.counter[3]);
  uint64_t blocks = joined(philox_.counter[0], philox_.counter[1]);
  s.number(seed);
  s.number(seed2);
  s.number(blocks);
  s.number(at_, Philox::kWords);
  if (!s.reads()) return;
  philox_ = Philox(seed, seed2);
  if (blocks == 0) {
    at_ = Philox::kWords;
    return;
  }
  philox_.skip(blocks - 1);
  words_ = philox_.next();
}

void Seeds::state(State& s) {
  const std::lock_guard lock(mutex_);
  s.number(seed_);
  s.number(seed2_);
  words_.state(s);
}

Seeds::Seeds(uint64_t seed, uint64_t seed2, bool again)
    : seed_(seed || seed2 ? seed : from_the_system()),
      seed2_(seed || seed2 ? seed2 : from_the_system()),
      words_(seed_, seed2_),
      again_(again) {}

std::pair<uint64_t, uint64_t> Seeds::next() {
  if (!again_) return {seed_, seed2_};
  const std::lock_guard lock(mutex_);
  const uint64_t first = words_.next();
  return {first, words_.next()};
}

}  // namespace footlight::data
