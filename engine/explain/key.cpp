// Writing, reading, comparing and generalising keys.
#include "engine/explain/key.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace footlight::explain {

CustomSubtype custom_subtype = nullptr;

void KeyWriter::floating(double value) {
  put(Token::kFloat);
  words.push_back(std::bit_cast<uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value));
}

void KeyWriter::complex(double real, double imaginary) {
  put(Token::kComplex);
  for (double part : {real, imaginary})
    words.push_back(std::bit_cast<uint64_t>(std::isnan(part) ? std::numeric_limits<double>::quiet_NaN() : part));
}

void KeyWriter::text(Token token, std::string_view bytes) {
  put(token, bytes.size());
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<size_t>(8, bytes.size() - i));
    words.push_back(word);
  }
}

uint64_t hash_words(std::span<const uint64_t> words) {
  uint64_t hash = 0x9e3779b97f4a7c15ull ^ words.size();
  for (uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  }
  return hash;
}

bool Key::same(std::span<const uint64_t> other) const {
  return words.size() == other.size() && std::memcmp(words.data(), other.data(), words.size() * sizeof(uint64_t)) == 0;
}

Shape Item::shape() const {
  const uint64_t rank = payload >> 8 & 0xff;
  if (rank == 255) return Shape::unknown_rank();
  Shape shape;
  for (uint64_t i = 0; i < rank; ++i) shape.append(static_cast<int64_t>(words[1 + i]));
  return shape;
}

std::string_view Item::text() const { return {reinterpret_cast<const char*>(words.data() + 1), payload}; }
double Item::floating() const { return std::bit_cast<double>(words[1]); }

Item read(std::span<const uint64_t> words, size_t& position) {
  Item item;
  const uint64_t head = words[position];
  item.token = static_cast<Token>(head & 0xff);
  item.payload = head >> 8;
  size_t length = 1;
  switch (item.token) {
    case Token::kContext: length += 3; break;
    case Token::kTensor:
    case Token::kVariable: {
      const uint64_t rank = item.payload >> 8 & 0xff;
      length += rank == 255 ? 0 : rank;
      break;
    }
    case Token::kInt:
    case Token::kFloat: length += 1; break;
    case Token::kComplex: length += 2; break;
    case Token::kBigInt:
    case Token::kString:
    case Token::kBytes: length += (item.payload + 7) / 8; break;
    case Token::kObject:
    case Token::kType:
    case Token::kCustom: length += 1; break;
    case Token::kCallable:
    case Token::kNamedTuple:
    case Token::kRecord:
      length += 1;
      item.children = static_cast<uint32_t>(item.payload);
      break;
    case Token::kList:
    case Token::kTuple:
    case Token::kSet:
    case Token::kSlice: item.children = static_cast<uint32_t>(item.payload); break;
    case Token::kDict: item.children = static_cast<uint32_t>(item.payload * 2); break;
    case Token::kNone:
    case Token::kEllipsis:
    case Token::kBool: break;
  }
  item.words = words.subspan(position, length);
  position += length;
  if (item.token >= Token::kObject && item.words.size() > 1) item.number = item.words[1];
  return item;
}

namespace {

bool same_words(const Item& a, const Item& b) {
  return a.words.size() == b.words.size() &&
         std::memcmp(a.words.data(), b.words.data(), a.words.size() * sizeof(uint64_t)) == 0;
}

}  // namespace

bool is_subtype(std::span<const uint64_t> specific, std::span<const uint64_t> general) {
  size_t i = 0, k = 0;
  while (i < specific.size() && k < general.size()) {
    const Item a = read(specific, i), b = read(general, k);
    if (a.token != b.token) return false;
    if (a.token == Token::kTensor) {
      if (a.dtype() != b.dtype() || !is_subshape(a.shape(), b.shape())) return false;
    } else if (a.token == Token::kVariable) {
      if (a.dtype() != b.dtype() || a.trainable() != b.trainable() || a.alias() != b.alias() ||
          !is_subshape(a.shape(), b.shape()))
        return false;
    } else if (a.token == Token::kCustom) {
      if (a.number != b.number && !(custom_subtype && custom_subtype(a.number, b.number))) return false;
    } else if (!same_words(a, b)) {
      return false;
    }
  }
  return i == specific.size() && k == general.size();
}

std::optional<std::vector<uint64_t>> generalise(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  KeyWriter out;
  size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    const Item x = read(a, i), y = read(b, k);
    if (x.token != y.token) return std::nullopt;
    if (x.token == Token::kTensor) {
      if (x.dtype() != y.dtype()) return std::nullopt;
      out.tensor(x.dtype(), relax(x.shape(), y.shape()));
    } else if (x.token == Token::kVariable) {
      if (x.dtype() != y.dtype() || x.trainable() != y.trainable() || x.alias() != y.alias()) return std::nullopt;
      out.variable(x.dtype(), relax(x.shape(), y.shape()), x.trainable(), x.alias());
    } else if (same_words(x, y)) {
      for (uint64_t word : x.words) out.words.push_back(word);
    } else {
      return std::nullopt;
    }
  }
  if (i != a.size() || k != b.size()) return std::nullopt;
  return std::vector<uint64_t>(out.words.begin(), out.words.end());
}

}  // namespace footlight::explain
