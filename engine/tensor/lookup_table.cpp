// Lookup tables: keys and values in rows, and where each key's row is.
#include "engine/tensor/lookup_table.h"

#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <cstring>
#include <mutex>

namespace footlight {

namespace {

constexpr int64_t kMinBuckets = 4, kMaxBuckets = int64_t{1} << 28;

const std::byte* bytes_at(const Tensor& t, int64_t row, int64_t width) {
  return static_cast<const std::byte*>(t.raw()) + static_cast<size_t>(row * width) * size_of(t.dtype());
}

int64_t number_at(const Tensor& t, int64_t index) {
  return with_plain_type(t.dtype(), [&](auto zero) -> int64_t {
    if constexpr (std::is_integral_v<decltype(zero)>)
      return static_cast<int64_t>(t.data<decltype(zero)>()[index]);
    else
      return 0;
  });
}

// A key as bytes that no other key has.
std::string key_bytes(const Tensor& t, int64_t row, int64_t width) {
  if (t.dtype() != DType::kString) {
    std::string out(static_cast<size_t>(width) * size_of(t.dtype()), '\0');
    if (!out.empty()) std::memcpy(out.data(), bytes_at(t, row, width), out.size());
    return out;
  }
  const std::string* strings = t.data<std::string>() + row * width;
  if (width == 1) return *strings;
  std::string out;
  for (int64_t k = 0; k < width; ++k) out += str(strings[k].size(), ":") + strings[k];
  return out;
}

}  // namespace

TableRows::TableRows(DType dtype, Shape row) : dtype_(dtype), row_(std::move(row)), width_(row_.elements()) {}

void TableRows::add(const Tensor& from, int64_t index) {
  if (dtype_ == DType::kString) {
    const std::string* first = from.data<std::string>() + index * width_;
    strings_.insert(strings_.end(), first, first + width_);
  } else {
    const std::byte* first = bytes_at(from, index, width_);
    bytes_.insert(bytes_.end(), first, first + static_cast<size_t>(width_) * size_of(dtype_));
  }
  ++size_;
}

void TableRows::set(int64_t to, const Tensor& from, int64_t index) {
  const auto count = static_cast<size_t>(width_);
  if (dtype_ == DType::kString) {
    const std::string* first = from.data<std::string>() + index * width_;
    std::copy(first, first + width_, strings_.begin() + to * width_);
  } else if (count) {
    std::memcpy(bytes_.data() + static_cast<size_t>(to) * count * size_of(dtype_), bytes_at(from, index, width_),
                count * size_of(dtype_));
  }
}

void TableRows::move(int64_t to, int64_t from) {
  if (to == from) return;
  for (int64_t k = 0; k < width_; ++k) {
    if (dtype_ == DType::kString) {
      strings_[static_cast<size_t>(to * width_ + k)] = std::move(strings_[static_cast<size_t>(from * width_ + k)]);
    } else {
      const size_t size = size_of(dtype_);
      std::memcpy(bytes_.data() + static_cast<size_t>(to * width_ + k) * size,
                  bytes_.data() + static_cast<size_t>(from * width_ + k) * size, size);
    }
  }
}

void TableRows::drop_last() {
  --size_;
  if (dtype_ == DType::kString)
    strings_.resize(static_cast<size_t>(size_ * width_));
  else
    bytes_.resize(static_cast<size_t>(size_ * width_) * size_of(dtype_));
}

void TableRows::clear() {
  size_ = 0;
  strings_.clear();
  bytes_.clear();
}

bool TableRows::equal(int64_t at, const Tensor& other, int64_t index) const {
  if (dtype_ == DType::kString) {
    const std::string* first = other.data<std::string>() + index * width_;
    return std::equal(first, first + width_, strings_.begin() + at * width_);
  }
  const size_t count = static_cast<size_t>(width_) * size_of(dtype_);
  return count == 0 ||
         std::memcmp(bytes_.data() + static_cast<size_t>(at) * count, bytes_at(other, index, width_), count) == 0;
}

void TableRows::copy_to(Tensor& out, int64_t index, int64_t at) const {
  if (dtype_ == DType::kString) {
    std::copy_n(strings_.begin() + at * width_, width_, out.data<std::string>() + index * width_);
    return;
  }
  const size_t count = static_cast<size_t>(width_) * size_of(dtype_);
  if (count)
    std::memcpy(static_cast<std::byte*>(out.raw()) + static_cast<size_t>(index) * count,
                bytes_.data() + static_cast<size_t>(at) * count, count);
}

Tensor TableRows::all() const {
  Shape shape{size_};
  for (const int64_t d : row_.dims()) shape.append(d);
  Tensor out = Tensor::empty(dtype_, shape);
  for (int64_t i = 0; i < size_; ++i) copy_to(out, i, i);
  return out;
}

std::string TableRows::text(int64_t at) const {
  if (width_ != 1) return str("row ", at);
  if (dtype_ == DType::kString) return strings_[static_cast<size_t>(at)];
  return with_plain_type(dtype_, [&](auto value) -> std::string {
    std::memcpy(&value, bytes_.data() + static_cast<size_t>(at) * sizeof value, sizeof value);
    if constexpr (std::is_same_v<decltype(value), bool>)
      return value ? "1" : "0";
    else if constexpr (std::is_integral_v<decltype(value)>)
      return std::to_string(value);
    else if constexpr (requires { static_cast<double>(value); })
      return str(static_cast<double>(value));
    else
      return "a number";
  });
}

LookupTable::LookupTable(TableKind kind, DType keys, Shape key, DType values, Shape value)
    : kind_(kind), keys_(keys, std::move(key)), values_(values, std::move(value)) {}

void LookupTable::reserve_keys(const Tensor& empty, const Tensor& deleted, int64_t buckets,
                               uint64_t (*hash_of_text)(std::string_view)) {
  empty_ = key_bytes(empty, 0, keys_.width());
  deleted_ = key_bytes(deleted, 0, keys_.width());
  if (empty_ == deleted_) invalid("Empty and deleted keys cannot be equal");
  if (buckets < kMinBuckets || (buckets & (buckets - 1)) != 0)
    invalid("Number of buckets must be at least ", kMinBuckets, " and a power of 2, got: ", buckets);
  if (buckets > kMaxBuckets)
    fail(ErrorKind::kResourceExhausted, "a table cannot begin with ", buckets, " buckets: at most ", kMaxBuckets,
         " (initial_num_buckets), and it grows with its keys");
  empty_key_ = empty;
  deleted_key_ = deleted;
  initial_buckets_ = buckets;
  hash_of_text_ = hash_of_text;
  reserved_ = true;
  clear_buckets(buckets);
}

void LookupTable::clear() {
  keys_.clear();
  values_.clear();
  by_number_.clear();
  by_bytes_.clear();
}

void LookupTable::clear_buckets(int64_t count) {
  Tensor zero = Tensor::empty(values_.dtype(), values_.row());
  if (zero.dtype() != DType::kString && zero.elements())
    std::memset(zero.raw(), 0, static_cast<size_t>(zero.elements()) * size_of(zero.dtype()));
  clear();
  for (int64_t i = 0; i < count; ++i) {
    keys_.add(empty_key_, 0);
    values_.add(zero, 0);
  }
}

void LookupTable::grow_buckets(int64_t wanted_keys) {
  int64_t count = keys_.size();
  while (5 * wanted_keys > 4 * count) count *= 2;  // at most four of five are in use
  if (count == keys_.size()) return;
  const Tensor keys = keys_.all(), values = values_.all();
  const int64_t before = keys_.size();
  clear_buckets(count);
  for (int64_t i = 0; i < before; ++i)
    if (!is_reserved(keys, i)) put(keys, i, values);
}

int64_t LookupTable::free_bucket(const Tensor& keys, int64_t index) const {
  const int64_t width = keys_.width();
  const auto hash = [&](int64_t i) {
    return keys.dtype() == DType::kString ? hash_of_text_(keys.data<std::string>()[i])
                                          : static_cast<uint64_t>(number_at(keys, i));
  };
  uint64_t at = keys_.row().rank() == 0 ? hash(index) : 0, step = 0;
  for (int64_t k = 0; k < width && keys_.row().rank() > 0; ++k)
    at ^= hash(index * width + k) + 0x9e3779b97f4a7800u + (at << 10u) + (at >> 4u);
  const auto last = static_cast<uint64_t>(keys_.size() - 1);
  const auto is_free = [&](uint64_t bucket) {
    const auto row = static_cast<int64_t>(bucket);
    return keys_.equal(row, empty_key_, 0) || keys_.equal(row, deleted_key_, 0);
  };
  for (at &= last; !is_free(at);) at = (at + ++step) & last;
  return static_cast<int64_t>(at);
}

int64_t LookupTable::place(const Tensor& keys, int64_t index) const {
  if (by_number()) {
    const auto found = by_number_.find(number_at(keys, index));
    return found == by_number_.end() ? -1 : found->second;
  }
  const auto found = keys.dtype() == DType::kString && keys_.width() == 1
                         ? by_bytes_.find(keys.data<std::string>()[index])
                         : by_bytes_.find(key_bytes(keys, index, keys_.width()));
  return found == by_bytes_.end() ? -1 : found->second;
}

void LookupTable::put(const Tensor& keys, int64_t index, const Tensor& values) {
  if (const int64_t at = place(keys, index); at >= 0) {
    values_.set(at, values, index);
    return;
  }
  if (kind_ == TableKind::kDense) {
    const int64_t at = free_bucket(keys, index);
    remember(keys, index, at);
    keys_.set(at, keys, index);
    values_.set(at, values, index);
    return;
  }
  remember(keys, index, keys_.size());
  keys_.add(keys, index);
  values_.add(values, index);
}

void LookupTable::remember(const Tensor& keys, int64_t index, int64_t at) {
  if (by_number())
    by_number_.emplace(number_at(keys, index), at);
  else
    by_bytes_.emplace(key_bytes(keys, index, keys_.width()), at);
}

Shape LookupTable::rows_of(const Tensor& keys, const char* op) const {
  if (keys.dtype() != keys_.dtype())
    invalid("Key must be type ", name_of(keys_.dtype()), " but got ", name_of(keys.dtype()), " [Op:", op, "]");
  const int rank = keys.shape().rank(), key_rank = keys_.row().rank();
  bool fits = rank >= key_rank;
  for (int d = 0; fits && d < key_rank; ++d) fits = keys.shape()[rank - key_rank + d] == keys_.row()[d];
  if (!fits)
    invalid("Input key shape ", keys.shape().brackets(), " must end with the table's key shape ",
            keys_.row().brackets(), " [Op:", op, "]");
  return Shape(keys.shape().dims().first(static_cast<size_t>(rank - key_rank)));
}

void LookupTable::check_pair(const Tensor& keys, const Tensor& values, const char* op) const {
  if (values.dtype() != values_.dtype())
    invalid("Value must be type ", name_of(values_.dtype()), " but got ", name_of(values.dtype()), " [Op:", op, "]");
  Shape wanted = rows_of(keys, op);
  for (const int64_t d : values_.row().dims()) wanted.append(d);
  if (!(values.shape() == wanted))
    invalid("Expected shape ", wanted.brackets(), " for value, got ", values.shape().brackets(), " [Op:", op, "]");
}

bool LookupTable::is_reserved(const Tensor& keys, int64_t index) const {
  if (!reserved_) return false;
  const std::string key = key_bytes(keys, index, keys_.width());
  return key == empty_ || key == deleted_;
}

void LookupTable::refuse_reserved(const Tensor& keys, int64_t index, const char* op) const {
  if (!reserved_) return;
  const std::string key = key_bytes(keys, index, keys_.width());
  if (key == empty_) invalid("Using the empty_key as a table key is not allowed [Op:", op, "]");
  if (key == deleted_) invalid("Using the deleted_key as a table key is not allowed [Op:", op, "]");
}

Tensor LookupTable::find(const Tensor& keys, const Tensor& otherwise, const char* op) const {
  const Shape rows = rows_of(keys, op);
  if (otherwise.dtype() != values_.dtype())
    invalid("Default value must be type ", name_of(values_.dtype()), " but got ", name_of(otherwise.dtype()),
            " [Op:", op, "]");
  Shape shape = rows;
  for (const int64_t d : values_.row().dims()) shape.append(d);
  const bool each =
      kind_ == TableKind::kMutable && !(otherwise.shape() == values_.row()) && otherwise.shape() == shape;
  if (!each && !(otherwise.shape() == values_.row()))
    invalid("Expected shape ", values_.row().brackets(),
            kind_ == TableKind::kMutable ? str(" or ", shape.brackets()) : "", " for default value, got ",
            otherwise.shape().brackets(), " [Op:", op, "]");
  const TableRows defaults = [&] {
    TableRows all(values_.dtype(), values_.row());
    if (!each) all.add(otherwise, 0);
    return all;
  }();
  const std::shared_lock held(lock_);
  if (kind_ == TableKind::kStatic && !initialized_)
    fail(ErrorKind::kFailedPrecondition, "Table not initialized. [Op:", op, "]");
  Tensor out = Tensor::empty(values_.dtype(), shape);
  TableRows one(values_.dtype(), values_.row());
  for (int64_t i = 0; i < rows.elements(); ++i) {
    refuse_reserved(keys, i, op);
    const int64_t at = place(keys, i);
    if (at >= 0) {
      values_.copy_to(out, i, at);
    } else if (each) {
      one.clear();
      one.add(otherwise, i);
      one.copy_to(out, i, 0);
    } else {
      defaults.copy_to(out, i, 0);
    }
  }
  return out;
}

void LookupTable::insert(const Tensor& keys, const Tensor& values, const char* op) {
  if (kind_ == TableKind::kStatic)
    fail(ErrorKind::kUnimplemented, "Unsupported method: this table is filled once, by its initializer [Op:", op,
         "]");
  check_pair(keys, values, op);
  const int64_t count = rows_of(keys, op).elements();
  const std::unique_lock held(lock_);
  for (int64_t i = 0; i < count; ++i) refuse_reserved(keys, i, op);
  if (kind_ == TableKind::kDense) grow_buckets(num_keys() + count);
  for (int64_t i = 0; i < count; ++i) put(keys, i, values);
}

void LookupTable::remove(const Tensor& keys, const char* op) {
  if (kind_ == TableKind::kStatic)
    fail(ErrorKind::kUnimplemented, "Unsupported method: this table is filled once, by its initializer [Op:", op,
         "]");
  const int64_t count = rows_of(keys, op).elements();
  const std::unique_lock held(lock_);
  for (int64_t i = 0; i < count; ++i) refuse_reserved(keys, i, op);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = place(keys, i);
    if (at < 0) continue;
    if (by_number())
      by_number_.erase(number_at(keys, i));
    else
      by_bytes_.erase(key_bytes(keys, i, keys_.width()));
    if (kind_ == TableKind::kDense) {
      keys_.set(at, deleted_key_, 0);
      continue;
    }
    // The last row takes the place.
    const int64_t last = keys_.size() - 1;
    if (last != at) {
      Tensor key = Tensor::empty(keys_.dtype(), keys_.row());
      keys_.copy_to(key, 0, last);
      if (by_number())
        by_number_[number_at(key, 0)] = at;
      else
        by_bytes_[key_bytes(key, 0, keys_.width())] = at;
      keys_.move(at, last);
      values_.move(at, last);
    }
    keys_.drop_last();
    values_.drop_last();
  }
}

