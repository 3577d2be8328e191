// The global thread pool. A loop over [0, count) is cut into ranges of at least `grain` and run on all cores; inside a
// pool thread, in a forked child and for a single range it runs inline.
#pragma once

#include <cstdint>
#include <type_traits>

namespace footlight {

using RangeBody = void (*)(void* context, int64_t begin, int64_t end);

// Rethrows the first exception thrown by a range, after all have finished.
void parallel_ranges(int64_t count, int64_t grain, RangeBody body, void* context);

template <class Body>
void parallel_for(int64_t count, int64_t grain, Body&& body) {
  if (count <= grain) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  parallel_ranges(
      count, grain,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      &body);
}

// Number of threads for a loop, the caller included. Changing it affects later loops; 0: one for
// each core that this process may run on.
int pool_size();
void set_pool_size(int);

}  // namespace footlight
