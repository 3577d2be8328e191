// Functions through which higher layers steer this one and all others: those of the recorder, and those of the front
// end, the language whose program the engine runs. All are null where nobody has installed them.
#pragma once

#include "engine/base/ids.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace footlight {

// Called by the thread that starts work for a device, around that work.
struct DeviceHooks {
  // All device work of this thread belongs to that op event and, when `call` is valid, to that traced call.
  void (*begin)(uint64_t op_event, CallId call);
  void (*end)(bool had_call);
};

// engine/record installs these when a recording starts and clears them when it ends, while other threads may call them.
struct RecorderHooks {
  // Called from an emitting thread when a ring fills up: it must be quick and must not throw. By recorder.cpp.
  std::atomic<void (*)()> ring_filling{nullptr};
  // Called just before the program opens its first device (announce_devices). By recorder.cpp.
  std::atomic<void (*)()> devices_announced{nullptr};
  // Called by DeviceWork (device_hooks.h). cupti_recorder.cpp installs this and the next two.
  std::atomic<const DeviceHooks*> device_work{nullptr};
  // Called by a repetition of a call that is timed without a recording of devices: in pairs, true and then false.
  std::atomic<void (*)(bool paused)> pause_devices{nullptr};
  // Called after such repetitions: returns once all that finished work did is with the session's writer.
  std::atomic<void (*)()> deliver_devices{nullptr};
};
extern RecorderHooks recorder_hooks;

// Where an eager op was called.
struct OpPlaces {
  SourceRef source;  // the innermost line, which may be of a library
  SourceRef caller;  // the innermost line of the user's own code, where that is another; else none
};

// The package `footlight_recorder` installs these once, when Python loads it (python/recorder/code_objects.cpp): it
// works without the engine.
struct FrontEndHooks {
  // Called for each recorded event: where the user's program stands.
  SourceRef (*source)() = nullptr;
  // Called for each recorded eager op.
  OpPlaces (*op_places)() = nullptr;
  // Called for each recorded call: as `source`, but not inside of a library that calls for the program.
  SourceRef (*caller)() = nullptr;
  // Called for each node of a graph that is recorded: fills `frames` with this thread's positions in the user's code,
  // the innermost first, and returns how many there are; that may be more than fit.
  size_t (*stack)(std::span<SourceRef> frames) = nullptr;
};
extern FrontEndHooks front_end_hooks;

}  // namespace footlight
