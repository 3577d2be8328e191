// Pauses the recording of device activity: for repetitions of a call that are timed without any.
#pragma once

#include <atomic>

namespace footlight {

// Set by what records devices; null: nothing does. Its calls come in pairs, true and then false.
extern std::atomic<void (*)(bool paused)> pause_device_recording;

class DevicesUnrecorded {
 public:
  explicit DevicesUnrecorded(bool paused) : pause_(paused ? pause_device_recording.load() : nullptr) {
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
