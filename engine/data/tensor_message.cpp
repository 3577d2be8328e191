// Writes and reads messages of tensors, and of variants that hold several tensors.
#include "engine/data/tensor_message.h"

#include "engine/base/text.h"
#include "engine/data/rows.h"
#include "engine/tensor/tensor_proto.h"

#include <algorithm>

namespace footlight::data {

using tensor_proto::kContent;
using wire::ProtobufWriter;

namespace {

constexpr uint32_t kTypeName = 1, kTensors = 3;  // fields of a variant

[[noreturn]] void wrong() {
  throw Error(ErrorKind::kDataLoss, "a record of a saved dataset is no tensor: it is damaged");
}

// Writes all lengths, then all characters.
std::string joined(std::span<const std::string> strings) {
  std::string content;
  for (const std::string& text : strings) wire::put_varint(content, text.size());
  for (const std::string& text : strings) content += text;
  return content;
}

std::vector<std::string_view> parted(std::string_view content, uint64_t count) {
  if (count > content.size()) wrong();
  std::vector<uint64_t> sizes(static_cast<size_t>(count));
  for (uint64_t& size : sizes)
    if (!wire::take_varint(content, size)) wrong();
  std::vector<std::string_view> strings;
  for (const uint64_t size : sizes) {
    if (size > content.size()) wrong();
    strings.push_back(content.substr(0, static_cast<size_t>(size)));
    content.remove_prefix(static_cast<size_t>(size));
  }
  if (!content.empty()) wrong();
  return strings;
}

}  // namespace

std::string tensor_message(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kVariant || dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "elements that hold ", name_of(dtype), " tensors cannot be saved");
  ProtobufWriter out = tensor_proto::head(dtype, tensor.shape().dims());
  if (dtype != DType::kString) out.bytes(kContent, {static_cast<const char*>(tensor.raw()), tensor.bytes()});
  else out.bytes(kContent, joined({tensor.data<std::string>(), static_cast<size_t>(tensor.elements())}));
  return out.take();
}

namespace {

struct Message : tensor_proto::Message {
  uint64_t elements = 1;
};

Message parsed(std::string_view bytes) {
  Message message;
  if (!tensor_proto::read(bytes, message) || message.dtype == DType::kInvalid) wrong();
  if (message.other_field)
    fail(ErrorKind::kUnimplemented, "a tensor of a saved dataset is written in a way that cannot be read: field ",
         message.other_field, " of its message");
  for (const int64_t dim : message.dims)
    if (__builtin_mul_overflow(message.elements, static_cast<uint64_t>(dim), &message.elements)) wrong();
  return message;
}

}  // namespace

Tensor tensor_of_message(std::string_view bytes) {
  Message message = parsed(bytes);
  const auto [dtype, elements] = std::pair(message.dtype, message.elements);
  if (dtype == DType::kVariant || dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "a saved dataset holds tensors of dtype ", name_of(dtype),
         ", which cannot be read");
  // The message must hold as many elements as the shape claims.
  if (dtype == DType::kString) {
    std::vector<std::string_view>& strings = message.strings;
    if (strings.empty()) strings = parted(message.content, elements);
    if (elements != strings.size()) wrong();
    Tensor tensor = Tensor::empty(dtype, Shape(message.dims));
    std::ranges::copy(strings, tensor.data<std::string>());
    return tensor;
  }
  std::vector<uint64_t> numbers;
  if (message.content.empty() && !tensor_proto::read_numbers(bytes, dtype, numbers)) wrong();
  if (numbers.empty()) {
    if (elements > message.content.size() || message.content.size() != elements * size_of(dtype)) wrong();
  } else {
    // A list that is too short is filled with its last number.
    constexpr uint64_t kMaxRepeated = 1 << 20;
    const size_t had = numbers.size() / (is_complex(dtype) ? 2 : 1);
    if (had > elements || (had < elements && elements > kMaxRepeated)) wrong();
  }
  Tensor tensor = Tensor::empty(dtype, Shape(message.dims));
  if (numbers.empty()) tensor_proto::fill(tensor, message.content);
  else if (!tensor_proto::fill(tensor, numbers)) wrong();
  return tensor;
}

