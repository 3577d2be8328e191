// Building messages: str("a ", 3, " b") and fail(kind, "a ", 3, " b").
#pragma once

#include "engine/base/errors.h"

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace footlight {

inline void append_to(std::string& out, std::string_view text) { out.append(text); }
inline void append_to(std::string& out, const char* text) { out.append(text); }
inline void append_to(std::string& out, const std::string& text) { out.append(text); }
inline void append_to(std::string& out, char c) { out.push_back(c); }
inline void append_to(std::string& out, bool b) { out.append(b ? "true" : "false"); }
template <std::integral I>
void append_to(std::string& out, I number) { out.append(std::to_string(number)); }
template <std::floating_point F>
void append_to(std::string& out, F number) {
  char text[32];
  out.append(text, static_cast<size_t>(std::snprintf(text, sizeof text, "%g", static_cast<double>(number))));
}

// The text in quotes, unprintable characters escaped as in C, as protobuf's text form and tf.print write strings.
void append_quoted(std::string& out, std::string_view text);

// "12 B", "2.0 KB", "1.5 GB": in units of 1,024.
std::string bytes_text(uint64_t bytes);

template <class... Parts>
std::string str(const Parts&... parts) {
  std::string out;
  (append_to(out, parts), ...);
  return out;
}

template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, str(parts...));
}

template <class... Parts>
[[noreturn]] void invalid(const Parts&... parts) {
  throw Error(ErrorKind::kInvalidArgument, str(parts...));
}

}  // namespace footlight
