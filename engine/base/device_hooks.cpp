// Keeps the open devices and announces the first one.
#include "engine/base/device_hooks.h"

namespace footlight {

std::atomic<const OpenDevices*> open_devices{nullptr};

namespace {
std::atomic<bool> announced{false};
}  // namespace

void announce_devices() {
  announced.store(true);
  if (auto* const call = recorder_hooks.devices_announced.load()) call();
}

bool on_devices_announced(void (*wanted)()) {
  recorder_hooks.devices_announced.store(wanted);
  return !announced.load();
}

}  // namespace footlight
