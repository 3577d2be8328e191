// Limits how many worker threads compute elements at the same time.
#pragma once

#include "engine/data/run.h"
#include "engine/data/watch.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace footlight::data {

class Permits {
 public:
  explicit Permits(int64_t count) : left_(count) {}

  // Waits for a permit; throws if the run is cancelled meanwhile.
  void take(Run& run) {
    std::unique_lock lock(mutex_);
    if (left_ == 0) {
      const Waiting waiting("its turn");
      run.wait(lock, given_back_, [&] { return left_ > 0; });
    }
    --left_;
  }
  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      ++left_;
    }
    given_back_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int64_t left_;
};
using PermitsPtr = std::shared_ptr<Permits>;

// Holds one of the permits while it lives; without any, it does nothing.
class HeldPermit {
 public:
  HeldPermit(Permits* permits, Run& run) : permits_(permits) {
    if (permits_) permits_->take(run);
  }
  ~HeldPermit() {
    if (permits_) permits_->give_back();
  }
  HeldPermit(const HeldPermit&) = delete;
  HeldPermit& operator=(const HeldPermit&) = delete;

 private:
  Permits* const permits_;
};

}  // namespace footlight::data
