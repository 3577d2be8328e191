// An assert statement of the program that failed while a graph ran: Python sees an exception that is an AssertionError,
// as without a graph, and an InvalidArgumentError, as the op's.
#pragma once

#include "engine/base/errors.h"

namespace footlight {

class AssertionFailure : public Error {
 public:
  explicit AssertionFailure(std::string message) : Error(ErrorKind::kInvalidArgument, std::move(message)) {}
};

}  // namespace footlight
