// Reading and assigning variables.
#include "engine/tensor/variable.h"

#include "engine/tensor/borrowed.h"

#include <cstring>
#include <utility>

namespace footlight {

namespace {

// Copies a value unless it is exclusive: a variable owns its memory, which nobody else may write or keep.
Tensor owned(const Tensor& value) {
  if (!is_borrowed(value)) return value.alias();
  Tensor own = Tensor::empty(value.dtype(), value.shape());
  if (value.bytes() > 0) std::memcpy(own.raw(), value.raw(), value.bytes());
  return own;
}

}  // namespace

void (*Variable::noted)(Variable*, bool alive) = nullptr;

Tensor Variable::value_or_none() const {
  std::lock_guard lock(mutex_);
  return value_ ? value_.alias() : Tensor();
}

Tensor Variable::replace(Tensor value) {
  std::lock_guard lock(mutex_);
  return std::exchange(value_, std::move(value));
}

bool Variable::initialized() const {
  std::lock_guard lock(mutex_);
  return static_cast<bool>(value_);
}

void Variable::throw_uninitialized() const {
  fail(ErrorKind::kFailedPrecondition, "the variable '", name_, "' is read before a value was assigned to it");
}

Tensor Variable::read() const {
  std::lock_guard lock(mutex_);
  if (!value_) throw_uninitialized();
  return value_.alias();
}

void Variable::check(DType dtype, const Shape& shape) const {
  if (dtype != dtype_)
    invalid("the variable '", name_, "' has dtype ", name_of(dtype_), ", a value of dtype ", name_of(dtype),
            " cannot be assigned to it");
  if (!compatible(shape, shape_))
    fail(ErrorKind::kValue, "Cannot assign value to variable '", name_, "': Shape mismatch. The variable shape ",
         shape_.to_string(), ", and the assigned value shape ", shape.to_string(), " are incompatible.");
}

void Variable::assign(const Tensor& value) {
  check(value.dtype(), value.shape());
  Tensor own = owned(value);
  std::lock_guard lock(mutex_);
  std::swap(value_, own);
}

}  // namespace footlight
