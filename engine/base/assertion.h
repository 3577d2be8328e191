// The error of a failed assert statement inside of a graph: its Python exception is an AssertionError, as without a
// graph, and an InvalidArgumentError, as the op's.
#pragma once

#include "engine/base/errors.h"

namespace footlight {

class AssertionFailure : public Error {
 public:
  explicit AssertionFailure(std::string message) : Error(ErrorKind::kInvalidArgument, std::move(message)) {}
};

}  // namespace footlight
