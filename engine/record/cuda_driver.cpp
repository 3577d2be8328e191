// Asks libcuda whether it works, through two of its functions.
#include "engine/record/cuda_driver.h"

#include <dlfcn.h>

#include <cstdlib>

namespace footlight::cupti {
namespace {

// The values of CUresult that get a message of their own.
constexpr int kDriverSuccess = 0, kDriverIsStub = 34, kDriverHasNoDevice = 100;

std::string no_device() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible ? std::string("the CUDA driver shows no device (CUDA_VISIBLE_DEVICES is \"") + visible + "\")"
                 : "the CUDA driver finds no device";
}

}  // namespace

std::string why_no_driver(const std::string& library) {
  // Never closed: a driver stays loaded for the life of the process.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return "no CUDA driver is installed (" + library + " was not found)";
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(handle, "cuInit"));
  const auto count_devices = reinterpret_cast<int (*)(int*)>(dlsym(handle, "cuDeviceGetCount"));
  if (!init || !count_devices) return library + " is not a CUDA driver";
  int result = init(0), count = 0;
  if (result == kDriverSuccess) result = count_devices(&count);
  switch (result) {
    case kDriverSuccess: return count > 0 ? "" : no_device();
    case kDriverHasNoDevice: return no_device();
    case kDriverIsStub:
      return library + " is the stub that programs are linked with, not a CUDA driver; take its folder out of "
             "LD_LIBRARY_PATH";
    default: return "the CUDA driver could not be started (CUDA error " + std::to_string(result) + ")";
  }
}

}  // namespace footlight::cupti
