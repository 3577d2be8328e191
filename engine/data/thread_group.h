// The threads of one cursor.
#pragma once

#include "engine/data/run.h"

#include <functional>
#include <thread>
#include <vector>

namespace footlight::data {

class ThreadGroup {
 public:
  explicit ThreadGroup(RunPtr run) : run_(std::move(run)) {}
  // Joins the threads, which the owner has already told to stop.
  ~ThreadGroup() { join(); }
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  bool started() const { return !threads_.empty(); }
  // `work` must not throw.
  void start(int threads, const std::function<void()>& work);
  void join();

 private:
  RunPtr run_;
  std::vector<std::thread> threads_;
};

// Number of running threads in all groups.
int running_threads();
constexpr int64_t kAutotune = -1;  // tf.data.AUTOTUNE, in place of a number
// The number of threads for AUTOTUNE.
int autotune_threads();

}  // namespace footlight::data
