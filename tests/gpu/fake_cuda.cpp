// A libcuda.so.1 without a GPU, with what the recorder calls: found by LD_LIBRARY_PATH. $FAKE_CUDA_INIT is what
// cuInit returns (34: a stub library), $FAKE_CUDA_DEVICES the number of devices.
#include <cstdlib>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {
int number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}
}  // namespace

FAKE int cuInit(unsigned) {
  const int result = number("FAKE_CUDA_INIT", 0);
  if (result == 0 && number("FAKE_CUDA_DEVICES", 1) > 0) setenv("FAKE_CUDA_STARTED", "1", 1);  // read by fake_cupti.cpp
  return result;
}

FAKE int cuDeviceGetCount(int* count) {
  *count = number("FAKE_CUDA_DEVICES", 1);
  return 0;
}
