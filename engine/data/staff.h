// What cursors with threads of their own share: the results that wait to be taken, and the end of the threads.
#pragma once

#include "engine/data/crew.h"
#include "engine/data/stage.h"
#include "engine/data/watch.h"

#include <exception>
#include <optional>
#include <utility>

namespace footlight::data {

// A dataset that ended with fewer elements than it is said to have: a window ends there, all else fails.
class EndedEarly : public Error {
  using Error::Error;
};

// An element, or why there is none.
struct Outcome {
  Element element;
  std::exception_ptr failure;

  // False: the input has ended.
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
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));  // its last owner is who catches it
    out = std::move(element);
  }
};

// The threads of one cursor, which it owns as its last member, and how they wait for room.
class Staff {
 public:
  Staff(RunPtr run, TrackPtr track) : run_(std::move(run)), track_(std::move(track)), crew_(run_) {}
  // Tells them to stop, and waits until they have.
  ~Staff() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_all();
    crew_.join();
  }
  Staff(const Staff&) = delete;
  Staff& operator=(const Staff&) = delete;

  bool started() const { return crew_.started(); }
  // `turn()` does one piece of work; false: there is nothing to be done any more. It lets no exception out.
  template <class Turn>
  void start(int threads, Turn turn) {
    crew_.start(threads, [this, turn]() mutable {
      std::optional<Doer> doer;
      if (track_) doer.emplace(track_);
      for (bool more = true; more;) {
        AtWork at_work(doer ? &*doer : nullptr);
        more = turn(at_work);
      }
    });
  }
  // Of a thread of the staff: until `ready()`; false: it shall stop. With the lock held.
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
  // Of who takes the elements: until `ready()`. With the lock held.
  template <class Ready>
  void wait_for_elements(std::unique_lock<std::mutex>& lock, Ready ready) {
    const Waiting waiting("its threads");
    run_->wait(lock, filled_, ready);
  }
  // Of who takes the elements: `work()`, while all threads wait for room, which is when `idle()`.
  template <class Idle, class Work>
  void at_rest(Idle idle, Work work) {
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
  // A queue is this long now.
  void queue(size_t elements) const {
    if (track_) [[unlikely]] track_->queue(elements);
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
  Crew crew_;
};

}  // namespace footlight::data
