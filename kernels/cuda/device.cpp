// Finds the devices, allocates their memory and copies to and from them.
#include "kernels/cuda/device.h"

#include "engine/base/text.h"
#include "kernels/cuda/refusal.h"
#include "kernels/cuda/register.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace footlight::cuda {

constinit KernelFile* KernelFile::first = nullptr;

namespace {

// Never destroyed: tensors may outlive static objects.
std::vector<GpuDevice*>& devices() {
  static auto* const all = new std::vector<GpuDevice*>;
  return *all;
}

GpuDevice& device(Device d) {
  FL_CHECK(d.type == DeviceType::kGpu && d.index < devices().size());
  return *devices()[d.index];
}

std::string mebibytes(size_t bytes) { return str((bytes + (1 << 20) - 1) >> 20, " MiB"); }

Tensor copy(const Tensor& from, Device to) {
  Tensor out = Tensor::empty(from.dtype(), from.shape(), to);
  const size_t bytes = from.bytes();
  if (bytes == 0) return out;
  const bool up = to.type == DeviceType::kGpu;
  const Device there = up ? to : from.device();
  const cudaStream_t stream = device(there).stream();
  if (up && from.device().type == DeviceType::kGpu) {
    // A copy between two GPUs waits for the source's pending work, and then runs on the destination's stream.
    check(cudaStreamSynchronize(device(from.device()).stream()), "waiting for a GPU");
    check(cudaMemcpyPeerAsync(out.raw(), to.index, from.raw(), from.device().index, bytes, device(to).stream()),
          "copying between GPUs");
    check(cudaStreamSynchronize(device(to).stream()), "copying between GPUs");
    return out;
  }
  // Host memory is pageable: an upload has been read when the call returns, a download is complete after the wait.
  check(cudaMemcpyAsync(out.raw(), from.raw(), bytes, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream),
        up ? "copying to the GPU" : "copying from the GPU");
  if (!up) check(cudaStreamSynchronize(stream), "waiting for the GPU");
  return out;
}

void synchronize_all() {
  for (GpuDevice* d : devices())
    if (d->started()) check(cudaStreamSynchronize(d->stream()), "waiting for the GPU");
}

}  // namespace

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // clears a recoverable error so that it is not reported again
  const ErrorKind kind = result == cudaErrorMemoryAllocation ? ErrorKind::kResourceExhausted : ErrorKind::kInternal;
  fail(kind, what, " failed: ", cudaGetErrorString(result), " (CUDA error ", static_cast<int>(result), ")");
}

void use_device(Device d) { device(d).stream(); }

void GpuDevice::start() {
  check(cudaSetDevice(index_), "choosing the GPU");
  int pools = 0;
  if (cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, index_) == cudaSuccess && pools) {
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, index_), "opening the GPU's memory pool");
    uint64_t keep = UINT64_MAX;  // freed memory stays in the pool: the next op needs as much again
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "opening the GPU's memory pool");
    pooled_ = true;
  }
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  // The first work of a process includes loading code, which would be counted as time of the first op.
  void* warm = nullptr;
  check(cudaMalloc(&warm, 256), "taking memory on the GPU");
  check(cudaMemsetAsync(warm, 0, 256, stream), "starting the GPU");
  check(cudaStreamSynchronize(stream), "starting the GPU");
  check(cudaFree(warm), "giving memory back");
  stream_.store(stream, std::memory_order_release);
}

cudaStream_t GpuDevice::stream() {
  std::call_once(started_, [this] { start(); });
  check(cudaSetDevice(index_), "choosing the GPU");
  return stream_.load(std::memory_order_acquire);
}

void* GpuDevice::allocate(size_t bytes) {
  const cudaStream_t stream = this->stream();
  void* memory = nullptr;
  const size_t asked = std::max<size_t>(bytes, 1);
  const cudaError_t result = pooled_ ? cudaMallocAsync(&memory, asked, stream) : cudaMalloc(&memory, asked);
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    fail(ErrorKind::kResourceExhausted, mebibytes(bytes), " were asked for on ",
         full_name(Device::gpu(static_cast<uint8_t>(index_))), " (", info_.name, ") and ", mebibytes(free),
         " of ", mebibytes(total), " are free; tensors hold ", mebibytes(current_.load()));
  }
  check(result, "taking memory on the GPU");
  const size_t now = current_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  size_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  watch_.changed(now);
  return memory;
}

// Errors are ignored: at process exit, or in a forked child, the runtime may be gone already.
void GpuDevice::release(void* memory, size_t bytes) {
  watch_.changed(current_.fetch_sub(bytes, std::memory_order_relaxed) - bytes);
  const cudaStream_t stream = stream_.load(std::memory_order_acquire);
  const cudaError_t result = pooled_ ? cudaFreeAsync(memory, stream) : cudaFree(memory);
  if (result != cudaSuccess) cudaGetLastError();
}

MemoryUse GpuDevice::use() const { return {current_.load(), peak_.load()}; }

static_assert(kInsufficientDriver == cudaErrorInsufficientDriver && kNoDevice == cudaErrorNoDevice);

}  // namespace footlight::cuda

using namespace footlight;

extern "C" __attribute__((visibility("default"))) bool footlight_cuda_open(size_t backend_size,
                                                                           gpu::Backend* backend) {
  if (backend_size != sizeof(gpu::Backend)) return false;
  int driver = 0, runtime = 0, count = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) count = 0;
  cudaGetLastError();
  backend->why_not = cuda::refusal_in_words({static_cast<int>(result), cudaGetErrorString(result), driver, runtime,
                                             count, std::getenv("CUDA_VISIBLE_DEVICES")});
  for (int i = 0; i < std::min(count, 255); ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) break;
    gpu::Info info{properties.name, properties.major, properties.minor, properties.totalGlobalMem};
    backend->devices.push_back(info);
    cuda::devices().push_back(new cuda::GpuDevice(i, info));
    register_allocator(Device::gpu(static_cast<uint8_t>(i)), cuda::devices().back());
  }
  if (backend->devices.empty()) return true;
  backend->copy = cuda::copy;
  backend->synchronize = cuda::synchronize_all;
  device_access.stream = [](Device d) -> void* { return cuda::device(d).stream(); };
  device_access.copy = gpu::copy_to;
  init_cpu_kernels();
  for (cuda::KernelFile* f = cuda::KernelFile::first; f; f = f->next) f->fill();
  return true;
}