namespace {

constexpr std::string_view kRagged = "RaggedTensorVariant", kTensor = "tensorflow::Tensor";

std::string variant_message(std::string_view type, std::span<const std::string> tensors) {
  ProtobufWriter out;
  out.bytes(kTypeName, type);
  for (const std::string& tensor : tensors) out.bytes(kTensors, tensor);
  return out.take();
}

std::string variants_message(std::span<const int64_t> dims, std::span<const std::string> variants) {
  ProtobufWriter out = tensor_proto::head(DType::kVariant, dims);
  out.bytes(kContent, joined(variants));
  return out.take();
}

std::vector<Tensor> tensors_of_variant(std::string_view variant, std::string_view type) {
  std::vector<Tensor> tensors;
  std::string_view found;
  wire::ProtobufReader fields(variant);
  while (fields.next()) {
    if (fields.type != wire::kBytes) continue;
    if (fields.field == kTypeName) found = fields.bytes;
    if (fields.field == kTensors) tensors.push_back(tensor_of_message(fields.bytes));
  }
  if (!fields.ok() || found != type) wrong();
  return tensors;
}

int64_t at(const Tensor& splits, int64_t i) {
  return splits.dtype() == DType::kInt32 ? splits.data<int32_t>()[i] : splits.data<int64_t>()[i];
}
int64_t rows_of(const Tensor& tensor) {
  if (tensor.shape().rank() == 0) wrong();
  return tensor.shape().dims()[0];
}

// Joins rows, each with its values and then its splits (outermost first), to one ragged tensor.
std::vector<Tensor> stacked(std::vector<std::vector<Tensor>> rows, size_t splits) {
  std::vector<Tensor> out;
  std::vector<std::vector<int64_t>> ends(splits, {0});
  int64_t count = 0;
  for (const std::vector<Tensor>& row : rows) {
    if (row.size() != splits || row[0].dtype() != rows[0][0].dtype() ||
        row[0].shape().dims().subspan(1).size() != rows[0][0].shape().dims().subspan(1).size() ||
        !std::ranges::equal(row[0].shape().dims().subspan(1), rows[0][0].shape().dims().subspan(1)))
      wrong();
    ends[0].push_back(ends[0].back() + (splits > 1 ? rows_of(row[1]) - 1 : rows_of(row[0])));
    for (size_t k = 1; k < splits; ++k) {
      const int64_t before = ends[k].back();
      for (int64_t i = 1; i < rows_of(row[k]); ++i) ends[k].push_back(before + at(row[k], i));
    }
    count += rows_of(row[0]);
  }
  if (rows.empty()) return out;  // without rows, the dtype of the values is unknown
  const Tensor& first = rows[0][0];
  std::vector<int64_t> dims(first.shape().dims().begin(), first.shape().dims().end());
  dims[0] = count;
  Tensor values = Tensor::empty(first.dtype(), Shape(dims));
  int64_t to = 0;
  for (const std::vector<Tensor>& row : rows) {
    data::copy_elements(values, to, row[0], 0, row[0].elements());
    to += row[0].elements();
  }
  out.push_back(std::move(values));
  for (const std::vector<int64_t>& list : ends) {
    Tensor tensor = Tensor::empty(DType::kInt64, Shape({static_cast<int64_t>(list.size())}));
    std::ranges::copy(list, tensor.data<int64_t>());
    out.push_back(std::move(tensor));
  }
  return out;
}

}  // namespace

std::string ragged_message(std::span<const Tensor> values_and_splits) {
  std::vector<std::string> tensors;
  for (const Tensor& splits : values_and_splits.subspan(1)) tensors.push_back(tensor_message(splits));
  tensors.push_back(tensor_message(values_and_splits[0]));
  const std::string variant = variant_message(kRagged, tensors);
  return variants_message({}, {&variant, 1});
}

std::string sparse_message(std::span<const Tensor> indices_values_shape) {
  std::vector<std::string> variants;
  for (const Tensor& tensor : indices_values_shape) {
    const std::string message = tensor_message(tensor);
    variants.push_back(variant_message(kTensor, {&message, 1}));
  }
  const int64_t count = static_cast<int64_t>(variants.size());
  return variants_message({&count, 1}, variants);
}

