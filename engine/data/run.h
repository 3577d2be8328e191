// One iteration over a pipeline: what all of its cursors share. It is cancelled as a whole; whoever waits inside of it
// lets the front end go on and notices cancellation, interrupts and forks.
#pragma once

#include "engine/data/hooks.h"
#include "engine/tensor/tensor.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace footlight::data {

class StageTrack;

// While one lives, this thread does not hold the front end's lock.
class OutsideFrontEnd {
 public:
  OutsideFrontEnd() : state_(hooks.leave_front_end ? hooks.leave_front_end() : nullptr) {}
  ~OutsideFrontEnd() {
    if (state_) hooks.enter_front_end(state_);
  }
  OutsideFrontEnd(const OutsideFrontEnd&) = delete;
  OutsideFrontEnd& operator=(const OutsideFrontEnd&) = delete;
  void check_interrupts();

 private:
  void* state_;
};

// Locks a mutex that another thread may hold while it waits for the front end's lock.
std::unique_lock<std::mutex> lock_outside(std::mutex&);

// What tf.data.Options say that cursors look at.
struct RunOptions {
  std::optional<bool> deterministic;
  bool separate_batch = false;  // a batch above a map is a stage of its own
};

class Run {
 public:
  Run();
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // A saved iterator may lack state that functions of elements depend on.
  void allow_any_state() { any_state_ = true; }
  bool any_state() const { return any_state_; }
  // In a child of fork(): its threads stayed in the parent.
  bool left_behind() const;
  // Throws if the iteration was cancelled, or the whole program was told to stop.
  void check() const;

  // Waits until `ready()`, which is called with the lock held. `changed` is notified when it may have changed.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Ready ready) {
    while (!ready()) wait_a_little(lock, changed);
  }

  // What an iteration keeps beside a function of elements; `make()` gives it at its first use.
  template <class Make>
  Tensor kept(const void* function, Make make) {
    const std::lock_guard lock(kept_mutex_);
    const auto [at, fresh] = kept_.try_emplace(function);
    if (fresh) at->second = make();
    return at->second;
  }

  // The tracks of a recording, by name; they live as long as the iteration.
  template <class Make>
  std::shared_ptr<StageTrack> track(const std::string& name, Make make) {
    const std::lock_guard lock(kept_mutex_);
    std::shared_ptr<StageTrack>& found = tracks_[name];
    if (!found) found = make();
    return found;
  }

 private:
  void wait_a_little(std::unique_lock<std::mutex>& lock, std::condition_variable& changed);
  std::atomic<bool> cancelled_{false};
  bool any_state_ = false;
  const uint32_t process_;
  std::mutex kept_mutex_;
  std::unordered_map<const void*, Tensor> kept_;
  std::unordered_map<std::string, std::shared_ptr<StageTrack>> tracks_;
};
using RunPtr = std::shared_ptr<Run>;

// The program ends: cancels every iteration; returns when none of their threads runs any more, or after a while. No
// new one can start.
void end_all_runs();
// Whether end_all_runs() was called.
bool runs_have_ended();

}  // namespace footlight::data
