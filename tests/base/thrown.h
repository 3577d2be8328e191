// The error that an expression throws, for tests that check its kind and its message.
#pragma once

#include "engine/base/errors.h"

#include <QtGlobal>

#include <optional>
#include <string>

namespace footlight {

template <class Body>
std::optional<Error> error_of(Body&& body) {
  try {
    body();
  } catch (const Error& e) {
    return e;
  }
  return std::nullopt;
}

// kInternal, which no expected failure has, if nothing was thrown.
template <class Body>
ErrorKind kind_thrown(Body&& body, std::string* message = nullptr) {
  const std::optional<Error> error = error_of(body);
  if (error && message) *message = error->message();
  return error ? error->kind() : ErrorKind::kInternal;
}

template <class Body>
std::string message_thrown(Body&& body) {
  const std::optional<Error> error = error_of(body);
  return error ? error->message() : "no error";
}

inline bool says(const std::string& message, const char* words) {
  if (message.find(words) != message.npos) return true;
  qWarning("\"%s\" does not say \"%s\"", message.c_str(), words);
  return false;
}

}  // namespace footlight
