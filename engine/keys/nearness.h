// Which of two earlier traces is nearer to a new key, by what differs from each.
#pragma once

#include "engine/keys/key.h"

#include <algorithm>

namespace footlight::keys {

// A difference of form or structure hides what it holds: None and a dict of ten tensors differ once. So one of these
// weighs more than any number of shapes, dtypes and values.
inline bool is_nearer(std::span<const Difference> a, std::span<const Difference> b) {
  const auto forms = [](std::span<const Difference> all) {
    return std::ranges::count_if(all, [](const Difference& d) {
      return d.kind == Difference::Kind::kForm || d.kind == Difference::Kind::kStructure;
    });
  };
  return std::pair(forms(a), a.size()) < std::pair(forms(b), b.size());
}

}  // namespace footlight::keys
