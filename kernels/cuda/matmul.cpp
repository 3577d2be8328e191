// Matrix products on the GPU by cuBLASLt.
#include "kernels/cuda/cublaslt.h"
#include "kernels/cuda/product_plan.h"
#include "kernels/cuda/register.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace footlight::cuda {
namespace {

template <class T> struct Types;
template <> struct Types<float> {
  static constexpr cudaDataType_t kData = CUDA_R_32F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;  // not TF32: same digits as the host
};
template <> struct Types<double> {
  static constexpr cudaDataType_t kData = CUDA_R_64F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_64F;
};

constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // NVIDIA's recommendation for Hopper; smaller chips need less

// Per-device state: the library's handle, and workspace for its algorithms. All products of a
// device run on one stream, so they may share it.
struct DeviceState {
  cublasLtHandle_t handle = nullptr;
  BufferPtr workspace;
};

// A prepared product of one form: finding an algorithm costs far more than a small product.
struct Prepared {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, out = nullptr;
  cublasLtMatmulHeuristicResult_t chosen{};
  ~Prepared() {
    const CublasLt& f = cublaslt();
    if (operation) f.desc_destroy(operation);
    for (cublasLtMatrixLayout_t layout : {first, second, out})
      if (layout) f.layout_destroy(layout);
  }
};

using Key = std::tuple<int, int, int64_t, int64_t, int64_t, bool, bool, bool, int64_t, int64_t, int64_t>;

struct Cache {
  std::mutex mutex;
  std::map<int, DeviceState> devices;
  std::map<Key, std::shared_ptr<Prepared>> prepared;
};
Cache& cache() {
  static Cache* const made = new Cache;  // not destroyed: the library may be unloaded before us
  return *made;
}

cublasLtMatrixLayout_t make_layout(const CublasLt& f, cudaDataType_t type, const Operand& o, int64_t batch) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(f.layout_create(&layout, type, static_cast<uint64_t>(o.rows), static_cast<uint64_t>(o.columns), o.leading),
        "describing a matrix");
  if (batch > 1) {
    const auto count = static_cast<int32_t>(batch);
    check(f.layout_set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count), "describing a batch");
    check(f.layout_set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &o.stride, sizeof o.stride),
          "describing a batch");
  }
  return layout;
}

template <class T>
std::shared_ptr<Prepared> prepare(const CublasLt& f, cublasLtHandle_t handle, const ProductPlan& p) {
  auto made = std::make_shared<Prepared>();
  check(f.desc_create(&made->operation, Types<T>::kCompute, Types<T>::kData), "describing a product");
  const cublasOperation_t first = p.first.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = p.second.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  check(f.desc_set(made->operation, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first), "describing a product");
  check(f.desc_set(made->operation, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second), "describing a product");
  made->first = make_layout(f, Types<T>::kData, p.first, p.batch);
  made->second = make_layout(f, Types<T>::kData, p.second, p.batch);
  made->out = make_layout(f, Types<T>::kData, p.out, p.batch);
  cublasLtMatmulPreference_t preference = nullptr;
  check(f.preference_create(&preference), "choosing an algorithm");
  f.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes, sizeof kWorkspaceBytes);
  // Tensors are aligned to at least 16 bytes; a matrix inside one may be unaligned.
  const uint32_t alignment = p.singles.empty() ? 16 : sizeof(T);
  for (const auto which : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    f.preference_set(preference, which, &alignment, sizeof alignment);
  int found = 0;
  const cublasStatus_t result = f.heuristic(handle, made->operation, made->first, made->second, made->out, made->out,
                                            preference, 1, &made->chosen, &found);
  f.preference_destroy(preference);
  check(result, "choosing an algorithm for a matrix product");
  if (found == 0)
    fail(ErrorKind::kUnimplemented, "cuBLASLt has no algorithm for a product of ", p.m, "x", p.depth, " by ",
         p.depth, "x", p.n);
  return made;
}

template <class T>
void run_plan(KernelContext& c, const ProductPlan& p) {
  const cudaStream_t stream = stream_of(c);
  if (p.m == 0 || p.n == 0 || c.outputs[0].elements() == 0) return;
  if (p.depth == 0) {
    check(cudaMemsetAsync(c.out<T>(), 0, c.outputs[0].bytes(), stream), "writing zeros");
    return;
  }
  use_device(c.device);
  const CublasLt& f = cublaslt();
  DeviceState state;
  std::shared_ptr<Prepared> prepared;
  {
    Cache& all = cache();
    std::lock_guard lock(all.mutex);
    DeviceState& here = all.devices[c.device.index];
    if (!here.handle) {
      check(f.create(&here.handle), "starting cuBLASLt");
      here.workspace = allocate_buffer(c.device, kWorkspaceBytes);
    }
    state = here;
    const Key key{c.device.index, Types<T>::kData, p.m, p.n, p.depth, p.first.transposed, p.second.transposed,
                  p.singles.empty(), p.batch, p.first.stride, p.second.stride};
    std::shared_ptr<Prepared>& known = all.prepared[key];
    if (!known) {
      if (all.prepared.size() > 4096) all.prepared.clear();  // a program that never repeats a shape
      auto made = prepare<T>(f, state.handle, p);
      all.prepared[key] = made;
      prepared = std::move(made);
    } else {
      prepared = known;
    }
  }
  const T one = 1, zero = 0;
  const auto multiply = [&](int64_t a, int64_t b, int64_t out) {
    check(f.matmul(state.handle, prepared->operation, &one, c.in<T>(1) + b, prepared->first, c.in<T>(0) + a,
                   prepared->second, &zero, c.out<T>() + out, prepared->out, c.out<T>() + out, prepared->out,
                   &prepared->chosen.algo, state.workspace->data(), kWorkspaceBytes, stream),
          "a matrix product on the GPU");
  };
  if (p.singles.empty()) multiply(0, 0, 0);
  for (const ProductPlan::Offsets& at : p.singles) multiply(at.a, at.b, at.out);
}

template <class T>
void product(KernelContext& c, const char* transpose_a, const char* transpose_b) {
  const bool ta = c.attrs.get_or(AttrName(transpose_a), false);
  const bool tb = c.attrs.get_or(AttrName(transpose_b), false);
  run_plan<T>(c, plan_product(c.inputs[0].shape(), c.inputs[1].shape(), c.outputs[0].shape(), ta, tb));
}

template <class T>
void matmul(KernelContext& c) { product<T>(c, "transpose_a", "transpose_b"); }
template <class T>
void batch_matmul(KernelContext& c) { product<T>(c, "adj_x", "adj_y"); }

}  // namespace

FL_CUDA_KERNELS {
  on_gpu("MatMul", bit_of(DType::kFloat32), matmul<float>);
  on_gpu("MatMul", bit_of(DType::kFloat64), matmul<double>);
  on_gpu("BatchMatMulV2", bit_of(DType::kFloat32), batch_matmul<float>);
  on_gpu("BatchMatMulV2", bit_of(DType::kFloat64), batch_matmul<double>);
}

}  // namespace footlight::cuda
