// The few fields by hand: protobuf is a library that is loaded for models only.
#include "engine/data/tensor_message.h"

#include "engine/base/text.h"
#include "engine/data/rows.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace footlight::data {
namespace {

constexpr uint64_t kDType = 1, kShape = 2, kContent = 4, kStrings = 8, kDim = 2, kSize = 1;
// Lists of numbers, by type; those of halves have their bits.
constexpr uint64_t kFloats = 5, kDoubles = 6, kInts = 7, kComplex64 = 9, kInt64s = 10, kBools = 11, kComplex128 = 12,
                   kHalves = 13, kUints32 = 16, kUints64 = 17;
constexpr uint64_t kTypeName = 1, kTensors = 3;  // of a variant
constexpr uint64_t kNumber = 0, kBytes = 2;  // how a field is written
constexpr size_t kMaxDims = 254;

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

namespace {

// All but the content.
std::string head_of(DType dtype, std::span<const int64_t> dims) {
  std::string out, shape, dim;
  put_number(out, kDType << 3 | kNumber);
  put_number(out, static_cast<uint64_t>(dtype));
  for (const int64_t size : dims) {
    dim.clear();
    if (size) {
      put_number(dim, kSize << 3 | kNumber);
      put_number(dim, static_cast<uint64_t>(size));
    }
    put_bytes(shape, kDim, dim);
  }
  put_bytes(out, kShape, shape);
  return out;
}

// All lengths, then all characters.
std::string joined(std::span<const std::string> strings) {
  std::string content;
  for (const std::string& text : strings) put_number(content, text.size());
  for (const std::string& text : strings) content += text;
  return content;
}

std::vector<std::string_view> parted(std::string_view content, uint64_t count) {
  if (count > content.size()) wrong();
  Fields lengths{content};
  std::vector<uint64_t> sizes(static_cast<size_t>(count));
  for (uint64_t& size : sizes) size = lengths.take();
  std::vector<std::string_view> strings;
  for (const uint64_t size : sizes) {
    if (size > lengths.left.size()) wrong();
    strings.push_back(lengths.left.substr(0, static_cast<size_t>(size)));
    lengths.left.remove_prefix(static_cast<size_t>(size));
  }
  if (!lengths.left.empty()) wrong();
  return strings;
}

}  // namespace

std::string tensor_message(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kVariant || dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "elements that hold ", name_of(dtype), " tensors cannot be saved");
  std::string out = head_of(dtype, tensor.shape().dims());
  if (dtype != DType::kString) put_bytes(out, kContent, {static_cast<const char*>(tensor.raw()), tensor.bytes()});
  else put_bytes(out, kContent, joined({tensor.data<std::string>(), static_cast<size_t>(tensor.elements())}));
  return out;
}

namespace {

struct Message {
  DType dtype = DType::kInvalid;
  std::vector<int64_t> dims;
  uint64_t elements = 1;
  std::string_view content;
  std::vector<std::string_view> strings;
  std::string numbers;  // of a list, in raw bytes
};

// Adds the numbers of a list, of which `fields` is at one number or at several.
void add_numbers(Message& message, Fields& fields) {
  if (message.dtype == DType::kInvalid || message.dtype == DType::kString) wrong();
  const bool raw = fields.field == kFloats || fields.field == kDoubles || fields.field == kComplex64 ||
                   fields.field == kComplex128;
  if (raw) {
    message.numbers += fields.bytes;
    return;
  }
  const size_t size = size_of(message.dtype);
  if (size > sizeof(uint64_t)) wrong();
  const auto add = [&](uint64_t number) {  // little endian: the first bytes are the lowest
    message.numbers.append(reinterpret_cast<const char*>(&number), size);
  };
  if (!fields.bytes.data()) return add(fields.number);
  for (Fields list{fields.bytes}; !list.left.empty();) add(list.take());
}

Message parsed(std::string_view bytes) {
  Message message;
  uint64_t dtype_number = 0;
  auto& [dtype, dims, elements, content, strings, numbers] = message;
  for (Fields fields{bytes}; fields.next();) {
    if (fields.field == kDType) {
      dtype_number = fields.number;
      if (dtype_number == 0 || dtype_number >= kDTypeCount) wrong();
      dtype = static_cast<DType>(dtype_number);
      if (!in_set(dtype, kAllTypes)) wrong();
    }
    else if (fields.field == kContent) content = fields.bytes;
    else if (fields.field == kStrings) strings.push_back(fields.bytes);
    else if (fields.field == kFloats || fields.field == kDoubles || fields.field == kInts ||
             fields.field == kComplex64 || fields.field == kInt64s || fields.field == kBools ||
             fields.field == kComplex128 || fields.field == kHalves || fields.field == kUints32 ||
             fields.field == kUints64)
      add_numbers(message, fields);
    else if (fields.field != kShape)
      fail(ErrorKind::kUnimplemented, "a tensor of a saved dataset is written in a way that cannot be read: field ",
           fields.field, " of its message");
    else
      for (Fields shape{fields.bytes}; shape.next();) {
        if (shape.field != kDim || dims.size() == kMaxDims) wrong();
        dims.push_back(0);
        for (Fields dim{shape.bytes}; dim.next();)
          if (dim.field == kSize) dims.back() = static_cast<int64_t>(dim.number);
      }
  }
  if (dtype == DType::kInvalid) wrong();
  for (const int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(elements, static_cast<uint64_t>(dim), &elements)) wrong();
  return message;
}

}  // namespace

