// Why there is no device to use, in words, from what the CUDA runtime answered. Knows no CUDA: tested on the host.
#pragma once

#include <string>

namespace footlight::cuda {

struct Answer {
  int result = 0;          // of cudaGetDeviceCount
  const char* text = "";   // of the result, as the runtime says it
  int driver = 0;          // cudaDriverGetVersion: 13000 for 13.0; 0: no driver
  int runtime = 0;         // what this was built with
  int devices = 0;
  const char* visible = nullptr;  // CUDA_VISIBLE_DEVICES, when it is set
};
inline constexpr int kInsufficientDriver = 35, kNoDevice = 100;

// Empty when there is a device.
std::string refusal_in_words(const Answer&);

}  // namespace footlight::cuda
