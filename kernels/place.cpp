// Decides where an op runs, and copies its inputs there.
#include "kernels/place.h"

namespace footlight {
namespace {

// Views touch no elements, so the host's kernel serves every device.
Kernel kernel_on(Device device, const OpRow& row, DType by) {
  if (row.host_only) return nullptr;
  const bool view = (row.alias == Alias::kSame || row.alias == Alias::kView) && is_plain(by);
  return kernel_for(view ? DeviceType::kCpu : device.type, row.id, by);
}

Device wanted_device(const OpRow& row, std::span<const Tensor> inputs, const Device* asked) {
  if (asked) return *asked;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (on_device(inputs[i]) && !row.is_host_input(i)) return inputs[i].device();
  return Device::cpu();
}

}  // namespace

Placement place_of(const OpRow& row, std::span<const Tensor> inputs, DType by, const Device* asked) {
  if (const Device device = wanted_device(row, inputs, asked); device.type != DeviceType::kCpu)
    if (const Kernel kernel = kernel_on(device, row, by)) return {device, kernel};
  return {Device::cpu(), kernel_for(DeviceType::kCpu, row.id, by)};
}

bool move_inputs(const OpRow& row, std::span<const Tensor> inputs, Device device, std::vector<Tensor>& moved) {
  const auto goes_to = [&](size_t i) { return row.is_host_input(i) ? Device::cpu() : device; };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i] || inputs[i].device() == goes_to(i) || !is_plain(inputs[i].dtype())) continue;
    if (moved.empty()) moved.assign(inputs.begin(), inputs.end());
    moved[i] = device_access.copy(inputs[i], goes_to(i));
  }
  return !moved.empty();
}

}  // namespace footlight
