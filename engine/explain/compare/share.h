// The categories of a run's time. Every moment belongs to the first of them that covers it (sweep.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace footlight::explain {

enum class Share : uint8_t {
  kDeviceKernel,   // a kernel runs on a device
  kDeviceCopy,     // a copy runs on a device
  kMachineCode,    // code of the machine is made for ops that run together
  kHostKernel,     // a kernel runs on the calling thread
  kWaiting,        // for the device, while none of the above
  kLaunch,         // an API call that launches or copies
  kAllocation,
  kTracing,        // making a trace
  kInput,          // an element of a pipeline is made or waited for
  kGuards,         // another engine looks for the trace that serves a call
  kDispatch,       // in the engine: binding, checks, shapes, executor
  kConversion,     // between Python values and tensors
  kPython,         // outside of the engine
  kRecording,      // the recorder's own work: no part of what a call takes
  kUnexplained,    // nothing is known
};
constexpr size_t kShares = 15;
const char* name_of(Share);     // "Python", "dispatch", "kernels", ...
const char* meaning_of(Share);  // "outside of the engine", ...

}  // namespace footlight::explain
