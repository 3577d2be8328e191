// Schedules the tasks of a section for the threads that run them: a task is ready once its predecessors have run, and
// the one with the longest remaining path comes first.
#pragma once

#include "engine/compile/parallel_schedule.h"
#include "engine/runtime/executor.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace footlight::runtime {

class TaskQueue {
 public:
  explicit TaskQueue(const compile::Section& section) : section_(section) {
    for (const compile::Task& task : section.tasks) predecessors_left_.push_back(task.num_predecessors);
    for (const compile::Section::Shared& value : section.shared) readers_.push_back(value.readers);
    for (uint32_t t = 0; t < predecessors_left_.size(); ++t)
      if (!predecessors_left_[t]) push(t);
  }

  // Runs tasks until all are done. One thread alone suffices; others may join. `run(task)` does not throw;
  // `release(slot)` is called once all tasks that read the slot have run.
  template <class Run, class Release>
  void work(Run&& run, Release&& release) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (!ready_.empty()) {
        const compile::Task& task = pop();
        ++running_;
        lock.unlock();
        run(task);
        lock.lock();
        --running_;
        finish(task, release);
      } else if (running_) {
        wait(lock);
      } else {
        return;
      }
    }
  }

  // False for steps after the first failing one in program order. Earlier ones still run, because the user sees the
  // failure of the earliest.
  bool should_run(uint32_t step) const { return step < failed_at_.load(std::memory_order_relaxed); }
  // Called inside of the handler that caught the exception.
  void set_failed(uint32_t step, Failure failure) {
    const std::lock_guard lock(mutex_);
    if (!should_run(step)) return;
    failed_at_.store(step, std::memory_order_relaxed);
    error_ = std::current_exception();
    failure_ = std::move(failure);
  }
  // Called after all tasks: the error of the step that failed, if any.
  const std::exception_ptr& error() const { return error_; }
  Failure take_failure() { return std::move(failure_); }

 private:
  static constexpr int kMaxSpins = 2000;  // takes about as long as falling asleep and being woken

  bool shorter(uint32_t a, uint32_t b) const { return section_.tasks[a].critical_ns < section_.tasks[b].critical_ns; }
  void push(uint32_t task) {
    ready_.push_back(task);
    std::ranges::push_heap(ready_, [this](uint32_t a, uint32_t b) { return shorter(a, b); });
  }
  const compile::Task& pop() {
    std::ranges::pop_heap(ready_, [this](uint32_t a, uint32_t b) { return shorter(a, b); });
    const compile::Task& task = section_.tasks[ready_.back()];
    ready_.pop_back();
    return task;
  }

  template <class Release>
  void finish(const compile::Task& task, Release&& release) {
    for (const uint32_t value : task.shared)
      if (--readers_[value] == 0) release(section_.shared[value].slot);
    size_t now_ready = 0;
    for (const uint32_t next : task.successors) {
      if (--predecessors_left_[next]) continue;
      push(next);
      ++now_ready;
    }
    const bool all_done = !running_ && ready_.empty();
    if (now_ready < 2 && !all_done) return;  // this thread runs the one task itself
    wake_ups_.fetch_add(1, std::memory_order_relaxed);
    wake_.notify_all();
  }

  void wait(std::unique_lock<std::mutex>& lock) {
    const uint32_t before = wake_ups_.load(std::memory_order_relaxed);
    const auto changed = [&] { return wake_ups_.load(std::memory_order_relaxed) != before; };
    lock.unlock();
    for (int i = 0; i < kMaxSpins && !changed(); ++i) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    lock.lock();
    wake_.wait(lock, changed);
  }

  const compile::Section& section_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<uint32_t> predecessors_left_;  // of each task
  std::vector<uint32_t> readers_;            // of each shared value, those that have not run
  std::vector<uint32_t> ready_;              // a heap of tasks
  uint32_t running_ = 0;
  std::atomic<uint32_t> wake_ups_{0};  // grows when a waiting thread has work, and at the end
  std::atomic<uint32_t> failed_at_{UINT32_MAX};
  std::exception_ptr error_;
  Failure failure_;
};

}  // namespace footlight::runtime
