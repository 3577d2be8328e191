// Kernels that write a tensor as a TensorProto and read one.
#include "engine/base/text.h"
#include "engine/tensor/tensor_proto.h"
#include "kernels/cpu/register.h"
#include "kernels/cpu/scalar/parse_tensor.h"

namespace footlight::FL_ISA {

namespace {

void serialize(KernelContext& c) {
  const Tensor& tensor = c.inputs[0];
  if (!is_plain(tensor.dtype()) && tensor.dtype() != DType::kString)
    invalid("a tensor of ", name_of(tensor.dtype()), " cannot be serialized [Op:SerializeTensor]");
  wire::ProtobufWriter out = tensor_proto::head(tensor.dtype(), tensor.shape().dims());
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.elements(); ++i) out.bytes(tensor_proto::kStrings, tensor.data<std::string>()[i]);
  } else if (tensor.bytes()) {
    out.bytes(tensor_proto::kContent, {static_cast<const char*>(tensor.raw()), tensor.bytes()});
  }
  *c.out<std::string>() = out.take();
}

void parse(KernelContext& c) {
  if (c.inputs[0].elements() != 1 || c.inputs[0].shape().rank() != 0)
    invalid("Expected `serialized` to be a scalar, got shape: ", c.inputs[0].shape().brackets(), " [Op:ParseTensor]");
  c.outputs[0] = tensor_proto::parse(*c.in<std::string>(0), c.attrs.get<DType>("out_type"_attr));
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("SerializeTensor", kAllTypes, serialize);
  on_cpu("ParseTensor", kAllTypes, parse);
}

}  // namespace footlight::FL_ISA
