// Whether this is a tree of a sanitizer: repetitions, which only find wrong results there, are then fewer.
#pragma once

namespace footlight::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// How many repetitions to run in place of COUNT.
template <class Number>
constexpr Number some_of(Number count) { return kSanitized ? (count + 4) / 5 : count; }

}  // namespace footlight::test
