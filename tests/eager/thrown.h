// Returns the error that an expression throws, for tests that check its kind and its message.
#pragma once

#include "engine/base/errors.h"

#include <string>

namespace footlight {

// kInternal, which no expected failure has, if nothing was thrown.
template <class Body>
ErrorKind kind_thrown(Body&& body, std::string* message = nullptr) {
  try {
    body();
  } catch (const Error& e) {
    if (message) *message = e.message();
    return e.kind();
  }
  return ErrorKind::kInternal;
}

}  // namespace footlight
