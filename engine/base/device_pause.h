// Used when a call is repeated: pauses the recording of device activity, because some repetitions are timed without it,
// and waits until all recorded activity has been delivered.
#pragma once

#include "engine/base/hooks.h"

namespace footlight {

class DevicesUnrecorded {
 public:
  explicit DevicesUnrecorded(bool paused) : pause_(paused ? recorder_hooks.pause_devices.load() : nullptr) {
    if (pause_) pause_(true);
  }
  ~DevicesUnrecorded() {
    if (pause_) pause_(false);
  }
  DevicesUnrecorded(const DevicesUnrecorded&) = delete;
  DevicesUnrecorded& operator=(const DevicesUnrecorded&) = delete;

 private:
  void (*const pause_)(bool);
};

}  // namespace footlight
