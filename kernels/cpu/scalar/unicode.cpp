// Classifies letters and converts their case.
#include "kernels/cpu/scalar/unicode.h"

#include <algorithm>

namespace footlight {

namespace {

struct Range {
  uint32_t first, last;
};
struct CaseRun {
  uint32_t first, last;
  uint8_t stride;
  int32_t distance;
};
struct Capitals {
  uint32_t code;
  uint32_t letters[3];
};

#include "kernels/cpu/scalar/unicode_tables.inc"

template <size_t N>
uint32_t other_case(const CaseRun (&runs)[N], uint32_t code) {
  const CaseRun* at =
      std::upper_bound(runs, runs + N, code, [](uint32_t c, const CaseRun& r) { return c < r.first; });
  // Two runs of stride 2 may overlap.
  for (int back = 0; back < 2 && at != runs; ++back) {
    --at;
    if (code <= at->last && (code - at->first) % at->stride == 0)
      return static_cast<uint32_t>(static_cast<int64_t>(code) + at->distance);
  }
  return code;
}

bool is_letter(uint32_t code) {
  const auto* at = std::upper_bound(std::begin(kLetters), std::end(kLetters), code,
                                    [](uint32_t c, const Range& r) { return c < r.first; });
  return at != std::begin(kLetters) && code <= std::prev(at)->last;
}

}  // namespace

std::pair<uint32_t, size_t> code_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[at + k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {kNoCode, 1};
  uint32_t code = first & (0x7fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {kNoCode, 1};
    code = code << 6 | (byte(k) & 0x3fu);
  }
  const bool wrong = (length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff)) ||
                     (code >= 0xd800 && code < 0xe000);
  return wrong ? std::pair<uint32_t, size_t>{kNoCode, 1} : std::pair<uint32_t, size_t>{code, length};
}

void append_code(std::string& out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

uint32_t to_lower_code(uint32_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
  return other_case(kToLower, code);
}

uint32_t to_upper_code(uint32_t code) {
  if (code < 0x80) return code >= 'a' && code <= 'z' ? code - 32 : code;
  return other_case(kToUpper, code);
}

std::string changed_case(std::string_view text, bool upper) {
  std::string out;
  bool after_letter = false;
  for (size_t at = 0; at < text.size();) {
    const auto [code, length] = code_at(text, at);
    at += length;
    if (code == kNoCode) {
      append_code(out, 0xfffd);
      continue;
    }
    const Capitals* capitals = nullptr;
    if (upper && code >= 0x80) {
      const auto* found = std::lower_bound(std::begin(kCapitals), std::end(kCapitals), code,
                                           [](const Capitals& c, uint32_t k) { return c.code < k; });
      if (found != std::end(kCapitals) && found->code == code) capitals = found;
    }
    constexpr uint32_t kSigma = 0x3a3, kFinalSigma = 0x3c2, kDottedI = 0x130;
    if (capitals) {
      for (uint32_t letter : capitals->letters)
        if (letter) append_code(out, letter);
    } else if (!upper && code == kSigma && after_letter &&
               (at >= text.size() || !is_letter(code_at(text, at).first))) {
      append_code(out, kFinalSigma);
    } else if (!upper && code == kDottedI) {
      append_code(out, 'i');
      append_code(out, 0x307);
    } else {
      append_code(out, upper ? to_upper_code(code) : to_lower_code(code));
    }
    after_letter = is_letter(code);
  }
  return out;
}

}  // namespace footlight
