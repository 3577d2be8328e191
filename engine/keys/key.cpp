// Writes, reads, compares and generalises keys.
#include "engine/keys/key.h"

#include "engine/keys/hooks.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace footlight::keys {

constinit Hooks hooks;

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

TensorSpec Item::spec() const {
  TensorSpec spec;
  spec.dtype = static_cast<uint8_t>(payload);
  spec.has_rank = (payload >> 8 & 0xff) != kUnknownRank;
  spec.sizes = {reinterpret_cast<const int64_t*>(words.data() + 1), words.size() - 1};
  spec.weak = token == Token::kTensor && (payload >> 16 & 1);
  if (token == Token::kTensor) spec.placement = static_cast<uint32_t>(payload >> 24);
  return spec;
}

std::string_view Item::text() const { return {reinterpret_cast<const char*>(words.data() + 1), payload}; }
double Item::floating() const { return std::bit_cast<double>(words[1]); }

namespace {

// The size of an item, from its first word.
struct Extent {
  uint64_t words = 1;     // number of its own words, including the first
  uint64_t children = 0;  // number of child items
};

Extent extent_of(Token token, uint64_t payload) {
  switch (token) {
    case Token::kTensor:
    case Token::kVariable: {
      const uint64_t rank = payload >> 8 & 0xff;
      return {1 + (rank == kUnknownRank ? 0 : rank), 0};
    }
    case Token::kContext:
    case Token::kInt:
    case Token::kFloat:
    case Token::kObject:
    case Token::kType:
    case Token::kCustom: return {2, 0};
    case Token::kComplex: return {3, 0};
    case Token::kBigInt:
    case Token::kString:
    case Token::kBytes: return {1 + (payload + 7) / 8, 0};
    case Token::kCallable:
    case Token::kNamedTuple:
    case Token::kRecord: return {2, payload};
    case Token::kList:
    case Token::kTuple:
    case Token::kSet:
    case Token::kSlice: return {1, payload};
    case Token::kDict: return {1, payload * 2};
    case Token::kNone:
    case Token::kEllipsis:
    case Token::kAny:
    case Token::kBool: break;
  }
  return {};
}

constexpr int kDeepestNesting = 200;  // the dispatcher refuses arguments nested far less deeply

bool skip_item(std::span<const uint64_t> words, size_t& position, int depth) {
  if (position >= words.size() || depth > kDeepestNesting) return false;
  const uint64_t head = words[position];
  if ((head & 0xff) > static_cast<uint64_t>(Token::kAny)) return false;
  const Extent extent = extent_of(static_cast<Token>(head & 0xff), head >> 8);
  const size_t left = words.size() - position;
  if (extent.words > left || extent.children > left) return false;
  position += extent.words;
  for (uint64_t i = 0; i < extent.children; ++i)
    if (!skip_item(words, position, depth + 1)) return false;
  return true;
}

}  // namespace

Item read(std::span<const uint64_t> words, size_t& position) {
  Item item;
  const uint64_t head = words[position];
  item.token = static_cast<Token>(head & 0xff);
  item.payload = head >> 8;
  const Extent extent = extent_of(item.token, item.payload);
  item.children = static_cast<uint32_t>(extent.children);
  item.words = words.subspan(position, extent.words);
  position += extent.words;
  if (item.token >= Token::kObject && item.words.size() > 1) item.number = item.words[1];
  return item;
}

bool well_formed(std::span<const uint64_t> words) {
  if (words.empty() || static_cast<Token>(words[0] & 0xff) != Token::kContext) return false;
  size_t position = 0;
  while (position < words.size())
    if (!skip_item(words, position, 0)) return false;
  return true;
}

