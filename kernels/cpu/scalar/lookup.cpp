// Kernels of lookup tables.
#include "kernels/cpu/register.h"

#include "engine/base/text.h"
#include "engine/tensor/lookup_table.h"
#include "kernels/cpu/scalar/hash.h"

#include <charconv>
#include <fstream>

namespace footlight::FL_ISA {

namespace {

template <TableKind kind, bool rows>
void new_table(KernelContext& c) {
  const auto key = c.attrs.get<DType>("key_dtype"_attr);
  if (kind == TableKind::kStatic && key != DType::kString && key != DType::kInt64 && key != DType::kInt32)
    fail(ErrorKind::kNotFound, "keys of a table are of string, int64 or int32, not ", name_of(key),
         " [Op:", c.row.name, "]");
  const Shape row = rows ? c.attrs.get_or("value_shape"_attr, Shape()) : Shape();
  c.outputs[0] = Tensor::resource(new LookupTable(kind, key, Shape(), c.attrs.get<DType>("value_dtype"_attr), row));
}

void new_dense(KernelContext& c) {
  const Tensor &empty = c.inputs[0], &deleted = c.inputs[1];
  if (!(empty.shape() == deleted.shape()))
    invalid("Empty and deleted keys must have same shape, got shapes: ", empty.shape().brackets(), " and ",
            deleted.shape().brackets(), " [Op:", c.row.name, "]");
  auto* table = new LookupTable(TableKind::kDense, empty.dtype(), empty.shape(), c.attrs.get<DType>("value_dtype"_attr),
                                c.attrs.get_or("value_shape"_attr, Shape()));
  Tensor handle = Tensor::resource(table);
  table->reserve_keys(empty, deleted, c.attrs.get_or("initial_num_buckets"_attr, int64_t{131072}), bucket_hash64);
  c.outputs[0] = std::move(handle);
}

LookupTable& table(KernelContext& c) { return lookup_table_of(c.inputs[0]); }

// The value that a line gives: its number, all of it, or a column.
constexpr int64_t kWholeLine = -2, kLineNumber = -1;

class Column {
 public:
  Column(DType dtype, int64_t index, int64_t offset, const char* op)
      : dtype_(dtype), index_(index), offset_(offset), op_(op) {
    if (index < kWholeLine) invalid("Invalid column index ", index, " [Op:", op, "]");
    if (index == kLineNumber && dtype != DType::kInt64)
      invalid("Key index for line number requires dtype int64, got ", name_of(dtype), " [Op:", op, "]");
    if (index == kWholeLine && dtype != DType::kString && dtype != DType::kInt64 && dtype != DType::kInt32)
      invalid("Index for whole line requires string or integer type, got ", name_of(dtype), " [Op:", op, "]");
  }
  void add(const std::string& line, const std::vector<std::string_view>& parts, int64_t number) {
    if (index_ == kLineNumber) return add_number(number + offset_);
    if (index_ >= static_cast<int64_t>(parts.size()) && index_ >= 0)
      invalid("Invalid number of columns in line ", number, " (", line, ") : expected at least ", index_ + 1, " got ",
              parts.size(), " [Op:", op_, "]");
    const std::string_view text = index_ == kWholeLine ? std::string_view(line) : parts[static_cast<size_t>(index_)];
    if (dtype_ == DType::kString) {
      strings_.emplace_back(text);
      return;
    }
    if (dtype_ == DType::kFloat32 || dtype_ == DType::kFloat64) {
      double value = 0;
      if (!parsed(text, value)) refuse(text, number);
      reals_.push_back(value);
      return;
    }
    int64_t value = 0;
    if (!parsed(text, value) || (dtype_ == DType::kInt32 && value != static_cast<int32_t>(value)))
      refuse(text, number);
    add_number(value);
  }
  Tensor all() const {
    const auto count = static_cast<int64_t>(std::max({strings_.size(), numbers_.size(), reals_.size()}));
    Tensor out = Tensor::empty(dtype_, Shape{count});
    switch (dtype_) {
      case DType::kString: std::copy(strings_.begin(), strings_.end(), out.data<std::string>()); break;
      case DType::kInt64: std::copy(numbers_.begin(), numbers_.end(), out.data<int64_t>()); break;
      case DType::kInt32:
        for (size_t i = 0; i < numbers_.size(); ++i) out.data<int32_t>()[i] = static_cast<int32_t>(numbers_[i]);
        break;
      case DType::kFloat32:
        for (size_t i = 0; i < reals_.size(); ++i) out.data<float>()[i] = static_cast<float>(reals_[i]);
        break;
      case DType::kFloat64: std::copy(reals_.begin(), reals_.end(), out.data<double>()); break;
      default: invalid("Table initializer: data type ", name_of(dtype_), " is not supported [Op:", op_, "]");
    }
    return out;
  }

