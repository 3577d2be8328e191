// libcublasLt, opened when the first product runs on a GPU: 500 MB that nothing else should wait for.
#pragma once

#include <cublasLt.h>

#include <string>

namespace footlight::cuda {

struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtMatmulDescCreate) desc_create;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmul) matmul;
};

// Throws kUnavailable listing what was tried. $FOOTLIGHT_CUBLASLT names another file.
const CublasLt& cublaslt();
// Throws kInternal.
void check(cublasStatus_t result, const char* what);

}  // namespace footlight::cuda
