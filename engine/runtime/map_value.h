// An immutable map from tensors to tensors. Making a changed map takes constant time, and leaves the original as it
// was.
#pragma once

#include "engine/runtime/versions.h"
#include "engine/tensor/tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::runtime {

// Keys are equal if their dtypes, shapes and bytes are.
class TensorMap final : public Resource {
 public:
  struct Entry {
    Tensor key, value;
    uint64_t number = 0;  // counts keys in the order in which they were added
  };

  TensorMap();
  ~TensorMap() override;

  size_t size() const { return size_; }
  Tensor find(const Tensor& key) const;  // an empty tensor if there is no such key
  std::vector<Entry> entries() const;    // in the order in which keys were added

  // These return new maps, whose reference count is 0.
  TensorMap* with(const Tensor& key, Tensor value) const;
  TensorMap* without(const Tensor& key) const;  // null if there is no such key

 private:
  struct Entries {
    struct Change {
      std::string key;
      std::optional<Entry> entry;  // empty: erases the key
    };
    std::unordered_map<std::string, Entry> now;
    uint64_t next_number = 0;
    void apply(Change&);
  };
  TensorMap(std::shared_ptr<Version<Entries>> version, size_t size);

  std::shared_ptr<Version<Entries>> version_;
  size_t size_ = 0;
};

// A scalar of dtype variant, which owns the map.
Tensor map_tensor(TensorMap*);
// Null if the tensor is not a map.
const TensorMap* find_map(const Tensor&);

}  // namespace footlight::runtime
