// Devices by number and by TensorFlow's names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace footlight {

enum class DeviceType : uint8_t { kCpu, kGpu };

struct Device {
  DeviceType type = DeviceType::kCpu;
  uint8_t index = 0;
  static constexpr Device cpu() { return {}; }
  static constexpr Device gpu(uint8_t index) { return {DeviceType::kGpu, index}; }
  friend constexpr bool operator==(Device, Device) = default;
};

// "/job:localhost/replica:0/task:0/device:CPU:0"
std::string full_name(Device);
// Accepts "/gpu:0", "GPU:0", "/device:GPU:0", "/CPU:0", full names, ""; throws kValue for anything else.
Device parse_device(std::string_view);
// The name of a device inside of the scope of another, as nodes of graphs have it: "/job:a" and "cpu:0" give
// "/job:a/device:CPU:0". Both are names that parse_device accepts.
std::string merged_device(std::string_view around, std::string_view within);

}  // namespace footlight
