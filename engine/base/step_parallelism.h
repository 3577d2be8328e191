// What running steps of a program side by side needs of the thread pool: how many may, whether this thread is one of
// the pool's already, and how much of its time went into loops that all threads share.
#pragma once

#include <cstdint>

namespace footlight {

// How many steps may run at the same time: as many as the pool has threads, or fewer. 1: none beside another.
int max_parallel_steps();
// 0: as many as the pool has threads.
void set_max_parallel_steps(int);

// The thread runs a range of a loop: further loops run in this thread alone.
bool inside_pool_loop();

// In its scope, the time that this thread's loops take on the pool is added up.
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
