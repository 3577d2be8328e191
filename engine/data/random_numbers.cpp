// Seeds that were not given.
#include "engine/data/random_numbers.h"

#include <random>

namespace footlight::data {
namespace {

uint64_t from_the_system() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

}  // namespace

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
