// Allocating parts of a random stream.
#include "engine/tensor/random_state.h"

#include <atomic>
#include <random>

namespace footlight {

namespace {
std::atomic<uint64_t> restarts{0};
}  // namespace

RandomState::RandomState(uint64_t seed, uint64_t seed2)
    : stream_{seed, seed2, 0}, unseeded_(seed == 0 && seed2 == 0), restarts_seen_(restarts) {
  begin();
  if (noted) [[unlikely]] noted(this, true);
}

void (*RandomState::noted)(RandomState*, bool alive) = nullptr;

RandomState::Position RandomState::position() {
  std::lock_guard lock(mutex_);
  return {stream_, restarts_seen_ != restarts};
}

void RandomState::go_to(const Position& position) {
  std::lock_guard lock(mutex_);
  stream_ = position.stream;
  restarts_seen_ = position.restarts ? restarts - 1 : restarts.load();
}

void RandomState::begin() {
  stream_.skipped = 0;
  if (!unseeded_) return;
  std::random_device device;
  const auto word = [&] { return static_cast<uint64_t>(device()) << 32 | device(); };
  stream_.seed = word();
  stream_.seed2 = word();
}

void RandomState::restart_all() { ++restarts; }

RandomState::Stream RandomState::reserve(uint64_t blocks) {
  std::lock_guard lock(mutex_);
  if (const uint64_t now = restarts; now != restarts_seen_) {
    restarts_seen_ = now;
    begin();
  }
  const Stream now = stream_;
  stream_.skipped += blocks;
  return now;
}

}  // namespace footlight
