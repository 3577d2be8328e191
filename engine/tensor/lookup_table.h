// Tables from keys to values: a resource, which ops fill and read, from any thread.
#pragma once

#include "engine/tensor/tensor.h"

#include <shared_mutex>
#include <string>
#include <string_view>
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
  std::string text(int64_t at) const;  // the key as text, for messages

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
  kDense,  // reserves two keys that the user cannot use
};

class LookupTable : public Resource {
 public:
  LookupTable(TableKind kind, DType keys, Shape key, DType values, Shape value);

  DType key_dtype() const { return keys_.dtype(); }
  DType value_dtype() const { return values_.dtype(); }
  const Shape& key_shape() const { return keys_.row(); }
  const Shape& value_shape() const { return values_.row(); }
  TableKind kind() const { return kind_; }
  // Prepares a dense table, which has as many buckets to begin with: a power of two.
  void reserve_keys(const Tensor& empty, const Tensor& deleted, int64_t buckets,
                    uint64_t (*hash_of_text)(std::string_view));

  // All check dtypes and shapes first. `op` names the op in errors.
  Tensor find(const Tensor& keys, const Tensor& otherwise, const char* op) const;
  void insert(const Tensor& keys, const Tensor& values, const char* op);
  void remove(const Tensor& keys, const char* op);
  void replace(const Tensor& keys, const Tensor& values, const char* op);
  // Initializes a static table; later calls do nothing.
  void initialize(const Tensor& keys, const Tensor& values, const char* op);
  bool initialized() const;
  int64_t size() const;
  std::pair<Tensor, Tensor> all() const;
  // The buckets of a dense table in rows, as TensorFlow has and reads them. A key that was removed left the deleted key
  // and its value there.
  std::pair<Tensor, Tensor> buckets() const;

 private:
  int64_t place(const Tensor& keys, int64_t index) const;  // -1: not there
  void put(const Tensor& keys, int64_t index, const Tensor& values);
  void remember(const Tensor& keys, int64_t index, int64_t at);
  void clear();
  void clear_buckets(int64_t count);
  void grow_buckets(int64_t wanted_keys);
  int64_t free_bucket(const Tensor& keys, int64_t index) const;
  int64_t num_keys() const { return static_cast<int64_t>(by_number_.size() + by_bytes_.size()); }
  Shape rows_of(const Tensor& keys, const char* op) const;  // the shape of keys without that of one
  void check_pair(const Tensor& keys, const Tensor& values, const char* op) const;
  bool is_reserved(const Tensor& keys, int64_t index) const;
  void refuse_reserved(const Tensor& keys, int64_t index, const char* op) const;
  bool by_number() const { return is_integer(keys_.dtype()) && keys_.row().rank() == 0; }

  const TableKind kind_;
  TableRows keys_, values_;                            // a dense table's are its buckets
  std::unordered_map<int64_t, int64_t> by_number_;     // scalar integers
  std::unordered_map<std::string, int64_t> by_bytes_;  // for keys of all other dtypes
  std::string empty_, deleted_;                        // keys as bytes
  Tensor empty_key_, deleted_key_;
  int64_t initial_buckets_ = 0;
  uint64_t (*hash_of_text_)(std::string_view) = nullptr;
  bool reserved_ = false;
  bool initialized_ = false;
  mutable std::shared_mutex lock_;
};

// The table behind a resource tensor; throws kInvalidArgument for another resource.
LookupTable& lookup_table_of(const Tensor& handle);

}  // namespace footlight
