// A string literal as a template argument: `one_op<"Add">`, `"MatMul"_op`, `"axis"_attr`.
#pragma once

#include <algorithm>
#include <cstddef>

namespace footlight {

// Hidden, as are templates that take one: each library has its own, and none of their long names is exported.
template <size_t N>
struct [[gnu::visibility("hidden")]] Literal {
  char text[N];
  consteval Literal(const char (&s)[N]) { std::copy_n(s, N, text); }
};

}  // namespace footlight
