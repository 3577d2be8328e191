// Why there is no usable device, as text, from what the CUDA runtime returned. No CUDA here: tested on the host.
#pragma once

#include <string>

namespace footlight::cuda {

struct Answer {
  int result = 0;          // result of cudaGetDeviceCount
  const char* text = "";   // the runtime's text for the result
  int driver = 0;          // cudaDriverGetVersion: 13000 for 13.0; 0: no driver
  int runtime = 0;         // the version this was built with
  int devices = 0;
  const char* visible = nullptr;  // CUDA_VISIBLE_DEVICES, when it is set
};
inline constexpr int kInsufficientDriver = 35, kNoDevice = 100;

// Empty when there is a device.
std::string refusal_in_words(const Answer&);

}  // namespace footlight::cuda