Tensor tensor_of_message(std::string_view bytes) {
  Message message = parsed(bytes);
  auto& [dtype, dims, elements, content, strings, numbers] = message;
  if (dtype == DType::kVariant || dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "a saved dataset holds tensors of dtype ", name_of(dtype),
         ", which cannot be read");
  if (dtype == DType::kString && strings.empty()) strings = parted(content, elements);
  if (!numbers.empty()) {
    // A list that ends early goes on with its last number.
    const size_t each = size_of(dtype), had = numbers.size() / each;
    constexpr uint64_t kMax = 1 << 20;
    if (!content.empty() || numbers.size() % each || had > elements || (had < elements && elements > kMax)) wrong();
    while (numbers.size() < elements * each) numbers.append(numbers, numbers.size() - each, each);
    content = numbers;
  }
  // Whatever the shape says, the message has to hold it.
  const bool texts = dtype == DType::kString;
  if (texts ? elements != strings.size()
            : elements > content.size() || content.size() != elements * size_of(dtype))
    wrong();
  Tensor tensor = Tensor::empty(dtype, Shape(dims));
  if (texts)
    for (size_t i = 0; i < strings.size(); ++i) tensor.data<std::string>()[i] = strings[i];
  else if (!content.empty()) std::memcpy(tensor.raw(), content.data(), content.size());
  if (dtype == DType::kBool)  // another number is no bool
    for (size_t i = 0; i < content.size(); ++i) static_cast<char*>(tensor.raw())[i] = content[i] != 0;
  return tensor;
}

namespace {

constexpr std::string_view kRagged = "RaggedTensorVariant", kTensor = "tensorflow::Tensor";

std::string variant_message(std::string_view type, std::span<const std::string> tensors) {
  std::string out;
  put_bytes(out, kTypeName, type);
  for (const std::string& tensor : tensors) put_bytes(out, kTensors, tensor);
  return out;
}

std::string variants_message(std::span<const int64_t> dims, std::span<const std::string> variants) {
  std::string out = head_of(DType::kVariant, dims);
  put_bytes(out, kContent, joined(variants));
  return out;
}

std::vector<Tensor> tensors_of_variant(std::string_view variant, std::string_view type) {
  std::vector<Tensor> tensors;
  std::string_view found;
  for (Fields fields{variant}; fields.next();) {
    if (fields.field == kTypeName) found = fields.bytes;
    if (fields.field == kTensors) tensors.push_back(tensor_of_message(fields.bytes));
  }
  if (found != type) wrong();
  return tensors;
}

int64_t at(const Tensor& splits, int64_t i) {
  return splits.dtype() == DType::kInt32 ? splits.data<int32_t>()[i] : splits.data<int64_t>()[i];
}
int64_t rows_of(const Tensor& tensor) {
  if (tensor.shape().rank() == 0) wrong();
  return tensor.shape().dims()[0];
}

// Of rows, their values and then their splits, outermost first: one ragged tensor of all of them.
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
  if (rows.empty()) return out;  // without a row nobody knows the type of the values
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
    std::rotate(row.begin(), row.end() - 1, row.end());  // the values come first here
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
  // A batch: its first index is the number of the part, its shape the largest.
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
