// The flag that asks running work to stop: polled per program step and per range of a kernel's loop.
#pragma once

#include "engine/base/errors.h"

#include <atomic>

namespace footlight {

inline std::atomic<bool> cancel_requested{false};

inline void check_cancelled() {
  if (cancel_requested.load(std::memory_order_relaxed)) [[unlikely]]
    throw Error(ErrorKind::kCancelled, "the computation was stopped");
}

}  // namespace footlight
