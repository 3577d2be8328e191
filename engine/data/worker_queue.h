// Worker threads that compute elements ahead for a cursor (prefetch, parallel map), and how they and the consumer, who
// calls Cursor::next(), wait for each other. The cursor keeps the queued elements itself, behind mutex().
#pragma once

#include "engine/data/thread_group.h"
#include "engine/data/stage.h"
#include "engine/data/watch.h"

#include <exception>
#include <optional>
#include <utility>

namespace footlight::data {

// Thrown if a dataset has fewer elements than its cardinality said. A stage `window` ends there; all others pass the
// error on.
class EndedEarly : public Error {
  using Error::Error;
};

// What pulling an element gave: the element, or the exception that was thrown in its place.
struct Outcome {
  Element element;
  std::exception_ptr failure;

  // Pulls the next element. False if the input has ended.
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
  // Moves the element to `out`, or throws the exception.
  void give(Element& out) {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));  // the catcher becomes the last owner
    out = std::move(element);
  }
};

// The worker threads of one cursor. It must be the cursor's last member, because its destructor joins threads that
// use the others.
class WorkerQueue {
 public:
  WorkerQueue(RunPtr run, TrackPtr track) : run_(std::move(run)), track_(std::move(track)), threads_(run_) {}
  // Stops the workers and joins them.
  ~WorkerQueue() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_freed_.notify_all();
    threads_.join();
  }
  WorkerQueue(const WorkerQueue&) = delete;
  WorkerQueue& operator=(const WorkerQueue&) = delete;

  bool started() const { return threads_.started(); }
  // Each worker calls run_once(WorkScope&) until it returns false. It must not throw.
  template <class RunOnce>
  void start(int threads, RunOnce run_once) {
    threads_.start(threads, [this, run_once]() mutable {
      std::optional<SpanRecorder> recorder;
      if (track_) recorder.emplace(track_);
      for (bool more = true; more;) {
        WorkScope work(recorder ? &*recorder : nullptr);
        more = run_once(work);
      }
    });
  }
  // A worker waits until ready(), which says that the queue has room. False if it must stop. `lock` holds mutex().
  template <class Ready>
  bool wait_for_room(std::unique_lock<std::mutex>& lock, Ready ready) {
    const Waiting waiting("room");
    try {
      run_->wait(lock, room_freed_, [&] { return stop_ || (!paused_ && ready()); });
    } catch (...) {
      stop_ = true;
    }
    return !stop_;
  }
  // The consumer waits until ready(): there is an element, or none will come. `lock` holds mutex().
  template <class Ready>
  void wait_for_elements(std::unique_lock<std::mutex>& lock, Ready ready) {
    const Waiting waiting("its threads");
    run_->wait(lock, elements_added_, ready);
  }
  // The consumer waits until idle(), which says that no worker computes an element, and calls work() while all of them
  // are paused.
  template <class Idle, class Work>
  void run_while_paused(Idle idle, Work work) {
    std::unique_lock lock(mutex_);
    paused_ = true;
    std::exception_ptr failure;
    try {
      run_->wait(lock, elements_added_, idle);
      lock.unlock();
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    if (!lock) lock.lock();
    paused_ = false;
    lock.unlock();
    room_freed_.notify_all();
    if (failure) std::rethrow_exception(failure);
  }
  // Records the length of the queue, if there is a recording.
  void record_length(size_t elements) const {
    if (track_) [[unlikely]] track_->record_length(elements);
  }

  std::mutex& mutex() { return mutex_; }
  std::condition_variable& room_freed() { return room_freed_; }          // wakes workers
  std::condition_variable& elements_added() { return elements_added_; }  // wakes the consumer; also: none will come
  Run& run() const { return *run_; }

 private:
  const RunPtr run_;
  const TrackPtr track_;
  std::mutex mutex_;
  std::condition_variable room_freed_, elements_added_;
  bool stop_ = false, paused_ = false;
  ThreadGroup threads_;
};

}  // namespace footlight::data
