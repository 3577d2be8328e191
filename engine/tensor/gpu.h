// The GPUs of this machine, or the reason why there are none. The CUDA part is a separate library, opened
// on first use; a program that never uses it needs neither it nor a driver.
//
// Nothing here may be called in a process that forks afterwards and uses the GPU in the child: CUDA does not
// survive a fork.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>
#include <vector>

namespace footlight::gpu {

struct Info {
  std::string name;       // "NVIDIA H200"
  int major = 0, minor = 0;  // compute capability
  size_t memory = 0;      // bytes
};

int count();                     // 0 if the machine has none
const std::string& why_not();    // why count() is 0; empty when it is not
const Info& info(int index);
// One line for people and session files: "NVIDIA H200 (compute capability 9.0, 139.8 GiB)" or "none: no CUDA
// driver ...".
std::string in_words();
bool exists(Device);             // the host always does

// The same value on that device; the same handle if it is already there. Throws kInvalidArgument, with a reason, if
// there is no such device or the value cannot be placed there (strings, resources).
Tensor copy_to(const Tensor&, Device);
// A value whose elements are about to be read on the host.
inline Tensor on_host(const Tensor& t) { return t.device() == Device::cpu() ? t : copy_to(t, Device::cpu()); }
// Waits for all work started on any GPU; opens nothing itself.
void synchronize();

// Resolves tf.device: the requested device if possible, else the host, which is reported once per process on stderr.
Device soft(Device wish);

// The interface of the CUDA library. It registers its allocators, kernels and DeviceAccess itself.
struct Backend {
  std::vector<Info> devices;
  std::string why_not;
  Tensor (*copy)(const Tensor&, Device) = nullptr;
  void (*synchronize)() = nullptr;
  bool simulated = false;                // there is no device: a rehearsal
};
// The library's only symbol: fills in `backend`, whose size tells whether the two were built together.
inline constexpr const char* kOpenSymbol = "footlight_cuda_open";
using OpenFunction = bool (*)(size_t backend_size, Backend* backend);

}  // namespace footlight::gpu
