// Who caused what a GPU does: the recorder of device activity installs the hooks, code that launches device work
// brackets it with a DeviceWork. With nobody recording, a bracket is one load and one branch.
#pragma once

#include "engine/base/recording.h"

#include <atomic>
#include <cstdint>

namespace footlight {

struct DeviceHooks {
  // All device work of this thread belongs to that op event and, when `call` is valid, to that traced call.
  void (*begin)(uint64_t op_event, CallId call);
  void (*end)(bool had_call);
};
extern std::atomic<const DeviceHooks*> device_hooks;  // null: nobody records the device

// The traced call this thread is running; whoever runs calls keeps it.
inline constinit thread_local CallId this_thread_call{};

// How a device record names the op event that caused it: the thread of the event's ring and the event's `launch`.
inline uint64_t op_event_key(uint32_t thread_number, uint32_t launch) {
  return uint64_t{thread_number} << 32 | launch;
}

class DeviceWork {
 public:
  DeviceWork() : hooks_(device_hooks.load(std::memory_order_acquire)) {
    if (!hooks_) return;
    EventRing* ring = this_thread_ring;
    if (!ring) ring = make_ring_of_this_thread();
    // Several pieces of work of one op (a copy in, the kernel, a copy out) share one number until its event is recorded.
    if (!this_thread_launch) this_thread_launch = ++last_launch;
    has_call_ = this_thread_call.valid();
    hooks_->begin(op_event_key(ring->thread_number(), this_thread_launch), this_thread_call);
  }
  ~DeviceWork() {
    if (hooks_) hooks_->end(has_call_);
  }
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

 private:
  static inline constinit thread_local uint32_t last_launch = 0;
  const DeviceHooks* hooks_;
  bool has_call_ = false;
};

}  // namespace footlight
