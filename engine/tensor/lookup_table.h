// Tables from keys to values: a resource, which ops fill and read, from any thread.
#pragma once

#include "engine/tensor/tensor.h"

#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight {

// Rows of one dtype, each of `width` elements, one after the other.
class TableRows {
 public:
  TableRows(DType dtype, Shape row);
  DType dtype() const { return dtype_; }
  const Shape& row() const { return row_; }
  int64_t width() const { return width_; }
  int64_t size() const { return size_; }
  void add(const Tensor& from, int64_t index);
  void set(int64_t to, const Tensor& from, int64_t index);
  void move(int64_t to, int64_t from);  // within
  void drop_last();
  void clear();
  bool equal(int64_t at, const Tensor& other, int64_t index) const;
  void copy_to(Tensor& out, int64_t index, int64_t at) const;
  Tensor all() const;
  std::string text(int64_t at) const;  // for messages

 private:
  DType dtype_;
  Shape row_;
  int64_t width_, size_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::string> strings_;
};

enum class TableKind : uint8_t {
  kStatic,  // filled once, before it is read
  kMutable,
  kDense,  // with two keys that cannot be used
};

class LookupTable : public Resource {
 public:
  LookupTable(TableKind kind, DType keys, Shape key, DType values, Shape value);

  DType key_dtype() const { return keys_.dtype(); }
  DType value_dtype() const { return values_.dtype(); }
  const Shape& key_shape() const { return keys_.row(); }
  const Shape& value_shape() const { return values_.row(); }
  TableKind kind() const { return kind_; }
  // Of a dense table, which has at least so many places.
  void reserve_keys(const Tensor& empty, const Tensor& deleted, int64_t places);

  // All check dtypes and shapes first. `op` names the op in errors.
  Tensor find(const Tensor& keys, const Tensor& otherwise, const char* op) const;
  void insert(const Tensor& keys, const Tensor& values, const char* op);
  void remove(const Tensor& keys, const char* op);
  void replace(const Tensor& keys, const Tensor& values, const char* op);
  // Of a static table: once; later calls do nothing.
  void initialize(const Tensor& keys, const Tensor& values, const char* op);
  bool initialized() const;
  int64_t size() const;
  std::pair<Tensor, Tensor> all() const;
  // Of a dense table, as TensorFlow has and reads it: each key at the place that its hash gives, and the empty places.
  std::pair<Tensor, Tensor> in_places(uint64_t (*hash_of_text)(std::string_view)) const;

 private:
  int64_t place(const Tensor& keys, int64_t index) const;  // -1: not there
  void put(const Tensor& keys, int64_t index, const Tensor& values);
  Shape rows_of(const Tensor& keys, const char* op) const;  // the shape of keys without that of one
  void check_pair(const Tensor& keys, const Tensor& values, const char* op) const;
  bool is_reserved(const Tensor& keys, int64_t index) const;
  void refuse_reserved(const Tensor& keys, int64_t index, const char* op) const;
  bool by_number() const { return is_integer(keys_.dtype()) && keys_.row().rank() == 0; }

  const TableKind kind_;
  TableRows keys_, values_;
  std::unordered_map<int64_t, int64_t> by_number_;     // scalar integers
  std::unordered_map<std::string, int64_t> by_bytes_;  // all others
  std::string empty_, deleted_;                        // keys as bytes
  TableRows empty_key_;
  int64_t places_ = 0;
  bool reserved_ = false;
  bool initialized_ = false;
  mutable std::shared_mutex lock_;
};

// The table behind a resource tensor; throws kInvalidArgument for another resource.
LookupTable& lookup_table_of(const Tensor& handle);

}  // namespace footlight
