// One iteration over a pipeline, shared by its cursors. It is cancelled as a whole. A thread that waits in it releases
// the front end's lock and notices cancellation, interrupts and forks.
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

// While it lives, this thread does not hold the front end's lock.
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

// The fields of tf.data.Options that cursors read.
struct RunOptions {
  std::optional<bool> deterministic;
  bool separate_batch = false;  // whether a batch above a map is a separate stage
};

class Run {
 public:
  Run();
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Lets iterators be saved without state on which element functions depend.
  void allow_any_state() { any_state_ = true; }
  bool any_state() const { return any_state_; }
  // True in a child of fork(): the iteration's threads stayed in the parent.
  bool left_behind() const;
  // Throws if the iteration was cancelled or the program was told to stop.
  void check() const;

  // Waits until `ready()`, which is called with the lock held. Notify `changed` when its result may have changed.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Ready ready) {
    while (!ready()) wait_a_little(lock, changed);
  }

  // The value that an iteration keeps for an element function; `make()` creates it at its first use.
  template <class Make>
  Tensor kept(const void* function, Make make) {
    const std::lock_guard lock(kept_mutex_);
    const auto [at, fresh] = kept_.try_emplace(function);
    if (fresh) at->second = make();
    return at->second;
  }

  // Tracks of a recording by name; they live as long as the iteration.
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

// Called when the program ends: cancels all iterations and returns when none of their threads runs any more, or after a
// while. No new iteration can start.
void end_all_runs();
// Whether end_all_runs() was called.
bool runs_have_ended();

}  // namespace footlight::data
