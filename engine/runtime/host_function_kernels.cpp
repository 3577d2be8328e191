// The kernels call the function that the node holds.
#include "engine/runtime/host_function_kernels.h"

#include "engine/ops/host_function.h"
#include "kernels/table.h"

#include <algorithm>

namespace footlight::runtime {
namespace {

void call(KernelContext& context) {
  std::vector<Tensor> outputs =
      host_function_of(context.attrs).call(context.inputs, context.attrs.get<std::vector<DType>>("Tout"_attr));
  FL_CHECK(outputs.size() == context.outputs.size());
  std::ranges::move(outputs, context.outputs.begin());
}

}  // namespace

void register_host_function_kernels() {
  static const bool once = [] {
    for (const char* name : {"EagerPyFunc", "PyFunc", "PyFuncStateless"})
      register_kernel(DeviceType::kCpu, name, kAllTypes, call);
    return true;
  }();
  (void)once;
}

}  // namespace footlight::runtime
