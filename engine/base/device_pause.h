// For repetitions of a call: pauses the recording of device activity, as some are timed without any, and waits until
// what was recorded has been delivered.
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
