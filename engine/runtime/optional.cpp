// An optional holds its values, or nothing.
#include "engine/runtime/optional.h"

#include "engine/base/text.h"
#include "kernels/table.h"

#include <optional>
#include <vector>

namespace footlight::runtime {
namespace {

class Optional final : public Resource {
 public:
  std::optional<std::vector<Tensor>> values;
};

Tensor wrap(Optional* made) {
  Tensor tensor = Tensor::empty(DType::kVariant, Shape());
  made->ref();
  *tensor.data<Resource*>() = made;
  return tensor;
}

const Optional& optional_in(const KernelContext& context) {
  const Tensor& tensor = context.inputs[0];
  const bool one = tensor.dtype() == DType::kVariant && tensor.elements() == 1;
  const auto* optional = one ? dynamic_cast<const Optional*>(*tensor.data<Resource*>()) : nullptr;
  if (!optional) invalid("the input is no optional [Op:", context.row.name, "]");
  return *optional;
}

void from_value(KernelContext& context) {
  context.outputs[0] = optional_of({context.inputs.begin(), context.inputs.end()});
}

void none(KernelContext& context) { context.outputs[0] = empty_optional(); }

void has_value(KernelContext& context) { *context.out<bool>() = optional_in(context).values.has_value(); }

void get_value(KernelContext& context) {
  const Optional& optional = optional_in(context);
  if (!optional.values) invalid("The given optional does not have a value. [Op:OptionalGetValue]");
  const auto& types = context.attrs.get<std::vector<DType>>("output_types"_attr);
  const auto& shapes = context.attrs.get<std::vector<Shape>>("output_shapes"_attr);
  const std::vector<Tensor>& values = *optional.values;
  if (values.size() != types.size())
    invalid("The given optional has ", values.size(), " components, expected ", types.size(), " [Op:OptionalGetValue]");
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k].dtype() != types[k])
      invalid("The given optional has a component of dtype ", name_of(values[k].dtype()), ", expected ",
              name_of(types[k]), " [Op:OptionalGetValue]");
    if (k < shapes.size() && !is_subshape(values[k].shape(), shapes[k]))
      invalid("The given optional has a component of shape ", values[k].shape().to_string(), ", expected ",
              shapes[k].to_string(), " [Op:OptionalGetValue]");
    context.outputs[k] = values[k];
  }
}

}  // namespace

Tensor optional_of(std::vector<Tensor> values) {
  auto* made = new Optional;
  Tensor result = wrap(made);
  made->values.emplace(std::move(values));
  return result;
}

Tensor empty_optional() { return wrap(new Optional); }

void register_optional_kernels() {
  static const bool once = [] {
    register_kernel(DeviceType::kCpu, "OptionalFromValue", kAllTypes, from_value);
    register_kernel(DeviceType::kCpu, "OptionalNone", kAllTypes, none);
    register_kernel(DeviceType::kCpu, "OptionalHasValue", kAllTypes, has_value);
    register_kernel(DeviceType::kCpu, "OptionalGetValue", kAllTypes, get_value);
    return true;
  }();
  (void)once;
}

}  // namespace footlight::runtime