std::vector<Tensor> ragged_of_message(std::string_view bytes, size_t splits) {
  const Message message = parsed(bytes);
  const size_t outer = message.dims.size();
  if (message.dtype != DType::kVariant || outer > splits) wrong();
  std::vector<std::vector<Tensor>> rows;
  for (const std::string_view variant : parted(message.content, message.elements)) {
    std::vector<Tensor> row = tensors_of_variant(variant, kRagged);
    if (row.size() != splits - outer + 1) wrong();
    for (size_t k = 0; k + 1 < row.size(); ++k)
      if (row[k].shape().rank() != 1 || row[k].elements() == 0 ||
          (row[k].dtype() != DType::kInt64 && row[k].dtype() != DType::kInt32))
        wrong();
    for (size_t k = 0; k < row.size(); ++k) {
      const int64_t next = k + 1 < row.size() ? row[k].elements() : 0;
      for (int64_t i = 0; i < next; ++i)
        if (at(row[k], i) < (i ? at(row[k], i - 1) : 0) || (i == 0 && at(row[k], i) != 0)) wrong();
      if (next && at(row[k], next - 1) != rows_of(row[k + 1]) - (k + 2 < row.size() ? 1 : 0)) wrong();
    }
    rows_of(row.back());
    std::rotate(row.begin(), row.end() - 1, row.end());  // rows have the values first
    rows.push_back(std::move(row));
  }
  for (size_t k = outer; k-- > 0;) {
    const auto each = static_cast<size_t>(message.dims[k]);
    if (each == 0) return {};
    std::vector<std::vector<Tensor>> next;
    for (size_t i = 0; i < rows.size(); i += each)
      next.push_back(stacked(
          {rows.begin() + static_cast<ptrdiff_t>(i), rows.begin() + static_cast<ptrdiff_t>(i + each)}, rows[0].size()));
    rows = std::move(next);
  }
  if (rows.size() > 1) wrong();
  return rows.empty() ? std::vector<Tensor>() : std::move(rows[0]);
}

std::vector<Tensor> sparse_of_message(std::string_view bytes) {
  const Message message = parsed(bytes);
  const size_t rank = message.dims.size();
  if (message.dtype != DType::kVariant || rank == 0 || message.dims.back() != 3) wrong();
  const std::vector<std::string_view> variants = parted(message.content, message.elements);
  std::vector<std::vector<Tensor>> parts;
  for (size_t i = 0; i < variants.size(); i += 3) {
    std::vector<Tensor> part;
    for (size_t k = 0; k < 3; ++k) {
      const std::vector<Tensor> one = tensors_of_variant(variants[i + k], kTensor);
      if (one.size() != 1) wrong();
      part.push_back(one[0]);
    }
    if (part[0].dtype() != DType::kInt64 || part[2].dtype() != DType::kInt64 || part[0].shape().rank() != 2 ||
        part[1].shape().rank() != 1 || part[2].shape().rank() != 1 || rows_of(part[0]) != rows_of(part[1]) ||
        part[0].shape().dims()[1] != part[2].elements())
      wrong();
    parts.push_back(std::move(part));
  }
  if (rank == 1) return std::move(parts[0]);
  if (rank > 2 || parts.empty())
    fail(ErrorKind::kUnimplemented, "a saved dataset holds sparse tensors in ", rank - 1,
         " batches of one another or in empty ones, which cannot be read");
  // Batches sparse parts: the first index is the number of the part, and the largest shape counts.
  const int64_t dims = parts[0][2].elements();
  int64_t count = 0;
  std::vector<int64_t> shape(static_cast<size_t>(dims) + 1, 0);
  shape[0] = static_cast<int64_t>(parts.size());
  for (const std::vector<Tensor>& part : parts) {
    if (part[2].elements() != dims || part[1].dtype() != parts[0][1].dtype()) wrong();
    count += rows_of(part[1]);
    for (int64_t k = 0; k < dims; ++k)
      shape[static_cast<size_t>(k) + 1] = std::max(shape[static_cast<size_t>(k) + 1], part[2].data<int64_t>()[k]);
  }
  Tensor indices = Tensor::empty(DType::kInt64, Shape({count, dims + 1}));
  Tensor values = Tensor::empty(parts[0][1].dtype(), Shape({count}));
  int64_t to = 0;
  for (size_t number = 0; number < parts.size(); ++number) {
    const std::vector<Tensor>& part = parts[number];
    data::copy_elements(values, to, part[1], 0, part[1].elements());
    for (int64_t i = 0; i < rows_of(part[1]); ++i, ++to) {
      int64_t* const row = indices.data<int64_t>() + to * (dims + 1);
      row[0] = static_cast<int64_t>(number);
      std::copy_n(part[0].data<int64_t>() + i * dims, dims, row + 1);
    }
  }
  Tensor sizes = Tensor::empty(DType::kInt64, Shape({dims + 1}));
  std::ranges::copy(shape, sizes.data<int64_t>());
  return {std::move(indices), std::move(values), std::move(sizes)};
}

}  // namespace footlight::data
