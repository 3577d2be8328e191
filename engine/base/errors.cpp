// What happens when a bug of ours is found.
#include "engine/base/errors.h"

#include <cstdio>
#include <cstdlib>

namespace footlight {

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "footlight: internal check failed at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // What happens when an internal bug is found.
