// Letting other Python threads run during a long kernel.
#pragma once

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// Work over so many elements is worth letting go of the GIL (about 20 us); below it the hand-over costs more
// than it gives.
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
