// Shared by cursors that run worker threads: how workers and the consumer wait for each other, and how workers stop.
#pragma once

#include "engine/data/thread_group.h"
#include "engine/data/stage.h"
#include "engine/data/watch.h"

#include <exception>
#include <optional>
#include <utility>

namespace footlight::data {

// Thrown if a dataset has fewer elements than its cardinality said. A window ends there; other consumers fail.
class EndedEarly : public Error {
  using Error::Error;
};

// An element, or the exception thrown in its place.
struct Outcome {
  Element element;
  std::exception_ptr failure;

  // False if the input has ended.
  bool pull(Cursor& input) {
    try {
      return input.next(element);
    } catch (...) {
      failure = std::current_exception();
      return true;
    }
  }
  bool has_ended_early() const {
    if (!failure) return false;
    try {
      std::rethrow_exception(failure);
    } catch (const EndedEarly&) {
      return true;
    } catch (...) {
      return false;
    }
  }
  void give(Element& out) {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));  // the catcher becomes the last owner
    out = std::move(element);
  }
};

// The worker threads of one cursor, which owns this as its last member.
class WorkerQueue {
 public:
  WorkerQueue(RunPtr run, TrackPtr track) : run_(std::move(run)), track_(std::move(track)), threads_(run_) {}
  // Stops the workers and joins them.
  ~WorkerQueue() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_all();
    threads_.join();
  }
  WorkerQueue(const WorkerQueue&) = delete;
  WorkerQueue& operator=(const WorkerQueue&) = delete;

  bool started() const { return threads_.started(); }
  // Each worker calls `turn()` until it returns false. `turn` must not throw.
  template <class Turn>
  void start(int threads, Turn turn) {
    threads_.start(threads, [this, turn]() mutable {
      std::optional<SpanRecorder> recorder;
      if (track_) recorder.emplace(track_);
      for (bool more = true; more;) {
        WorkScope work(recorder ? &*recorder : nullptr);
        more = turn(work);
      }
    });
  }
  // A worker waits until ready(). False if it must stop. Lock held.
  template <class Ready>
  bool wait_for_room(std::unique_lock<std::mutex>& lock, Ready ready) {
    const Waiting waiting("room");
    try {
      run_->wait(lock, room_, [&] { return stop_ || (!paused_ && ready()); });
    } catch (...) {
      stop_ = true;
    }
    return !stop_;
  }
  // The consumer waits until ready(). Lock held.
  template <class Ready>
  void wait_for_elements(std::unique_lock<std::mutex>& lock, Ready ready) {
    const Waiting waiting("its threads");
    run_->wait(lock, filled_, ready);
  }
  // The consumer runs `work()` while all workers are paused, which they are when `idle()`.
  template <class Idle, class Work>
  void run_while_paused(Idle idle, Work work) {
    std::unique_lock lock(mutex_);
    paused_ = true;
    std::exception_ptr failure;
    try {
      run_->wait(lock, filled_, idle);
      lock.unlock();
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    if (!lock) lock.lock();
    paused_ = false;
    lock.unlock();
    room_.notify_all();
    if (failure) std::rethrow_exception(failure);
  }
  // Records the length of the queue.
  void record_length(size_t elements) const {
    if (track_) [[unlikely]] track_->record_length(elements);
  }

  std::mutex& mutex() { return mutex_; }
  std::condition_variable& room() { return room_; }
  std::condition_variable& filled() { return filled_; }
  Run& run() const { return *run_; }

 private:
  const RunPtr run_;
  const TrackPtr track_;
  std::mutex mutex_;
  std::condition_variable filled_, room_;
  bool stop_ = false, paused_ = false;
  ThreadGroup threads_;
};

}  // namespace footlight::data
