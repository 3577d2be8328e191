// How many columns of a terminal a text takes, for tables whose columns are to be aligned.
#pragma once

#include "engine/base/terminal_text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace footlight::cli {

// 0: combining marks, joiners and variation selectors; 2: East Asian wide characters and emoji; else 1.
inline size_t columns_of_character(uint32_t c) {
  struct Range { uint32_t first, last; };
  static constexpr Range kNone[] = {{0x0300, 0x036F}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  static constexpr Range kTwo[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                                   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
                                   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  for (const Range& range : kNone)
    if (c >= range.first && c <= range.last) return 0;
  for (const Range& range : kTwo)
    if (c >= range.first && c <= range.last) return 2;
  return 1;
}

// A byte that is not UTF-8 counts as the one character that is printed for it.
inline size_t columns_of(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const size_t length = utf8_sequence(text);
    const auto first = static_cast<unsigned char>(text[0]);
    uint32_t c = length < 2 ? first : first & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; ++i) c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    columns += length ? columns_of_character(c) : 1;
    text.remove_prefix(length ? length : 1);
  }
  return columns;
}

}  // namespace footlight::cli
