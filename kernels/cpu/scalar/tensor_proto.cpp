// Kernels that write a tensor as a TensorProto and read one.
#include "kernels/cpu/scalar/tensor_proto.h"

#include "engine/base/protobuf_reader.h"
#include "engine/base/text.h"
#include "kernels/cpu/register.h"

namespace footlight {
namespace FL_ISA {

namespace {

using tensor_proto::kNumbers;

void put_varint(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}
void put_bytes(std::string& out, uint32_t field, std::string_view bytes) {
  put_varint(out, field << 3 | ProtobufReader::kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void serialize(KernelContext& c) {
  const Tensor& tensor = c.inputs[0];
  std::string out, shape;
  int number = 0;
  for (const auto& [dtype, said] : kNumbers)
    if (dtype == tensor.dtype()) number = said;
  if (!number) invalid("a tensor of ", name_of(tensor.dtype()), " cannot be serialized [Op:SerializeTensor]");
  put_varint(out, tensor_proto::kDType << 3);
  put_varint(out, static_cast<uint64_t>(number));
  for (const int64_t d : tensor.shape().dims()) {
    std::string size;
    if (d) {
      put_varint(size, 1 << 3);
      put_varint(size, static_cast<uint64_t>(d));
    }
    put_bytes(shape, 2, size);
  }
  put_bytes(out, tensor_proto::kShape, shape);
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.elements(); ++i)
      put_bytes(out, tensor_proto::kStrings, tensor.data<std::string>()[i]);
  } else if (tensor.bytes()) {
    put_bytes(out, tensor_proto::kContent, {static_cast<const char*>(tensor.raw()), tensor.bytes()});
  }
  *c.out<std::string>() = std::move(out);
}

void parse(KernelContext& c) {
  static const AttrName kType{"out_type"};
  if (c.inputs[0].elements() != 1 || c.inputs[0].shape().rank() != 0)
    invalid("Expected `serialized` to be a scalar, got shape: ", c.inputs[0].shape().brackets(), " [Op:ParseTensor]");
  c.outputs[0] = tensor_proto::parse(*c.in<std::string>(0), c.attrs.get<DType>(kType));
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("SerializeTensor", kAllTypes, serialize);
  on_cpu("ParseTensor", kAllTypes, parse);
}

}  // namespace FL_ISA
}  // namespace footlight
