// Shared by string kernels: loops over elements on all cores, and numbers as text.
#pragma once

#include "engine/base/thread_pool.h"

#include <cstdint>
#include <string>

namespace footlight {

// A string costs from 20 ns on (what fits into the string itself) to a few hundred.
inline constexpr int64_t kStringsAtOnce = 2048;

// Calls body(begin, end) for ranges of elements, on all cores. A failed range is run again in order, so that the error
// is about the first invalid element.
template <class Body>
void for_strings(int64_t count, Body&& body) {
  if (count <= kStringsAtOnce) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  try {
    parallel_for(count, kStringsAtOnce, body);
  } catch (...) {
    body(int64_t{0}, count);
    throw;  // another kind of failure
  }
}

// Like printf's %.[precision]f, %.[precision]e and %.[precision]g.
void print_number(double value, char style, int precision, std::string& out);

}  // namespace footlight