void LookupTable::replace(const Tensor& given, const Tensor& given_values, const char* op) {
  if (kind_ == TableKind::kStatic) return initialize(given, given_values, op);
  Tensor keys = given, values = given_values;
  // TensorFlow's files have the places of a dense table, scalars as rows of one, and its empty places as well.
  const auto flat = [](Tensor& t, const Shape& row) {
    if (t.shape().rank() != 2 || t.shape()[1] != row.elements()) return;
    Shape shape{t.shape()[0]};
    for (const int64_t d : row.dims()) shape.append(d);
    t = t.reshaped(shape);
  };
  if (kind_ == TableKind::kDense) {
    flat(keys, keys_.row());
    flat(values, values_.row());
  }
  check_pair(keys, values, op);
  const int64_t count = rows_of(keys, op).elements();
  const std::unique_lock held(lock_);
  const bool are_buckets = kind_ == TableKind::kDense && count >= kMinBuckets && (count & (count - 1)) == 0;
  if (kind_ == TableKind::kDense && !are_buckets) {
    clear_buckets(initial_buckets_);
    grow_buckets(count);
  } else {
    clear();
  }
  for (int64_t i = 0; i < count; ++i) {
    if (are_buckets) {
      keys_.add(keys, i);
      values_.add(values, i);
      if (!is_reserved(keys, i)) remember(keys, i, i);
    } else if (!is_reserved(keys, i)) {
      put(keys, i, values);
    }
  }
}

