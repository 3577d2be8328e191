// Reports an internal bug with an exception that is no Error, so that no handler of expected failures catches it. The
// user sees an InternalError that asks for a report (engine/python/interpreter/errors.cpp).
#include "engine/base/errors.h"

#include <stdexcept>
#include <string_view>

namespace footlight {

void check_failed(const char* file, int line, const char* condition) {
  // Only the path inside of the source tree is shown, not where the tree was built.
  std::string_view place = file;
  for (const std::string_view top : {"/engine/", "/kernels/", "/app/", "/tests/"})
    if (const size_t at = place.rfind(top); at != place.npos) place.remove_prefix(at + 1);
  throw std::logic_error("internal check failed at " + std::string(place) + ":" + std::to_string(line) + ": " +
                         condition);
}

}  // namespace footlight
