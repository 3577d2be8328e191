// The one thread pool. A loop over [0, count) is cut into ranges of at least `grain` and run on all cores; inside a
// pool thread, in a forked child and for one range only it runs at once, here.
#pragma once

#include <cstdint>
#include <type_traits>

namespace footlight {

using RangeBody = void (*)(void* context, int64_t begin, int64_t end);

// Rethrows the first exception that a range threw, when all have ended.
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

// Threads that work on a loop, the caller included. Setting it takes effect for later loops; 0: as many as cores.
int pool_size();
void set_pool_size(int);

}  // namespace footlight