void LookupTable::initialize(const Tensor& keys, const Tensor& values, const char* op) {
  if (kind_ != TableKind::kStatic) return insert(keys, values, op);
  check_pair(keys, values, op);
  const int64_t count = rows_of(keys, op).elements();
  const std::unique_lock held(lock_);
  if (initialized_) return;
  for (int64_t i = 0; i < count; ++i) {
    if (const int64_t at = place(keys, i); at >= 0) {
      if (values_.equal(at, values, i)) continue;
      TableRows wanted(values_.dtype(), values_.row());
      wanted.add(values, i);
      const std::string key = keys_.text(at), had = values_.text(at);
      clear();
      fail(ErrorKind::kFailedPrecondition, "HashTable has different value for same key. Key ", key, " has ", had,
           " and trying to add value ", wanted.text(0), " [Op:", op, "]");
    }
    put(keys, i, values);
  }
  initialized_ = true;
}

bool LookupTable::initialized() const {
  const std::shared_lock held(lock_);
  return initialized_;
}

int64_t LookupTable::size() const {
  const std::shared_lock held(lock_);
  return num_keys();
}

std::pair<Tensor, Tensor> LookupTable::all() const {
  const std::shared_lock held(lock_);
  return {keys_.all(), values_.all()};
}

std::pair<Tensor, Tensor> LookupTable::buckets() const {
  const std::shared_lock held(lock_);
  return {keys_.all().reshaped(Shape{keys_.size(), keys_.width()}),
          values_.all().reshaped(Shape{values_.size(), values_.width()})};
}

LookupTable& lookup_table_of(const Tensor& handle) {
  if (auto* table = dynamic_cast<LookupTable*>(handle.resource_object())) return *table;
  throw Error(ErrorKind::kInvalidArgument, "the resource is not a lookup table");
}

}  // namespace footlight
