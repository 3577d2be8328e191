// The one pointer behind the device hooks, and the one to the open devices.
#include "engine/base/device_hooks.h"

namespace footlight {

std::atomic<const DeviceHooks*> device_hooks{nullptr};
std::atomic<const OpenDevices*> open_devices{nullptr};

}  // namespace footlight
