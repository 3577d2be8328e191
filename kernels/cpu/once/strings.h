// What kernels of strings share: loops over elements on all cores, and numbers in words.
#pragma once

#include "engine/base/thread_pool.h"

#include <cstdint>
#include <string>

namespace footlight {

// A string costs from 20 ns on (what fits into the string itself) to a few hundred.
inline constexpr int64_t kStringsAtOnce = 2048;

// body(begin, end) over ranges of elements. What fails is run once more in order, so that the error is about the first
// element that is wrong.
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
    throw;  // it failed by something else
  }
}

// As printf's %.[precision]f, %.[precision]e and %.[precision]g write it.
void print_number(double value, char style, int precision, std::string& out);

}  // namespace footlight
