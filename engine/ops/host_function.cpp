// Wraps a function in a tensor of dtype variant, the value of the attribute.
#include "engine/ops/host_function.h"

#include "engine/base/text.h"

namespace footlight {

Tensor host_function_value(HostFunction* function) {
  Tensor value = Tensor::empty(DType::kVariant, Shape());
  function->ref();
  *value.data<Resource*>() = function;
  return value;
}

HostFunction* host_function_in(const Attrs& attrs) {
  const AttrValue* value = attrs.find("_function"_attr);
  const Tensor* held = value ? std::get_if<Tensor>(value) : nullptr;
  return held && held->dtype() == DType::kVariant ? dynamic_cast<HostFunction*>(*held->data<Resource*>()) : nullptr;
}

HostFunction& host_function_of(const Attrs& attrs) {
  HostFunction* function = host_function_in(attrs);
  if (!function)
    invalid("the function ", attrs.get_or(AttrName("token"), std::string()), " is not in this process: a graph that "
            "calls Python functions runs only where it was traced");
  return *function;
}

bool is_process_local(const AttrValue& value) {
  const Tensor* held = std::get_if<Tensor>(&value);
  return held && (held->dtype() == DType::kVariant || held->dtype() == DType::kResource);
}

}  // namespace footlight
