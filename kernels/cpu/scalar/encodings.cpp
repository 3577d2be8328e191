// Reads and writes code points in the encodings that TensorFlow names.
#include "kernels/cpu/scalar/encodings.h"

#include "kernels/cpu/scalar/unicode.h"

#include <cctype>

namespace footlight {

bool encoding_of(std::string_view name, Encoding& out) {
  std::string plain;
  for (const char c : name)
    if (c != '-' && c != '_') plain += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  constexpr std::pair<std::string_view, Encoding> kKnown[] = {
      {"UTF8", Encoding::kUtf8},        {"UTF16BE", Encoding::kUtf16Big},    {"UTF16LE", Encoding::kUtf16Little},
      {"UTF32BE", Encoding::kUtf32Big}, {"UTF32LE", Encoding::kUtf32Little}, {"USASCII", Encoding::kAscii},
      {"ASCII", Encoding::kAscii},      {"ISO88591", Encoding::kLatin1},     {"LATIN1", Encoding::kLatin1}};
  for (const auto& [known, encoding] : kKnown)
    if (plain == known) {
      out = encoding;
      return true;
    }
  return false;
}

namespace {

using Found = std::function<void(uint32_t, size_t, bool)>;

unsigned byte_at(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

void each_utf8(std::string_view text, const Found& found) {
  for (size_t at = 0; at < text.size();) {
    const unsigned first = byte_at(text, at);
    if (first < 0x80) {
      found(first, at++, true);
      continue;
    }
    const size_t more = first >= 0xc2 && first < 0xe0   ? 1
                        : first >= 0xe0 && first < 0xf0 ? 2
                        : first >= 0xf0 && first < 0xf5 ? 3
                                                        : 0;
    uint32_t code = more == 1 ? first & 0x1f : more == 2 ? first & 0xf : first & 7;
    size_t taken = 1;
    for (; more && taken <= more && at + taken < text.size(); ++taken) {
      const unsigned next = byte_at(text, at + taken);
      // After some first bytes, the range of the second one is smaller.
      const unsigned least = taken == 1 && first == 0xe0 ? 0xa0 : taken == 1 && first == 0xf0 ? 0x90 : 0x80;
      const unsigned most = taken == 1 && first == 0xed ? 0x9f : taken == 1 && first == 0xf4 ? 0x8f : 0xbf;
      if (next < least || next > most) break;
      code = code << 6 | (next & 0x3f);
    }
    found(code, at, more && taken == more + 1);
    at += taken;
  }
}

void each_utf16(std::string_view text, bool big, const Found& found) {
  const auto unit = [&](size_t at) -> uint32_t {
    return big ? byte_at(text, at) << 8 | byte_at(text, at + 1) : byte_at(text, at + 1) << 8 | byte_at(text, at);
  };
  size_t at = 0;
  while (at + 1 < text.size()) {
    const uint32_t first = unit(at);
    if (first >= 0xd800 && first < 0xdc00 && at + 3 < text.size()) {
      if (const uint32_t second = unit(at + 2); second >= 0xdc00 && second < 0xe000) {
        found(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), at, true);
        at += 4;
        continue;
      }
    }
    found(first, at, first < 0xd800 || first >= 0xe000);
    at += 2;
  }
  if (at < text.size()) found(0, at, false);
}

void each_utf32(std::string_view text, bool big, const Found& found) {
  size_t at = 0;
  for (; at + 3 < text.size(); at += 4) {
    uint32_t code = 0;
    for (size_t k = 0; k < 4; ++k) code = code << 8 | byte_at(text, at + (big ? k : 3 - k));
    found(code, at, code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000));
  }
  if (at < text.size()) found(0, at, false);
}

}  // namespace

void each_code(std::string_view text, Encoding encoding, const Found& found) {
  switch (encoding) {
    case Encoding::kUtf8: return each_utf8(text, found);
    case Encoding::kUtf16Big: return each_utf16(text, true, found);
    case Encoding::kUtf16Little: return each_utf16(text, false, found);
    case Encoding::kUtf32Big: return each_utf32(text, true, found);
    case Encoding::kUtf32Little: return each_utf32(text, false, found);
    default:
      for (size_t at = 0; at < text.size(); ++at) {
        const unsigned code = byte_at(text, at);
        found(code, at, encoding == Encoding::kLatin1 || code < 0x80);
      }
  }
}

bool put_code(std::string& out, uint32_t code, Encoding encoding) {
  const auto put = [&](uint32_t value, int bytes, bool big) {
    for (int k = 0; k < bytes; ++k) out += static_cast<char>(value >> 8 * (big ? bytes - 1 - k : k) & 255);
  };
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code > 0x10ffff || surrogate) return false;
  switch (encoding) {
    case Encoding::kUtf8: append_code(out, code); return true;
    case Encoding::kUtf16Big:
    case Encoding::kUtf16Little: {
      const bool big = encoding == Encoding::kUtf16Big;
      if (code < 0x10000) {
        put(code, 2, big);
      } else {
        put(0xd800 + ((code - 0x10000) >> 10), 2, big);
        put(0xdc00 + ((code - 0x10000) & 0x3ff), 2, big);
      }
      return true;
    }
    case Encoding::kUtf32Big: put(code, 4, true); return true;
    case Encoding::kUtf32Little: put(code, 4, false); return true;
    default:
      if (code >= (encoding == Encoding::kLatin1 ? 0x100u : 0x80u)) return false;
      out += static_cast<char>(code);
      return true;
  }
}

}  // namespace footlight
