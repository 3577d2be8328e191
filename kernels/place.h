// Where an op runs: the one decision for eager ops and for those of traced code.
#pragma once

#include "kernels/table.h"

#include <vector>

namespace footlight {

struct Place {
  Device device = Device::cpu();
  Kernel kernel = nullptr;  // null: there is none on the host either
  void* stream() const { return device.type == DeviceType::kCpu ? nullptr : device_access.stream(device); }
};

// On the device that was asked for, else on the one where an input is whose elements the op computes with; on the host
// where the row or the table of kernels has nothing for that device. `by`: the dtype that picks the kernel.
Place place_of(const OpRow&, std::span<const Tensor> inputs, DType by, const Device* asked);

// Copies the inputs that lie elsewhere: those that the row reads on the host there, the others to the device. True when
// something had to move; then `moved` holds all inputs.
bool move_inputs(const OpRow&, std::span<const Tensor> inputs, Device, std::vector<Tensor>& moved);

// A tensor that stands for what another branch would have given may be empty.
inline bool on_device(const Tensor& t) { return t && t.device().type != DeviceType::kCpu; }

inline bool any_on_device(std::span<const Tensor> inputs) {
  for (const Tensor& t : inputs)
    if (on_device(t)) return true;
  return false;
}

}  // namespace footlight
