// Opens the CUDA library on demand and forwards to it.
#include "engine/tensor/gpu.h"

#include "engine/base/device_hooks.h"
#include "engine/base/text.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace footlight::gpu {
namespace {

// $FOOTLIGHT_CUDA_PART, or the library next to the one that contains this code.
std::string library_path() {
  if (const char* chosen = std::getenv("FOOTLIGHT_CUDA_PART"); chosen && *chosen) return chosen;
  Dl_info here{};
  std::string path = dladdr(reinterpret_cast<const void*>(&count), &here) && here.dli_fname ? here.dli_fname : "";
  const size_t slash = path.rfind('/');
  path.resize(slash == std::string::npos ? 0 : slash + 1);
  return path + "libfootlight-cuda.so";
}

Backend load() {
  Backend backend;
  const std::string path = library_path();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* words = dlerror();
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file) std::fclose(file);
    backend.why_not = file ? str("the CUDA part does not load: ", words ? words : path)
                           : std::string("this Footlight was built without its CUDA part");
    return backend;
  }
  const auto open = reinterpret_cast<OpenFunction>(dlsym(handle, kOpenSymbol));
  announce_devices();
  if (!open || !open(sizeof(Backend), &backend)) {
    backend = {};
    backend.why_not = str("the CUDA part ", path, " belongs to another version of Footlight");
  }
  if (backend.devices.empty() && backend.why_not.empty()) backend.why_not = "the CUDA driver finds no device";
  return backend;
}

// Tells code that records or waits for devices, and knows nothing of tensors.
void tell(const Backend& backend) {
  if (backend.devices.empty()) return;
  auto* const open = new OpenDevices{{}, backend.synchronize, backend.simulated};
  for (size_t i = 0; i < backend.devices.size(); ++i)
    open->names.push_back(
        {str("/gpu:", i), str(backend.devices[i].name, ", ", backend.devices[i].memory >> 30, " GiB",
                              backend.simulated ? ", simulated" : "")});
  open_devices.store(open, std::memory_order_release);
}

const Backend& backend() {
  static const Backend* const loaded = [] {
    auto* const made = new Backend(load());  // outlives every static tensor
    tell(*made);
    return made;
  }();
  return *loaded;
}

[[noreturn]] void no_such_device(Device device) {
  const int there = count();
  fail(ErrorKind::kInvalidArgument, full_name(device), " is not there: ",
       there == 0 ? why_not()
                  : str("this machine has ", there,
                        there == 1 ? " GPU, number 0" : str(" GPUs, numbers 0 to ", there - 1)));
}

}  // namespace

int count() { return static_cast<int>(backend().devices.size()); }

const std::string& why_not() { return backend().why_not; }

const Info& info(int index) {
  if (index < 0 || index >= count()) no_such_device(Device::gpu(static_cast<uint8_t>(index)));
  return backend().devices[static_cast<size_t>(index)];
}

std::string in_words() {
  if (count() == 0) return "none: " + why_not();
  std::string words;
  for (const Info& d : backend().devices) {
    char memory[32];
    std::snprintf(memory, sizeof memory, "%.1f", static_cast<double>(d.memory) / (1 << 30));
    words += str(words.empty() ? "" : ", ", d.name, " (compute capability ", d.major, ".", d.minor, ", ",
                 memory, " GiB)");
  }
  return words;
}

bool exists(Device device) {
  return device.type == DeviceType::kCpu ? device.index == 0 : int{device.index} < count();
}

Tensor copy_to(const Tensor& tensor, Device device) {
  if (tensor.device() == device) return tensor;
  if (!exists(device)) no_such_device(device);
  if (!is_plain(tensor.dtype()))
    fail(ErrorKind::kInvalidArgument, "a ", name_of(tensor.dtype()), " tensor cannot be on ", full_name(device),
         ": only numbers and bools can");
  return backend().copy(tensor, device);
}

void synchronize() {
  if (const OpenDevices* open = open_devices.load(std::memory_order_acquire)) open->synchronize();
}

Device soft(Device wish) {
  if (exists(wish)) return wish;
  static std::once_flag said;
  std::call_once(said, [&] {
    const std::string why =
        count() == 0 ? why_not() : str("this machine has ", count(), count() == 1 ? " GPU" : " GPUs");
    std::fprintf(stderr, "Footlight: %s was asked for and is not there: %s. Its ops run on the CPU.\n",
                 full_name(wish).c_str() + sizeof("/job:localhost/replica:0/task:0") - 1, why.c_str());
  });
  return Device::cpu();
}

}  // namespace footlight::gpu
