// The pointers behind the device hooks and the open devices, and the announcement of the first device.
#include "engine/base/device_hooks.h"

#include "engine/base/device_pause.h"

namespace footlight {

std::atomic<void (*)(bool)> pause_device_recording{nullptr};
std::atomic<void (*)()> deliver_device_recording{nullptr};
std::atomic<const DeviceHooks*> device_hooks{nullptr};
std::atomic<const OpenDevices*> open_devices{nullptr};
constinit thread_local CallId this_thread_call{};

namespace {
std::atomic<void (*)()> listener{nullptr};
std::atomic<bool> announced{false};
}  // namespace

void announce_devices() {
  announced.store(true);
  if (auto* const call = listener.load()) call();
}

bool on_devices_announced(void (*wanted)()) {
  listener.store(wanted);
  return !announced.load();
}

}  // namespace footlight
