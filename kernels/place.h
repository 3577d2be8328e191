// Chooses where an op runs, for eager ops and traced code alike.
#pragma once

#include "kernels/table.h"

#include <vector>

namespace footlight {

struct Placement {
  Device device = Device::cpu();
  Kernel kernel = nullptr;  // null: the host has no kernel either
  void* stream() const { return device.type == DeviceType::kCpu ? nullptr : device_access.stream(device); }
};

// Chooses the requested device, else the one that holds an input whose elements the op computes with; the host if the
// row or the table of kernels has nothing for that device. `by`: the dtype that selects the kernel.
Placement place_of(const OpRow&, std::span<const Tensor> inputs, DType by, const Device* asked);

// Copies inputs that are elsewhere: those that the row reads on the host to it, the others to the device. True if
// something had to be copied; then `moved` holds all inputs.
bool move_inputs(const OpRow&, std::span<const Tensor> inputs, Device, std::vector<Tensor>& moved);

// Whether a tensor is on a device. It may be empty if it stands for the output of a branch that did not run.
inline bool on_device(const Tensor& t) { return t && t.device().type != DeviceType::kCpu; }

inline bool any_on_device(std::span<const Tensor> inputs) {
  for (const Tensor& t : inputs)
    if (on_device(t)) return true;
  return false;
}

}  // namespace footlight
