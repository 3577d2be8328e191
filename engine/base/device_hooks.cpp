// The one pointer behind the device hooks.
#include "engine/base/device_hooks.h"

namespace footlight {

std::atomic<const DeviceHooks*> device_hooks{nullptr};

}  // namespace footlight
