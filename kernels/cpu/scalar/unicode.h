// Code points: their UTF-8 form and case. Its tables are ours: the data of ICU is 31 MB, the whole engine 23.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace footlight {

// The code point at `at` and its length; {kNoCode, 1} for an invalid byte.
inline constexpr uint32_t kNoCode = 0xffffffff;
std::pair<uint32_t, size_t> code_at(std::string_view text, size_t at);
void append_code(std::string& out, uint32_t code);

// A code point in the other case, itself if it has none.
uint32_t to_lower_code(uint32_t);
uint32_t to_upper_code(uint32_t);
// A whole text in the other case, with capitals that expand to several letters and the final sigma.
std::string changed_case(std::string_view text, bool upper);

}  // namespace footlight