 private:
  void add_number(int64_t value) { numbers_.push_back(value); }
  template <class Number>
  static bool parsed(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }
  [[noreturn]] void refuse(std::string_view text, int64_t number) const {
    invalid("Field ", text, " in line ", number, " is not a valid ", name_of(dtype_), ". [Op:", op_, "]");
  }
  const DType dtype_;
  const int64_t index_, offset_;
  const char* const op_;
  std::vector<std::string> strings_;
  std::vector<int64_t> numbers_;
  std::vector<double> reals_;
};

void initialize_from_file(KernelContext& c) {
  LookupTable& into = table(c);
  if (into.initialized()) return;
  const std::string& name = *c.in<std::string>(1);
  if (c.inputs[1].elements() != 1)
    invalid("filename should be a single string, but got ", c.inputs[1].shape().brackets());
  const std::string delimiter = c.attrs.get_or("delimiter"_attr, std::string("\t"));
  if (delimiter.size() != 1) invalid("delimiter should be only 1 char [Op:", c.row.name, "]");
  const int64_t most = c.attrs.get_or("vocab_size"_attr, int64_t{-1}),
                offset = c.attrs.get_or("offset"_attr, int64_t{0});
  std::ifstream file(name, std::ios::binary);
  if (!file) fail(ErrorKind::kNotFound, name, "; No such file or directory [Op:", c.row.name, "]");
  Column keys(into.key_dtype(), c.attrs.get<int64_t>("key_index"_attr), offset, c.row.name);
  Column values(into.value_dtype(), c.attrs.get<int64_t>("value_index"_attr), offset, c.row.name);
  std::string line;
  std::vector<std::string_view> parts;
  int64_t number = 0;
  for (; (most < 0 || number < most) && std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    parts.clear();
    std::string_view rest = line;
    for (size_t at; (at = rest.find(delimiter[0])) != rest.npos; rest.remove_prefix(at + 1))
      parts.push_back(rest.substr(0, at));
    parts.push_back(rest);
    keys.add(line, parts, number);
    values.add(line, parts, number);
  }
  if (file.bad()) fail(ErrorKind::kDataLoss, "cannot read ", name, " [Op:", c.row.name, "]");
  if (most >= 0 && number < most)
    invalid("Invalid vocab_size in ", name, ": expected ", most, " but got ", number, " [Op:", c.row.name, "]");
  into.initialize(keys.all(), values.all(), c.row.name);
}

}  // namespace

FL_CPU_KERNELS {
  for (const char* name : {"AnonymousHashTable", "HashTableV2"})
    on_cpu(name, kAllTypes, new_table<TableKind::kStatic, false>);
  for (const char* name : {"AnonymousMutableHashTable", "MutableHashTableV2"})
    on_cpu(name, kAllTypes, new_table<TableKind::kMutable, false>);
  for (const char* name : {"AnonymousMutableHashTableOfTensors", "MutableHashTableOfTensorsV2"})
    on_cpu(name, kAllTypes, new_table<TableKind::kMutable, true>);
  for (const char* name : {"AnonymousMutableDenseHashTable", "MutableDenseHashTableV2"})
    on_cpu(name, kAllTypes, new_dense);
  on_cpu("InitializeTableV2", kAllTypes,
         [](KernelContext& c) { table(c).initialize(c.inputs[1], c.inputs[2], c.row.name); });
  on_cpu("InitializeTableFromTextFileV2", kAllTypes, initialize_from_file);
  on_cpu("LookupTableFindV2", kAllTypes,
         [](KernelContext& c) { c.outputs[0] = table(c).find(c.inputs[1], c.inputs[2], c.row.name); });
  on_cpu("LookupTableInsertV2", kAllTypes,
         [](KernelContext& c) { table(c).insert(c.inputs[1], c.inputs[2], c.row.name); });
  on_cpu("LookupTableRemoveV2", kAllTypes, [](KernelContext& c) { table(c).remove(c.inputs[1], c.row.name); });
  on_cpu("LookupTableSizeV2", kAllTypes, [](KernelContext& c) { *c.out<int64_t>() = table(c).size(); });
  on_cpu("LookupTableExportV2", kAllTypes, [](KernelContext& c) {
    const LookupTable& from = table(c);
    auto [keys, values] = from.kind() == TableKind::kDense ? from.buckets() : from.all();
    c.outputs[0] = std::move(keys);
    c.outputs[1] = std::move(values);
  });
  on_cpu("LookupTableImportV2", kAllTypes,
         [](KernelContext& c) { table(c).replace(c.inputs[1], c.inputs[2], c.row.name); });
}

}  // namespace footlight::FL_ISA
