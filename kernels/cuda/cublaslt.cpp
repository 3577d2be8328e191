// Opens libcublasLt.
#include "kernels/cuda/cublaslt.h"

#include "engine/base/text.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace footlight::cuda {
namespace {

std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("FOOTLIGHT_CUBLASLT"); chosen && *chosen) return {chosen};
  std::vector<std::string> names = {"libcublasLt.so.13"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable)) names.push_back(std::string(root) + "/lib64/libcublasLt.so.13");
  names.push_back("/usr/local/cuda/lib64/libcublasLt.so.13");
  return names;
}

struct Opened {
  CublasLt functions{};
  std::string why_not;
};

Opened open() {
  Opened opened;
  void* handle = nullptr;
  for (const std::string& name : candidates()) {
    handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) break;
    if (const char* words = dlerror(); words && opened.why_not.empty()) opened.why_not = words;
  }
  if (!handle) return opened;
  opened.why_not.clear();
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    if (!function && opened.why_not.empty()) opened.why_not = str("the library has no ", name);
  };
  CublasLt& f = opened.functions;
  find(f.create, "cublasLtCreate");
  find(f.desc_create, "cublasLtMatmulDescCreate");
  find(f.desc_destroy, "cublasLtMatmulDescDestroy");
  find(f.desc_set, "cublasLtMatmulDescSetAttribute");
  find(f.layout_create, "cublasLtMatrixLayoutCreate");
  find(f.layout_destroy, "cublasLtMatrixLayoutDestroy");
  find(f.layout_set, "cublasLtMatrixLayoutSetAttribute");
  find(f.preference_create, "cublasLtMatmulPreferenceCreate");
  find(f.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  find(f.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  find(f.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(f.matmul, "cublasLtMatmul");
  return opened;
}

}  // namespace

const CublasLt& cublaslt() {
  static const Opened opened = open();
  if (!opened.why_not.empty())
    fail(ErrorKind::kUnavailable, "matrix products on the GPU need cuBLASLt of CUDA 13: ", opened.why_not);
  return opened.functions;
}

void check(cublasStatus_t result, const char* what) {
  if (result != CUBLAS_STATUS_SUCCESS)
    fail(result == CUBLAS_STATUS_ALLOC_FAILED ? ErrorKind::kResourceExhausted : ErrorKind::kInternal, what,
         " failed (cuBLASLt status ", static_cast<int>(result), ")");
}

}  // namespace footlight::cuda
