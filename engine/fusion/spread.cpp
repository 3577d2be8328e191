// Finds strides from the innermost dimension outwards, and merges dimensions that are contiguous.
#include "engine/fusion/spread.h"

namespace footlight::fusion {

std::optional<Spread> spread(const Shape& shape, const Shape& over) {
  Spread s;
  if (shape == over) return s;
  const int extra = over.rank() - shape.rank();
  if (extra < 0) return std::nullopt;
  int64_t next = 1;
  bool one = true;
  for (int k = over.rank() - 1; k >= 0; --k) {
    const int64_t n = over[k], own = k >= extra ? shape[k - extra] : 1;
    if (own != n && own != 1) return std::nullopt;
    const int64_t stride = own == 1 ? 0 : next;
    next *= own;
    one &= own == 1;
    if (n == 1) continue;
    if (s.rank && stride == s.stride[s.rank - 1] * s.size[s.rank - 1]) {
      s.size[s.rank - 1] *= n;
      continue;
    }
    if (s.rank == Spread::kMaxDims) return std::nullopt;
    s.size[s.rank] = n;
    s.stride[s.rank] = stride;
    ++s.rank;
  }
  if (one) s.kind = Spread::Kind::kScalar;
  else if (s.rank > 1 || s.stride[0] != 1) s.kind = Spread::Kind::kStrided;
  return s;
}

}  // namespace footlight::fusion