namespace {

bool same_words(const Item& a, const Item& b) {
  return a.words.size() == b.words.size() &&
         std::memcmp(a.words.data(), b.words.data(), a.words.size() * sizeof(uint64_t)) == 0;
}

// Whether nothing differs but the shapes.
bool is_same_kind(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.weak == b.weak && a.placement == b.placement;
}

// Whether everything known about `general` also holds for `specific`.
bool is_subshape(const TensorSpec& specific, const TensorSpec& general) {
  if (!general.has_rank) return true;
  if (!specific.has_rank || specific.sizes.size() != general.sizes.size()) return false;
  for (size_t i = 0; i < general.sizes.size(); ++i)
    if (general.sizes[i] != kUnknownSize && general.sizes[i] != specific.sizes[i]) return false;
  return true;
}

// What both specs agree on. The sizes are stored in `storage`.
TensorSpec relax(const TensorSpec& a, const TensorSpec& b, SmallVector<int64_t, 8>& storage) {
  TensorSpec both;
  both.dtype = a.dtype;
  both.weak = a.weak;
  both.placement = a.placement;
  both.has_rank = a.has_rank && b.has_rank && a.sizes.size() == b.sizes.size();
  if (!both.has_rank) return both;
  for (size_t i = 0; i < a.sizes.size(); ++i)
    storage.push_back(a.sizes[i] == b.sizes[i] ? a.sizes[i] : kUnknownSize);
  both.sizes = {storage.data(), storage.size()};
  return both;
}

}  // namespace

bool is_subtype(std::span<const uint64_t> specific, std::span<const uint64_t> general) {
  size_t i = 0, k = 0;
  while (i < specific.size() && k < general.size()) {
    const size_t begin = i;
    const Item a = read(specific, i), b = read(general, k);
    if (b.token == Token::kAny) {
      i = begin;
      if (!skip_item(specific, i, 0)) return false;
      continue;
    }
    if (a.token != b.token) return false;
    if (a.token == Token::kTensor || a.token == Token::kVariable) {
      const TensorSpec x = a.spec(), y = b.spec();
      if (!is_same_kind(x, y) || !is_subshape(x, y)) return false;
      if (a.token == Token::kVariable && (a.trainable() != b.trainable() || a.alias() != b.alias())) return false;
    } else if (!same_words(a, b)) {
      if (a.token != Token::kCustom || !hooks.custom_subtype || !hooks.custom_subtype(a.number, b.number)) return false;
    }
  }
  return i == specific.size() && k == general.size();
}

uint64_t hash_without_shapes(std::span<const uint64_t> words) {
  KeyWriter out;
  for (size_t at = 0; at < words.size();) {
    const Item item = read(words, at);
    if (item.token == Token::kTensor) {
      out.tensor({item.spec().dtype, false, {}, item.spec().weak, item.spec().placement});
    } else if (item.token == Token::kVariable) {
      out.variable({item.spec().dtype, false, {}}, item.trainable(), item.alias());
    } else if (item.token == Token::kCustom) {
      out.put(Token::kCustom);
    } else {
      for (uint64_t word : item.words) out.words.push_back(word);
    }
  }
  return hash_words(out.words);
}

std::optional<std::vector<uint64_t>> generalise(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  KeyWriter out;
  size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    const Item x = read(a, i), y = read(b, k);
    if (x.token != y.token) return std::nullopt;
    if (x.token == Token::kTensor || x.token == Token::kVariable) {
      const bool variable = x.token == Token::kVariable;
      if (!is_same_kind(x.spec(), y.spec())) return std::nullopt;
      if (variable && (x.trainable() != y.trainable() || x.alias() != y.alias())) return std::nullopt;
      SmallVector<int64_t, 8> storage;
      const TensorSpec both = relax(x.spec(), y.spec(), storage);
      if (variable) out.variable(both, x.trainable(), x.alias());
      else out.tensor(both);
    } else if (same_words(x, y)) {
      for (uint64_t word : x.words) out.words.push_back(word);
    } else if (const auto both = x.token == Token::kCustom && hooks.custom_supertype
                                     ? hooks.custom_supertype(x.number, y.number)
                                     : std::nullopt) {
      out.numbered(Token::kCustom, *both);
    } else {
      return std::nullopt;
    }
  }
  if (i != a.size() || k != b.size()) return std::nullopt;
  return std::vector<uint64_t>(out.words.begin(), out.words.end());
}

}  // namespace footlight::keys
