// Tensors in a file by name: how code that does not know the format reads the values of a checkpoint.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace footlight {

struct NamedTensor {
  std::string name;
  Tensor value;
};

class TensorFile {
 public:
  struct Entry {
    std::string name;
    DType dtype = DType::kInvalid;
    Shape shape;
  };
  TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  virtual ~TensorFile() = default;

  virtual const std::vector<Entry>& entries() const = 0;        // sorted by name
  virtual const Entry* find(std::string_view name) const = 0;  // null: it holds none
  // Throws kNotFound for an unknown name, kDataLoss where the file is damaged.
  virtual Tensor read(std::string_view name) const = 0;
};

}  // namespace footlight
