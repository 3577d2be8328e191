// Releases the GIL during long kernels.
#pragma once

#include "engine/python/interpreter/gil_state.h"

#include <cstdint>
#include <optional>

namespace footlight::python {

// Work on this many elements (about 20 us) is worth releasing the GIL; for less, switching threads costs more
// than it gains.
inline constexpr int64_t kLongWork = 1 << 15;

class WithoutGil {
 public:
  explicit WithoutGil(bool when) {
    if (when) release();
  }
  ~WithoutGil() {
    if (released_) restore();
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  void release();
  void restore();
  std::optional<GilReleased> released_;
};

}  // namespace footlight::python
