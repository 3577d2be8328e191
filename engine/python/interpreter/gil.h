// Releases the GIL during long kernels.
#pragma once

#include "engine/python/interpreter/exceptions.h"

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
    if (state_) restore();
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  void release();
  void restore();
  PyThreadState* state_ = nullptr;
};

}  // namespace footlight::python
