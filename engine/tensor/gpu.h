// The GPUs of this machine, or in words why there are none. The CUDA part is a library of its own, opened
// when somebody asks for the first time; a program that never does needs neither it nor a driver.
//
// Nothing here may be called in a process that forks afterwards and wants the GPU in the child: CUDA does not
// survive it.
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

int count();                     // 0 where there is none
const std::string& why_not();    // why count() is 0; empty when it is not
const Info& info(int index);
// One line for people and session files: "NVIDIA H200 (compute capability 9.0, 139.8 GiB)" or "none: no CUDA
// driver ...".
std::string in_words();
bool exists(Device);             // the host always does

// The same value there; the very handle when it is there already. Throws kInvalidArgument, in words, when
// there is no such device or the value cannot live there (strings, resources).
Tensor copy_to(const Tensor&, Device);
// A value whose elements are about to be read on the host.
inline Tensor on_host(const Tensor& t) { return t.device() == Device::cpu() ? t : copy_to(t, Device::cpu()); }
// Waits for all work that was started on any GPU; opens nothing itself.
void synchronize();

// What tf.device gives: the wish where it can be fulfilled, else the host, which is said once per process on stderr.
Device soft(Device wish);

// What the CUDA part brings. It registers its allocators, kernels and DeviceAccess itself.
struct Backend {
  std::vector<Info> devices;
  std::string why_not;
  Tensor (*copy)(const Tensor&, Device) = nullptr;
  void (*synchronize)() = nullptr;
};
// The one symbol of the library: fills in `backend`, whose size says whether the two were built together.
inline constexpr const char* kOpenSymbol = "footlight_cuda_open";
using OpenFunction = bool (*)(size_t backend_size, Backend* backend);

}  // namespace footlight::gpu
