// The few fields by hand: protobuf is a library that is loaded for models only.
#include "engine/data/tensor_message.h"

#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <cstring>
#include <vector>

namespace footlight::data {
namespace {

constexpr uint64_t kDType = 1, kShape = 2, kContent = 4, kStrings = 8, kDim = 2, kSize = 1;
constexpr uint64_t kNumber = 0, kBytes = 2;  // how a field is written
constexpr size_t kMostDims = 254;

void put_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}
void put_bytes(std::string& out, uint64_t field, std::string_view bytes) {
  put_number(out, field << 3 | kBytes);
  put_number(out, bytes.size());
  out += bytes;
}

[[noreturn]] void wrong() {
  throw Error(ErrorKind::kDataLoss, "a record of a saved dataset is no tensor: it is damaged");
}

// Takes fields off the front of a message.
struct Fields {
  std::string_view left;
  uint64_t field = 0, number = 0;
  std::string_view bytes = {};

  bool next() {
    if (left.empty()) return false;
    const uint64_t key = take();
    field = key >> 3;
    if ((key & 7) == kNumber) {
      number = take();
      bytes = {};
    } else if ((key & 7) == kBytes) {
      number = take();
      if (number > left.size()) wrong();
      bytes = left.substr(0, static_cast<size_t>(number));
      left.remove_prefix(bytes.size());
    } else {
      wrong();
    }
    return true;
  }

  uint64_t take() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !left.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left.front());
      left.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
    wrong();
  }
};

}  // namespace

std::string tensor_message(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kVariant || dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "elements that hold ", name_of(dtype), " tensors cannot be saved");
  std::string out, shape, dim;
  put_number(out, kDType << 3 | kNumber);
  put_number(out, static_cast<uint64_t>(dtype));
  for (const int64_t size : tensor.shape().dims()) {
    dim.clear();
    if (size) {
      put_number(dim, kSize << 3 | kNumber);
      put_number(dim, static_cast<uint64_t>(size));
    }
    put_bytes(shape, kDim, dim);
  }
  put_bytes(out, kShape, shape);
  if (dtype != DType::kString) put_bytes(out, kContent, {static_cast<const char*>(tensor.raw()), tensor.bytes()});
  else {
    std::string content;
    const std::span<const std::string> strings(tensor.data<std::string>(), static_cast<size_t>(tensor.elements()));
    for (const std::string& text : strings) put_number(content, text.size());
    for (const std::string& text : strings) content += text;
    put_bytes(out, kContent, content);
  }
  return out;
}

Tensor tensor_of_message(std::string_view message) {
  uint64_t dtype_number = 0;
  std::vector<int64_t> dims;
  std::string_view content;
  std::vector<std::string_view> strings;
  for (Fields fields{message}; fields.next();) {
    if (fields.field == kDType) dtype_number = fields.number;
    else if (fields.field == kContent) content = fields.bytes;
    else if (fields.field == kStrings) strings.push_back(fields.bytes);
    else if (fields.field != kShape)
      fail(ErrorKind::kUnimplemented, "a tensor of a saved dataset is written in a way that cannot be read: field ",
           fields.field, " of its message");
    else
      for (Fields shape{fields.bytes}; shape.next();) {
        if (shape.field != kDim || dims.size() == kMostDims) wrong();
        dims.push_back(0);
        for (Fields dim{shape.bytes}; dim.next();)
          if (dim.field == kSize) dims.back() = static_cast<int64_t>(dim.number);
      }
  }
  const auto dtype = static_cast<DType>(dtype_number);
  if (dtype_number == 0 || dtype_number >= kDTypeCount || !in_set(dtype, kAllTypes)) wrong();
  if (dtype == DType::kVariant || dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "a saved dataset holds tensors of dtype ", name_of(dtype),
         ", which cannot be read");
  uint64_t elements = 1;
  for (const int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(elements, static_cast<uint64_t>(dim), &elements)) wrong();
  if (dtype == DType::kString && strings.empty()) {  // all lengths, then all characters
    Fields lengths{content};
    if (elements > content.size()) wrong();
    std::vector<uint64_t> sizes(static_cast<size_t>(elements));
    for (uint64_t& size : sizes) size = lengths.take();
    for (const uint64_t size : sizes) {
      if (size > lengths.left.size()) wrong();
      strings.push_back(lengths.left.substr(0, static_cast<size_t>(size)));
      lengths.left.remove_prefix(static_cast<size_t>(size));
    }
    if (!lengths.left.empty()) wrong();
  }
  // Whatever the shape says, the message has to hold it.
  const bool texts = dtype == DType::kString;
  if (texts ? elements != strings.size()
            : elements > content.size() || content.size() != elements * size_of(dtype))
    wrong();
  Tensor tensor = Tensor::empty(dtype, Shape(dims));
  if (texts)
    for (size_t i = 0; i < strings.size(); ++i) tensor.data<std::string>()[i] = strings[i];
  else std::memcpy(tensor.raw(), content.data(), content.size());
  if (dtype == DType::kBool)  // another number is no bool
    for (size_t i = 0; i < content.size(); ++i) static_cast<char*>(tensor.raw())[i] = content[i] != 0;
  return tensor;
}

}  // namespace footlight::data
