// The one hierarchy of expected failures. Each kind maps one to one onto a Python exception class.
// Bugs of our own are FL_CHECK, never an Error.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace footlight {

enum class ErrorKind : uint8_t {
  kValue,
  kType,
  kRuntime,
  kIndex,
  kKey,
  kLookup,
  kAttribute,
  kName,
  kNotImplemented,
  kMemory,
  kZeroDivision,
  kRecursion,
  kOverflow,
  kKeyboardInterrupt,
  kIo,
  // These are tf.errors.*.
  kInvalidArgument,
  kFailedPrecondition,
  kOutOfRange,
  kUnimplemented,
  kInternal,
  kNotFound,
  kAlreadyExists,
  kResourceExhausted,
  kCancelled,
  kAborted,
  kDataLoss,
  kUnavailable,
  kPermissionDenied,
  kDeadlineExceeded,
  kUnknown,
  // These are TypeErrors with classes of their own.
  kOperatorNotAllowedInGraph,
  kInaccessibleTensor,
  kSignatureMismatch,  // a TypeError that is also a ValueError
};

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

// A Python exception is already set in the interpreter: unwind to the boundary and leave it alone.
class PythonErrorSet : public std::exception {
 public:
  const char* what() const noexcept override { return "a Python exception is set"; }
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace footlight

// For internal bugs: throws std::logic_error with the location, which Python shows as InternalError.
#define FL_CHECK(condition) \
  ((condition) ? (void)0 : ::footlight::check_failed(__FILE__, __LINE__, #condition))
