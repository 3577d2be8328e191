// Which op caused which GPU work: the recorder of device activity installs the hooks, code that launches device work
// wraps it in a DeviceWork. Without a recording, that costs one load and one branch.
#pragma once

#include "engine/base/activity.h"
#include "engine/base/hooks.h"
#include "engine/base/recording.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace footlight {

// The devices that the program uses; null until it first asks for them, or if the machine has none.
struct OpenDevices {
  struct Name { std::string name, description; };  // "/gpu:0", "NVIDIA H200, 139 GiB"; number 1 in OpEvent::device
  std::vector<Name> names;
  void (*synchronize)();  // waits for all work started on them
  bool simulated = false; // a rehearsal without a device
};
extern std::atomic<const OpenDevices*> open_devices;

// Called just before the first device is opened: the last moment at which a recorder of device activity can start. A
// program that uses no device never gets here.
void announce_devices();
// `listener` is called by announce_devices(). False: too late, devices were already announced.
bool on_devices_announced(void (*listener)());

class DeviceWork {
 public:
  // If not `on_device`, the op does no work there, and nothing is recorded.
  explicit DeviceWork(bool on_device = true)
      : hooks_(on_device ? recorder_hooks.device_work.load(std::memory_order_acquire) : nullptr) {
    if (!hooks_) return;
    has_call_ = this_thread.call.valid();
    // Several pieces of work of one op (a copy in, the kernel, a copy out) share the id that its event will have.
    // Ops of a repetition have no events: 0 names none.
    hooks_->begin(this_thread.activity ? 0 : thread_rings().next_op_event(), this_thread.call);
  }
  ~DeviceWork() {
    if (hooks_) hooks_->end(has_call_);
  }
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

 private:
  const DeviceHooks* hooks_;
  bool has_call_ = false;
};

}  // namespace footlight
