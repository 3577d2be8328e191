// Rows of ops that call a Python function.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/host_function.h"

namespace footlight {
namespace {

bool differentiable(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

void call_gradient(GradientCall& c) {
  std::vector<Tensor> given(c.inputs.begin(), c.inputs.end());
  given.insert(given.end(), c.outputs.begin(), c.outputs.end());
  for (size_t k = 0; k < c.outputs.size(); ++k)
    given.push_back(c.output_gradients[k]                  ? c.output_gradients[k]
                    : differentiable(c.outputs[k].dtype()) ? ops::zeros_like(c.outputs[k])
                                                           : c.outputs[k]);
  std::vector<DType> dtypes;
  for (const Tensor& input : c.inputs) dtypes.push_back(input.dtype());
  const std::vector<Tensor> gradients =
      apply_all(c.row, given, {{"token"_attr, c.attrs.get<std::string>("token"_attr)},
                               {"Tout"_attr, dtypes},
                               {"_function"_attr, host_function_of(c.attrs).gradient()}});
  for (size_t i = 0; i < gradients.size(); ++i)
    if (differentiable(dtypes[i])) c.input_gradients[i] = gradients[i];
}

}  // namespace

FL_ROWS(host) {
  constexpr const char* kSignature = "input: Tin[] -> output: Tout[]";
  constexpr const char* kAttrs = "token: string; Tin: list(type); Tout: list(type)";
  constexpr uint32_t kAll = ~0u;
  return {
      {"EagerPyFunc", kSignature, "token: string; is_async: bool = false; Tin: list(type); Tout: list(type)",
       infer::unknown, call_gradient, OpFamily::kControl, "a Python function of tensors",
       {.effect = Effect::kOther, .host_inputs = kAll, .host_only = true}},
      {"PyFunc", kSignature, kAttrs, infer::unknown, nullptr, OpFamily::kControl, "a Python function of NumPy arrays",
       {.effect = Effect::kOther, .host_inputs = kAll, .zero_gradient = true, .host_only = true}},
      {"PyFuncStateless", kSignature, kAttrs, infer::unknown, nullptr, OpFamily::kControl,
       "a Python function of NumPy arrays without effects",
       {.host_inputs = kAll, .zero_gradient = true, .host_only = true}},
  };
}

}  // namespace footlight
