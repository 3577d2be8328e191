// For repetitions of a call: pauses the recording of device activity, as some are timed without any, and waits until
// what was recorded has been delivered.
#pragma once

#include <atomic>

namespace footlight {

// Set by what records devices; null: nothing does. Its calls come in pairs, true and then false.
extern std::atomic<void (*)(bool paused)> pause_device_recording;

// Set by what records devices: returns once all that finished work did is with the session's writer.
extern std::atomic<void (*)()> deliver_device_recording;

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
