// Reads a tensor out of a TensorProto: sizes first, then memory.
#include "kernels/cpu/scalar/parse_tensor.h"

#include "engine/base/claimed_size.h"
#include "engine/base/text.h"
#include "engine/tensor/size.h"
#include "engine/tensor/tensor_proto.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace footlight::tensor_proto {
namespace {

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t there = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < there ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= there ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

Tensor parse(const std::string& serialized, DType wanted) {
  const auto refuse = [&] {
    invalid("Could not parse `serialized` as TensorProto, base64: ",
            base64(std::string_view(serialized).substr(0, 4096)), " [Op:ParseTensor]");
  };
  Message message;
  const bool is_message = read(serialized, message);
  const DType dtype = message.dtype;
  if (!is_message || (!is_plain(dtype) && dtype != DType::kString)) refuse();
  const Shape shape(message.dims);
  const std::string_view content = message.content;
  const std::vector<std::string_view>& strings = message.strings;
  if (dtype != wanted)
    invalid("Type mismatch between parsed tensor (", name_of(dtype), ") and dtype (", name_of(wanted),
            ") [Op:ParseTensor]");
  check_shape(shape);
  const int64_t elements = shape.elements();
  const uint64_t element_bytes = dtype == DType::kString ? sizeof(std::string) : size_of(dtype);
  if (!content.empty() && dtype != DType::kString && content.size() != static_cast<size_t>(elements) * size_of(dtype))
    refuse();
  // A short message may stand for many equal elements.
  if (content.empty())
    check_claimed_size(ErrorKind::kResourceExhausted, "Could not parse `serialized`: the TensorProto",
                       static_cast<uint64_t>(elements) * element_bytes, serialized.size(), element_bytes);
  Tensor out = Tensor::empty(dtype, shape);
  if (dtype == DType::kString) {
    if (static_cast<int64_t>(strings.size()) > elements) refuse();
    for (int64_t i = 0; i < elements && !strings.empty(); ++i)
      out.data<std::string>()[i] = strings[std::min(static_cast<size_t>(i), strings.size() - 1)];
  } else if (!content.empty()) {
    fill(out, content);
  } else {
    std::vector<uint64_t> numbers;
    if (!read_numbers(serialized, dtype, numbers) || !fill(out, numbers)) refuse();
  }
  return out;
}

}  // namespace footlight::tensor_proto
