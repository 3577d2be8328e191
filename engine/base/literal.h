// A string literal as a template argument: `one_op<"Add">`, `"MatMul"_op`, `"axis"_attr`.
#pragma once

#include <algorithm>
#include <cstddef>

namespace footlight {

// Its visibility is hidden, and so is that of templates over it: no library exports their long names.
template <size_t N>
struct [[gnu::visibility("hidden")]] Literal {
  char text[N];
  consteval Literal(const char (&s)[N]) { std::copy_n(s, N, text); }
};

}  // namespace footlight
