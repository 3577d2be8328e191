// Brackets are matched by a stack of bits, numbers are read digit by digit: a double holds no nanoseconds since 1970.
#include "engine/foreign/json.h"

#include <bitset>
#include <charconv>
#include <cmath>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxDepth = 500;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

void skip_spaces(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && is_space(text[n])) ++n;
  text.remove_prefix(n);
}

// The size of a string with its quotes; 0: it does not end.
size_t string_size(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == '"') return i + 1;
  }
  return 0;
}

size_t container_size(std::string_view text) {
  std::bitset<kMaxDepth> is_object;
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"': {
        const size_t size = string_size(text.substr(i));
        if (!size) return 0;
        i += size - 1;
        break;
      }
      case '{':
      case '[':
        if (depth == kMaxDepth) return 0;
        is_object[depth++] = text[i] == '{';
        break;
      case '}':
      case ']':
        if (is_object[--depth] != (text[i] == '}')) return 0;
        if (depth == 0) return i + 1;
        break;
      default: break;
    }
  }
  return 0;
}

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | c >> 6));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | c >> 18));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

// Four hexadecimal digits.
std::optional<uint32_t> hex4(std::string_view text) {
  uint32_t value = 0;
  if (text.size() < 4) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  return error == std::errc() && end == text.data() + 4 ? std::optional(value) : std::nullopt;
}

// Reads what follows \u, up to both halves of a surrogate pair; returns the characters that were used.
size_t append_escape(std::string& out, std::string_view text) {
  constexpr uint32_t kUnknown = 0xFFFD;
  const auto first = hex4(text);
  if (!first) return append_utf8(out, kUnknown), 0;
  if (*first < 0xD800 || *first > 0xDFFF) return append_utf8(out, *first ? *first : kUnknown), 4;
  const auto second = text.substr(4).starts_with("\\u") ? hex4(text.substr(6)) : std::nullopt;
  if (*first < 0xDC00 && second && *second >= 0xDC00 && *second <= 0xDFFF)
    return append_utf8(out, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00)), 10;
  return append_utf8(out, kUnknown), 4;
}

std::string_view unquoted(std::string_view value) {
  return is_json_text(value) ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

std::string_view json_value(std::string_view text) {
  if (text.empty()) return {};
  switch (text[0]) {
    case '"': return text.substr(0, string_size(text));
    case '{':
    case '[': return text.substr(0, container_size(text));
    default: {
      size_t n = 0;
      while (n < text.size() && !is_space(text[n]) && text[n] != ',' && text[n] != '}' && text[n] != ']' &&
             text[n] != ':' && text[n] != '"')
        ++n;
      return text.substr(0, n);
    }
  }
}

JsonParts::JsonParts(std::string_view container) : rest_(container) {
  skip_spaces(rest_);
  if (rest_.empty() || (rest_[0] != '{' && rest_[0] != '[')) {
    ok_ = false;
    return;
  }
  is_object_ = rest_[0] == '{';
  rest_.remove_prefix(1);
}

bool JsonParts::next() {
  if (!ok_) return false;
  skip_spaces(rest_);
  if (rest_.empty()) return ok_ = false;
  if (rest_[0] == (is_object_ ? '}' : ']')) return false;
  if (!first_) {
    if (rest_[0] != ',') return ok_ = false;
    rest_.remove_prefix(1);
    skip_spaces(rest_);
  }
  first_ = false;
  if (is_object_) {
    if (rest_.empty() || rest_[0] != '"') return ok_ = false;
    const size_t size = string_size(rest_);
    if (!size) return ok_ = false;
    key = rest_.substr(1, size - 2);
    rest_.remove_prefix(size);
    skip_spaces(rest_);
    if (rest_.empty() || rest_[0] != ':') return ok_ = false;
    rest_.remove_prefix(1);
    skip_spaces(rest_);
  }
  value = json_value(rest_);
  if (value.empty()) return ok_ = false;
  rest_.remove_prefix(value.size());
  return true;
}

bool is_json_text(std::string_view value) { return value.size() >= 2 && value[0] == '"'; }

std::string json_text(std::string_view value) {
  if (!is_json_text(value)) return std::string(value);
  value = unquoted(value);
  std::string out;
  out.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) {
      out.push_back(value[i] ? value[i] : ' ');
      continue;
    }
    switch (const char c = value[++i]) {
      case 'n': out.push_back('\n'); break;
      case 't': out.push_back('\t'); break;
      case 'r': out.push_back('\r'); break;
      case 'b': out.push_back('\b'); break;
      case 'f': out.push_back('\f'); break;
      case 'u': i += append_escape(out, value.substr(i + 1)); break;
      default: out.push_back(c); break;
    }
  }
  return out;
}

std::optional<double> json_number(std::string_view value) {
  value = unquoted(value);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number)) return {};
  return number;
}

std::optional<int64_t> json_integer(std::string_view value) { return json_scaled(value, 0); }

std::optional<int64_t> json_scaled(std::string_view value, int digits) {
  value = unquoted(value);
  std::string_view rest = value;
  const bool negative = rest.starts_with('-');
  if (negative) rest.remove_prefix(1);
  if (rest.empty() || rest[0] < '0' || rest[0] > '9') return {};
  int64_t number = 0;
  int after = -1;  // digits behind the point
  for (; !rest.empty(); rest.remove_prefix(1)) {
    const char c = rest[0];
    if (c == '.' && after < 0) {
      after = 0;
    } else if (c >= '0' && c <= '9') {
      if (after >= digits) continue;  // finer than what is kept
      if (__builtin_mul_overflow(number, int64_t{10}, &number) || __builtin_add_overflow(number, c - '0', &number))
        return {};
      after += after >= 0;
    } else {
      break;
    }
  }
  if (!rest.empty()) {  // an exponent: as exact as a double
    const auto whole = json_number(value);
    const double scaled = whole ? std::floor(*whole * std::pow(10.0, digits)) : HUGE_VAL;
    return std::abs(scaled) < 9e18 ? std::optional(static_cast<int64_t>(scaled)) : std::nullopt;
  }
  for (int i = std::max(after, 0); i < digits; ++i)
    if (__builtin_mul_overflow(number, int64_t{10}, &number)) return {};
  return negative ? -number : number;
}

}  // namespace footlight::foreign
