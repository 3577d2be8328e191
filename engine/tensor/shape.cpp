// Shapes: printing and the partial order of known dimensions.
#include "engine/tensor/shape.h"

#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <limits>

namespace footlight {

void size_too_large(int64_t a, const char* sign, int64_t b) {
  invalid("a size of ", a, sign, b, " is larger than 2**63 - 1");
}

void check_dimensions_fit(const Shape& shape, DType dtype) {
  for (int d = 0; dtype == DType::kInt32 && d < shape.rank(); ++d)
    if (shape[d] > std::numeric_limits<int32_t>::max())
      invalid("dimension ", d, " is ", shape[d], ", which 32 bits cannot hold: ask for out_type=tf.int64");
}

void check_shape(const Shape& shape) {
  if (shape.rank() > kMaxDimensions)
    invalid("a shape of ", shape.rank(), " dimensions: a tensor has at most ", kMaxDimensions);
  int64_t count = 1;
  for (int64_t d : shape.dims()) {
    if (d < kUnknownDim) invalid("Dimension ", d, " must be >= 0, or a size is larger than 2**63 - 1");
    if (d > 0 && __builtin_mul_overflow(count, d, &count))
      invalid("a tensor of shape ", shape.to_string(), " would have more than 2**63 - 1 elements");
  }
}

Shape unknown_dimensions(int64_t rank) {
  if (rank > kMaxDimensions) invalid("a shape of ", rank, " dimensions: a tensor has at most ", kMaxDimensions);
  return Shape::of_rank(static_cast<int>(rank));
}

Shape Shape::unknown_rank() {
  Shape s;
  s.has_rank_ = false;
  return s;
}

bool Shape::fully_known() const {
  if (!has_rank_) return false;
  return std::none_of(dims_.begin(), dims_.end(), [](int64_t d) { return d < 0; });
}

int64_t Shape::elements() const {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t d : dims_) overflow |= __builtin_mul_overflow(count, d, &count);
  if (overflow && std::none_of(dims_.begin(), dims_.end(), [](int64_t d) { return d == 0; }))
    invalid("A shape of ", to_string(), " has more elements than 64 bits can count");
  return overflow ? 0 : count;
}

std::string Shape::to_string() const {
  if (!has_rank_) return "<unknown>";
  std::string out = "(";
  for (int i = 0; i < rank(); ++i) {
    if (i) out += ", ";
    out += (*this)[i] < 0 ? "None" : std::to_string((*this)[i]);
  }
  if (rank() == 1) out += ',';
  return out + ")";
}

std::string Shape::brackets() const {
  if (!has_rank_) return "<unknown>";
  std::string out = "[";
  for (int i = 0; i < rank(); ++i) {
    if (i) out += ',';
    out += (*this)[i] < 0 ? "?" : std::to_string((*this)[i]);
  }
  return out + "]";
}

bool is_subshape(const Shape& specific, const Shape& general) {
  if (!general.has_rank()) return true;
  if (!specific.has_rank() || specific.rank() != general.rank()) return false;
  for (int i = 0; i < general.rank(); ++i)
    if (general[i] >= 0 && specific[i] != general[i]) return false;
  return true;
}

bool compatible(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return true;
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i)
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return false;
  return true;
}

Shape merge(const Shape& a, const Shape& b) {
  if (!compatible(a, b))
    fail(ErrorKind::kValue, "Shapes ", a.to_string(), " and ", b.to_string(), " are not compatible");
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  Shape out = a;
  for (int i = 0; i < a.rank(); ++i)
    if (out[i] < 0) out.set(i, b[i]);
  return out;
}

Shape relax(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return Shape::unknown_rank();
  Shape out = a;
  for (int i = 0; i < a.rank(); ++i)
    if (a[i] != b[i]) out.set(i, kUnknownDim);
  return out;
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown_rank();
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  const int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer[offset + i];
    const int64_t y = shorter[i];
    if (x == y || y == 1) continue;
    if (x == 1) {
      out.set(offset + i, y);
    } else if (x < 0 || y < 0) {
      out.set(offset + i, std::max(x, y));  // the unknown one is 1 or the same
    } else {
      invalid("Incompatible shapes: ", a.brackets(), " vs. ", b.brackets());
    }
  }
  return out;
}

}  // namespace footlight
