// Dtypes and shapes for keys in tests: the code under test knows no tensors, so its tests use none.
#pragma once

#include "engine/keys/key.h"

#include <initializer_list>

namespace footlight::keys {

enum class DType : uint8_t { kFloat32 = 1, kFloat64 = 2, kInt32 = 3, kString = 7, kInt64 = 9 };

constexpr int64_t kUnknownDim = kUnknownSize;

struct Shape {
  std::vector<int64_t> sizes;
  bool has_rank = true;

  Shape(std::initializer_list<int64_t> s) : sizes(s) {}
  static Shape unknown_rank() {
    Shape shape{};
    shape.has_rank = false;
    return shape;
  }
};

inline TensorSpec key_spec(DType dtype, const Shape& shape) {
  return {static_cast<uint8_t>(dtype), shape.has_rank, shape.sizes};
}

}  // namespace footlight::keys
