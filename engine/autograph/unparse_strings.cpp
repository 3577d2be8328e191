// Unparsing of constants: strings with the quotes that need the fewest backslashes, and f-strings.
#include "engine/autograph/unparser.h"

#include <algorithm>
#include <array>

namespace footlight::autograph {

namespace {

// One character of UTF-8 text produced by us or CPython: well formed, surrogates included.
char32_t next_character(std::string_view text, size_t& i) {
  const unsigned char c = static_cast<unsigned char>(text[i++]);
  if (c < 0x80) return c;
  const int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
  char32_t value = c & (0x3F >> more);
  for (int k = 0; k < more && i < text.size(); ++k) value = value << 6 | (static_cast<unsigned char>(text[i++]) & 0x3F);
  return value;
}

bool printable(const Host& host, char32_t c) {
  if (c < 0x80) return c >= 0x20 && c != 0x7F;
  if (c >= 0xD800 && c < 0xE000) return false;
  return host.is_printable ? host.is_printable(c) : true;
}

void escape(std::string& out, char32_t c) {
  static constexpr char digits[] = "0123456789abcdef";
  if (c == '\n') { out += "\\n"; return; }
  if (c == '\r') { out += "\\r"; return; }
  if (c == '\t') { out += "\\t"; return; }
  if (c == '\\') { out += "\\\\"; return; }
  const int width = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
  out += width == 2 ? "\\x" : width == 4 ? "\\u" : "\\U";
  for (int shift = (width - 1) * 4; shift >= 0; shift -= 4) out += digits[c >> shift & 15];
}

// Like Python's repr: single quotes unless only those occur inside.
std::string repr(const Host& host, std::string_view text) {
  const bool single = text.find('\'') == text.npos || text.find('"') != text.npos;
  const char quote = single ? '\'' : '"';
  std::string out(1, quote);
  for (size_t i = 0; i < text.size();) {
    const size_t start = i;
    const char32_t c = next_character(text, i);
    if (c == static_cast<char32_t>(quote)) {
      out += '\\';
      out += quote;
    } else if (c == '\\' || !printable(host, c)) {
      escape(out, c);
    } else {
      out += text.substr(start, i - start);
    }
  }
  out += quote;
  return out;
}

using Quotes = std::vector<std::string_view>;
constexpr std::array<std::string_view, 4> kAllQuotes{"'", "\"", "\"\"\"", "'''"};
constexpr std::array<std::string_view, 2> kTripleQuotes{"\"\"\"", "'''"};

// The text between quotes with as few backslashes as possible; `quotes` is narrowed to those that fit.
std::string between_quotes(const Host& host, std::string_view text, Quotes& quotes, bool escape_whitespace) {
  std::string escaped;
  for (size_t i = 0; i < text.size();) {
    const size_t start = i;
    const char32_t c = next_character(text, i);
    if (!escape_whitespace && (c == '\n' || c == '\t')) escaped += static_cast<char>(c);
    else if (c == '\\' || !printable(host, c)) escape(escaped, c);
    else escaped += text.substr(start, i - start);
  }
  Quotes possible;
  const bool lines = escaped.find('\n') != escaped.npos;
  for (std::string_view quote : quotes)
    if ((!lines || quote.size() == 3) && escaped.find(quote) == escaped.npos) possible.push_back(quote);
  if (possible.empty()) {
    const std::string plain = repr(host, text);
    const char used = plain[0];
    auto fits = std::find_if(quotes.begin(), quotes.end(), [&](std::string_view q) { return q[0] == used; });
    quotes = {fits != quotes.end() ? *fits : used == '\'' ? kAllQuotes[0] : kAllQuotes[1]};
    return plain.substr(1, plain.size() - 2);
  }
  if (!escaped.empty()) {
    std::stable_sort(possible.begin(), possible.end(), [&](std::string_view a, std::string_view b) {
      return (a[0] == escaped.back()) < (b[0] == escaped.back());
    });
    if (possible[0][0] == escaped.back()) escaped.insert(escaped.size() - 1, 1, '\\');
  }
  quotes = possible;
  return escaped;
}

// repr() writes infinity as a name; the parser needs a literal that overflows to it.
std::string number(std::string_view text) {
  std::string out(text);
  for (size_t found; (found = out.find("inf")) != out.npos;) out.replace(found, 3, "1e309");
  return out;
}

std::string doubled_braces(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

}  // namespace

void Unparser::constant(const Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kNone: out_ += "None"; break;
    case ConstantKind::kTrue: out_ += "True"; break;
    case ConstantKind::kFalse: out_ += "False"; break;
    case ConstantKind::kEllipsis: out_ += "..."; break;
    case ConstantKind::kNumber:
      out_ += constant.text.empty() ? std::to_string(constant.integer) : number(constant.text);
      break;
    case ConstantKind::kBytes: out_ += constant.text; break;
    case ConstantKind::kString:
      if (avoid_backslashes_) string(constant.text, false);
      else out_ += repr(tree_.host, constant.text);
      break;
  }
}

void Unparser::string(std::string_view text, bool only_triple) {
  Quotes quotes = only_triple ? Quotes(kTripleQuotes.begin(), kTripleQuotes.end())
                              : Quotes(kAllQuotes.begin(), kAllQuotes.end());
  const std::string inside = between_quotes(tree_.host, text, quotes, false);
  out_ += quotes[0];
  out_ += inside;
  out_ += quotes[0];
}

void Unparser::pieces(const Node* joined, std::vector<Piece>& out, bool spec) {
  for (const Node* value : joined->list(at::JoinedStr::values)) {
    if (is(value, Kind::kConstant)) {
      out.push_back({doubled_braces(value->constant(at::Constant::value).text), true});
      continue;
    }
    if (is(value, Kind::kJoinedStr)) {
      pieces(value, out, spec);
      continue;
    }
    Unparser inner(tree_, true);
    inner.expression(value->node(at::FormattedValue::value), kTest + 1);
    std::string text = inner.finish().text;
    text.insert(0, text.starts_with('{') ? "{ " : "{");
    if (const int64_t conversion = value->integer(at::FormattedValue::conversion); conversion > 0) {
      text += '!';
      text += static_cast<char>(conversion);
    }
    const Node* format = value->node(at::FormattedValue::format_spec);
    if (!format) {
      out.push_back({text + '}', false});
      continue;
    }
    out.push_back({text + ':', false});
    if (is(format, Kind::kJoinedStr)) pieces(format, out, true);
    out.push_back({"}", false});
  }
}

void Unparser::f_string(const Node* node) {
  std::vector<Piece> all;
  if (is(node, Kind::kFormattedValue)) {
    Tree scratch;
    Node* joined = scratch.make(Kind::kJoinedStr, node->at);
    joined->fields()[at::JoinedStr::values].list = scratch.list({const_cast<Node*>(node)});
    pieces(joined, all);
  } else {
    pieces(node, all);
  }
  // Expressions decide the quotes first: nothing in them can be escaped. Literal parts are escaped where necessary.
  Quotes quotes(kAllQuotes.begin(), kAllQuotes.end());
  Quotes fitting;
  for (std::string_view quote : quotes) {
    const bool fits = std::none_of(all.begin(), all.end(), [&](const Piece& piece) {
      return !piece.literal && (piece.text.find(quote) != piece.text.npos ||
                                (quote.size() == 1 && piece.text.find('\n') != piece.text.npos));
    });
    if (fits) fitting.push_back(quote);
  }
  if (!fitting.empty()) quotes = fitting;
  Quotes narrowed = quotes;
  std::string text;
  bool good = true;
  for (const Piece& piece : all) {
    if (!piece.literal) {
      text += piece.text;
      continue;
    }
    Quotes now = narrowed;
    text += between_quotes(tree_.host, piece.text, now, true);
    Quotes both;
    for (std::string_view quote : narrowed)
      if (std::find(now.begin(), now.end(), quote) != now.end()) both.push_back(quote);
    if (both.empty()) {
      good = false;
      break;
    }
    narrowed = both;
  }
  // Two adjacent parts, or the last part and the closing quote, must not spell the quote by accident.
  std::erase_if(narrowed, [&](std::string_view quote) {
    return text.find(quote) != text.npos || text.ends_with(quote[0]);
  });
  if (narrowed.empty()) good = false;
  out_ += 'f';
  if (good) {
    out_ += narrowed[0];
    out_ += text;
    out_ += narrowed[0];
    return;
  }
  const std::string_view quote = quotes[0];
  out_ += quote;
  for (const Piece& piece : all) {
    if (!piece.literal) {
      out_ += piece.text;
      continue;
    }
    for (size_t i = 0; i < piece.text.size();) {
      const size_t start = i;
      const char32_t c = next_character(piece.text, i);
      if (c == static_cast<char32_t>(quote[0])) {
        out_ += '\\';
        out_ += quote[0];
      } else if (c == '\\' || !printable(tree_.host, c)) {
        escape(out_, c);
      } else {
        out_ += std::string_view(piece.text).substr(start, i - start);
      }
    }
  }
  out_ += quote;
}

}  // namespace footlight::autograph
