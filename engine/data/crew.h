// The threads of one cursor.
#pragma once

#include "engine/data/run.h"

#include <functional>
#include <thread>
#include <vector>

namespace footlight::data {

class Crew {
 public:
  explicit Crew(RunPtr run) : run_(std::move(run)) {}
  // Waits for its threads; whoever owns it has told them to stop.
  ~Crew() { join(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  bool started() const { return !threads_.empty(); }
  // `work` must let no exception out.
  void start(int threads, const std::function<void()>& work);
  void join();

 private:
  RunPtr run_;
  std::vector<std::thread> threads_;
};

// Threads of all crews that have not ended.
int threads_at_work();
// The number that AUTOTUNE stands for.
int automatic_threads();

}  // namespace footlight::data
