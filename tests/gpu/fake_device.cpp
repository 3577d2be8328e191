// A CUDA part without CUDA, for testing everything around it: two "GPUs" whose memory the host can neither
// read nor write at the addresses in tensors, so that code that forgets to copy crashes. Kernels compute
// through a second mapping of the same memory, with the host's own kernels. With $FOOTLIGHT_CUPTI naming the
// fake libcupti, it reports every launch and copy to it, as a driver does to the real one.
#include "engine/base/clock.h"
#include "engine/base/memory_watch.h"
#include "engine/tensor/gpu.h"
#include "kernels/table.h"
#include "tests/gpu/fake_cupti.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

using namespace footlight;

namespace {

constexpr size_t kBytes = size_t{256} << 20;
constexpr int kDevices = 2;

struct Memory {
  char* seen = nullptr;   // the addresses in tensors: no access
  char* shadow = nullptr;
  size_t used = 0;

  Memory() {
    const int file = memfd_create("fake device", 0);
    if (ftruncate(file, kBytes) != 0) std::abort();
    seen = static_cast<char*>(mmap(nullptr, kBytes, PROT_NONE, MAP_SHARED, file, 0));
    shadow = static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    if (seen == MAP_FAILED || shadow == MAP_FAILED) std::abort();
  }
};

Memory& memory() {
  static auto* const m = new Memory;
  return *m;
}

void* shadow_of(const void* seen) { return memory().shadow + (static_cast<const char*>(seen) - memory().seen); }

class FakeAllocator final : public Allocator {
 public:
  explicit FakeAllocator(uint8_t device) : watch_(device) {}
  void* allocate(size_t bytes) override {
    std::lock_guard lock(mutex_);
    bytes = rounded(bytes);
    auto& free = free_[bytes];
    if (free.empty()) {
      if (bytes > kBytes - memory().used)
        fail(ErrorKind::kResourceExhausted, kBytes - memory().used, " bytes are free");
      free.push_back(memory().seen + memory().used);
      memory().used += bytes;
    }
    void* at = free.back();
    free.pop_back();
    watch_.changed(current_ += bytes);
    return at;
  }
  void release(void* at, size_t bytes) override {
    std::lock_guard lock(mutex_);
    bytes = rounded(bytes);
    std::memset(shadow_of(at), 0xDD, bytes);
    free_[bytes].push_back(at);
    watch_.changed(current_ -= bytes);
  }
  MemoryUse use() const override { return {current_, kBytes}; }

 private:
  static size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }
  static inline std::mutex mutex_;  // for the single memory behind all devices
  std::map<size_t, std::vector<void*>> free_;
  std::atomic<size_t> current_{0};
  MemoryWatch watch_;
};

struct Cupti {
  decltype(&fake_launch) launch = nullptr;
  decltype(&fake_copy) copy = nullptr;
  Cupti() {
    const char* path = std::getenv("FOOTLIGHT_CUPTI");
    void* handle = path ? dlopen(path, RTLD_NOW) : nullptr;
    if (!handle) return;
    launch = reinterpret_cast<decltype(launch)>(dlsym(handle, "fake_launch"));
    copy = reinterpret_cast<decltype(copy)>(dlsym(handle, "fake_copy"));
  }
};

const Cupti& cupti() {
  static const Cupti told;
  return told;
}

uint64_t now() { return static_cast<uint64_t>(now_ns()); }

Tensor copy(const Tensor& from, Device to) {
  Tensor out = Tensor::empty(from.dtype(), from.shape(), to);
  const bool up = to.type == DeviceType::kGpu, down = from.device().type == DeviceType::kGpu;
  const uint64_t start = now();
  if (from.bytes())
    std::memcpy(up ? shadow_of(out.raw()) : out.raw(), down ? shadow_of(from.raw()) : from.raw(), from.bytes());
  if (cupti().copy) cupti().copy(up ? 1 : 2, from.bytes(), start, now());
  return out;
}

Tensor as_host(const Tensor& t) { return Tensor::borrow(t.dtype(), t.shape(), shadow_of(t.raw()), nullptr, nullptr); }

void compute(KernelContext& c) {
  std::vector<Tensor> inputs, outputs;
  for (const Tensor& t : c.inputs) {
    FL_CHECK(t.device() == c.device);
    inputs.push_back(as_host(t));
  }
  for (const Tensor& t : c.outputs) {
    FL_CHECK(t.device() == c.device && c.stream);
    outputs.push_back(as_host(t));
  }
  KernelContext on_host{c.row, c.attrs, inputs, outputs};
  const uint64_t start = now();
  kernel_for(DeviceType::kCpu, c.row.id, dispatch_dtype(c.row, inputs, {}))(on_host);
  if (cupti().launch) cupti().launch(c.row.name, start, now());
}

FakeAllocator allocators[kDevices] = {FakeAllocator(1), FakeAllocator(2)};

// CUDA's libraries are torn down like any other library, and must not be called after that.
bool torn_down = false;
struct StaticObjects {
  StaticObjects() {}
  ~StaticObjects() { torn_down = true; }
} static_objects;

void synchronize() {
  if (!torn_down) return;
  std::fprintf(stderr, "the devices were synchronized after CUDA was torn down\n");
  _exit(98);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool footlight_cuda_open(size_t size, gpu::Backend* backend) {
  if (size != sizeof(gpu::Backend)) return false;
  if (const char* why = std::getenv("FAKE_DEVICE_REFUSES")) {
    backend->why_not = why;
    return true;
  }
  for (int i = 0; i < kDevices; ++i) {
    backend->devices.push_back({"Fake GPU", 9, i, kBytes});
    register_allocator(Device::gpu(static_cast<uint8_t>(i)), &allocators[i]);
  }
  backend->simulated = true;
  backend->copy = copy;
  backend->synchronize = synchronize;
  device_access.stream = [](Device) -> void* { return &allocators[0]; };
  device_access.copy = gpu::copy_to;
  init_cpu_kernels();
  const uint32_t numbers = dtype_set(DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64);
  const uint32_t floats = dtype_set(DType::kFloat32, DType::kFloat64);
  for (const char* op : {"AddV2", "Sub", "Mul"}) register_kernel(DeviceType::kGpu, op, numbers, compute);
  for (const char* op : {"RealDiv", "MatMul", "BatchMatMulV2"})
    register_kernel(DeviceType::kGpu, op, floats, compute);
  return true;
}
