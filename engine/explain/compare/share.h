// The categories of a run's time. Every moment belongs to the first of them that covers it (sweep.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace footlight::explain {

enum class Share : uint8_t {
  kDeviceKernel,   // a kernel runs on a device
  kDeviceCopy,     // a copy runs on a device
  kHostKernel,     // a kernel runs on the calling thread
  kWaiting,        // for a device or other threads, while none of the above
  kLaunch,         // an API call that launches or copies
  kAllocation,
  kTracing,        // making a trace
  kDispatch,       // in the engine: binding, checks, shapes, executor
  kConversion,     // between Python values and tensors
  kPython,         // outside of the engine
  kRecording,      // the recorder's own work
  kUnexplained,    // nothing is known
};
constexpr size_t kShares = 12;
const char* name_of(Share);     // "Python", "dispatch", "kernels", ...
const char* meaning_of(Share);  // "outside of the engine", ...

}  // namespace footlight::explain
