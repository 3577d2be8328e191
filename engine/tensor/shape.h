// A shape whose dimensions, or whose rank, may be unknown. Eager tensors have fully known ones.
#pragma once

#include "engine/base/small_vector.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace footlight {

inline constexpr int64_t kUnknownDim = -1;

class Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<int64_t> dims) : dims_(dims.begin(), dims.end()) {}
  explicit Shape(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}
  static Shape unknown_rank();

  bool has_rank() const { return has_rank_; }
  int rank() const { return static_cast<int>(dims_.size()); }  // has_rank() only
  int64_t operator[](int axis) const { return dims_[axis]; }   // kUnknownDim when unknown
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }
  void set(int axis, int64_t size) { dims_[axis] = size; }
  void append(int64_t size) { dims_.push_back(size); }
  static Shape of_rank(int rank, int64_t size = kUnknownDim) {
    Shape s;
    s.dims_.resize(static_cast<uint32_t>(rank), size);
    return s;
  }

  bool fully_known() const;
  int64_t elements() const;  // fully_known() only

  // "(2, None)", "<unknown>", "()", "(3,)" as TensorFlow prints them.
  std::string to_string() const;
  // "[2,?]": how runtime errors say it.
  std::string brackets() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  SmallVector<int64_t, 4> dims_;
  bool has_rank_ = true;
};

// Every dimension of `specific` that `general` knows is the same one.
bool is_subshape(const Shape& specific, const Shape& general);
bool compatible(const Shape&, const Shape&);
Shape merge(const Shape&, const Shape&);            // knows what either knows; they must be compatible
Shape relax(const Shape&, const Shape&);            // knows what both know and agree on
// NumPy's broadcasting with unknown dims; throws kInvalidArgument naming both.
Shape broadcast(const Shape&, const Shape&);

}  // namespace footlight
