// What a program that runs its steps side by side needs of the thread pool: how many steps may run, whether this thread
// is one of the pool's, and how much of its time went into loops that all threads share.
#pragma once

#include <cstdint>

namespace footlight {

// How many steps may run at the same time: at most as many as the pool has threads. 1: steps run one by one.
int max_parallel_steps();
// 0: as many as the pool has threads.
void set_max_parallel_steps(int);

// Whether the thread runs a range of a loop: further loops then run on this thread alone.
bool inside_pool_loop();

// Adds up the time that this thread's loops take on the pool, while the scope lives.
class PoolTime {
 public:
  PoolTime();
  ~PoolTime();
  PoolTime(const PoolTime&) = delete;
  PoolTime& operator=(const PoolTime&) = delete;
  int64_t ns() const { return ns_; }

 private:
  int64_t ns_ = 0;
  int64_t* const before_;
};

}  // namespace footlight
