// Handing out parts of a random stream.
#include "engine/tensor/random_state.h"

#include <random>

namespace footlight {

RandomState::RandomState(uint64_t seed, uint64_t seed2) : stream_{seed, seed2, 0} {
  if (seed != 0 || seed2 != 0) return;
  std::random_device device;
  const auto word = [&] { return static_cast<uint64_t>(device()) << 32 | device(); };
  stream_.seed = word();
  stream_.seed2 = word();
}

RandomState::Stream RandomState::reserve(uint64_t blocks) {
  std::lock_guard lock(mutex_);
  const Stream now = stream_;
  stream_.skipped += blocks;
  return now;
}

}  // namespace footlight
