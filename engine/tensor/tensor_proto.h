// Tensors in messages TensorProto, without protobuf: what ops and files of saved datasets read and write of them. The
// bytes come from anywhere.
#pragma once

#include "engine/tensor/tensor.h"
#include "engine/wire/protobuf.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::tensor_proto {

enum Field : uint32_t {
  kDType = 1,
  kShape = 2,
  kContent = 4,
  kFloats = 5,
  kDoubles = 6,
  kInts = 7,
  kStrings = 8,
  kComplex = 9,
  kInt64s = 10,
  kBools = 11,
  kDoubleComplex = 12,
  kHalves = 13,
  kUInt32s = 16,
  kUInt64s = 17
};

// A message without its values, which are written behind it.
wire::ProtobufWriter head(DType dtype, std::span<const int64_t> dims);

struct Message {
  DType dtype = DType::kInvalid;  // kInvalid: the message has none that is known
  std::vector<int64_t> dims;
  std::string_view content;               // the elements as bytes
  std::vector<std::string_view> strings;
  uint32_t other_field = 0;               // the first field that is not named here; 0: none
};
// False where the bytes are no message, or its shape is not fully known.
bool read(std::string_view bytes, Message& message);

// Adds the numbers of the list that has elements of `dtype`, as bits; complex elements are two numbers. False where the
// list is damaged.
bool read_numbers(std::string_view bytes, DType dtype, std::vector<uint64_t>& numbers);

// Elements that are missing repeat the last one, or are zero. False for more numbers than elements, or half a complex.
bool fill(const Tensor& tensor, std::span<const uint64_t> numbers);
// `content` has as many bytes as the tensor.
void fill(const Tensor& tensor, std::string_view content);

}  // namespace footlight::tensor_proto
