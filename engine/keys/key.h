// The cache key of a call: a flat array of words that is built without allocating, compared with memcmp and decoded
// only to explain it. The dispatcher and the explanation of a retrace use the same form.
#pragma once

#include "engine/base/small_vector.h"
#include "engine/session/records.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight::keys {

// The kind of a leaf or structure. It is the lowest byte of its first word; the rest of that word is its payload.
enum class Token : uint8_t {
  kContext,     // word: number of the device that the innermost tf.device scope asks for; 0 outside any
  kTensor,      // payload: dtype, rank (255 unknown) << 8, weak << 16, placement << 24; words: dims
  kVariable,    // payload: dtype, rank << 8, trainable << 16, alias number << 24; words: dims
  kNone,
  kEllipsis,
  kBool,        // payload: 0 or 1
  kInt,         // word: value
  kBigInt,      // payload: length; words: decimal digits
  kFloat,       // word: the bits, so that 0.0 and -0.0 differ; all NaNs are the same
  kComplex,     // two words
  kString,      // payload: length; words: bytes
  kBytes,
  kObject,      // word: number; the same number means the same (or, for objects with equality, an equal) object
  kType,        // word: number of a class, module or the like
  kCustom,      // word: number of the trace type from the user's __tf_tracing_type__
  kCallable,    // payload: children; word: number of the code; children: the values it closes over
  kList,        // payload: children
  kTuple,
  kSet,
  kSlice,
  kDict,        // payload: entries; children: key and value of each, sorted by key
  kNamedTuple,  // payload: children; word: number of the class
  kRecord,      // dataclass or attrs instance, encoded like a named tuple
  kAny,         // PyTorch: no guard looks at it, so a trace serves whatever stands there
};

inline constexpr uint64_t kUnknownRank = 255;
inline constexpr int64_t kUnknownSize = -1;

// A dtype by its number (engine/base/dtype_names.h) and the sizes of the dimensions.
struct TensorSpec {
  uint8_t dtype = 0;
  bool has_rank = true;
  std::span<const int64_t> sizes;  // kUnknownSize where a size is unknown
  bool weak = false;               // JAX: an operation takes another operand's dtype instead
  uint32_t placement = 0;          // JAX: number of the mesh that the array's type names; 0: none
};

using Words = SmallVector<uint64_t, 48>;

// The object for which a number in keys stands.
struct NumberedObject {
  std::string name;        // "<Model object>", "Point(x,y)", "<lambda> (train.py:14)"
  int64_t since_ns = 0;    // known to exist since then; 0: since its first key
};
using Names = std::unordered_map<uint64_t, NumberedObject>;

// Appends tokens. Instances are reused: no allocation for keys of usual size.
class KeyWriter {
 public:
  Words words;

  void clear() { words.clear(); }
  void put(Token token, uint64_t payload = 0) { words.push_back(static_cast<uint64_t>(token) | payload << 8); }
  void tensor(const TensorSpec& spec) {
    put(Token::kTensor, head(spec) | uint64_t{spec.weak} << 16 | uint64_t{spec.placement} << 24);
    append_sizes(spec);
  }
  void variable(const TensorSpec& spec, bool trainable, uint32_t alias) {
    put(Token::kVariable, head(spec) | uint64_t{trainable} << 16 | uint64_t{alias} << 24);
    append_sizes(spec);
  }
  void integer(int64_t value) {
    put(Token::kInt);
    words.push_back(static_cast<uint64_t>(value));
  }
  void floating(double value);
  void complex(double real, double imaginary);
  void text(Token token, std::string_view bytes);
  void numbered(Token token, uint64_t number, uint64_t payload = 0) {
    put(token, payload);
    words.push_back(number);
  }
  void context(uint64_t device) {
    put(Token::kContext);
    words.push_back(device);
  }

 private:
  static uint64_t head(const TensorSpec& spec) {
    return spec.dtype | (spec.has_rank ? spec.sizes.size() : kUnknownRank) << 8;
  }
  void append_sizes(const TensorSpec& spec) {
    for (int64_t size : spec.sizes) words.push_back(static_cast<uint64_t>(size));
  }
};

uint64_t hash_words(std::span<const uint64_t>);

// A stored key: its words, hash, and names to describe it.
struct Key {
  std::vector<uint64_t> words;
  uint64_t hash = 0;
  std::vector<std::string> parameters;     // of the definition, one for each item after the context
  std::shared_ptr<const Names> names;

  Key() = default;
  Key(std::span<const uint64_t> w, std::vector<std::string> p, std::shared_ptr<const Names> n)
      : words(w.begin(), w.end()), hash(hash_words(w)), parameters(std::move(p)), names(std::move(n)) {}
  bool same(std::span<const uint64_t> other) const;
};

// One decoded token.
struct Item {
  Token token = Token::kNone;
  uint64_t payload = 0;
  uint64_t number = 0;                     // for numbered tokens
  std::span<const uint64_t> words;         // all of its own words, header included, children excluded
  uint32_t children = 0;                   // items that follow and belong to it

  // Valid for tensors and variables.
  TensorSpec spec() const;
  uint32_t alias() const { return static_cast<uint32_t>(payload >> 24); }
  bool trainable() const { return payload >> 16 & 1; }
  std::string_view text() const;
  int64_t integer() const { return static_cast<int64_t>(words[1]); }
  double floating() const;
  bool is_structure() const { return token >= Token::kCallable && token != Token::kAny; }
  bool is_literal() const { return token >= Token::kNone && token <= Token::kBytes; }
};

// Reads the item at `position` and moves past its own words (not its children).
Item read(std::span<const uint64_t> words, size_t& position);

// Whether the words are a complete key: every item ends within them and has all its children. Words read from a file
// must pass this before anything else here reads them.
bool well_formed(std::span<const uint64_t> words);

// The place of an item in a key. Dictionary keys have none of their own.
struct ItemPlace {
  std::string path;           // as in describe(), but with the numbers of tuple and record fields: "args[0].1"
  size_t begin = 0, end = 0;  // its words, children included
  Item item;
};
// The places, in the order of describe().
std::vector<ItemPlace> places(std::span<const uint64_t> words);

// Whether a trace made for `general` serves every argument of `specific`.
bool is_subtype(std::span<const uint64_t> specific, std::span<const uint64_t> general);

// Equal for keys that differ only in shapes and in the user's own trace types.
uint64_t hash_without_shapes(std::span<const uint64_t> words);

// The most specific key that covers both; none if they differ in more than shapes and trace types.
std::optional<std::vector<uint64_t>> generalise(std::span<const uint64_t> a, std::span<const uint64_t> b);

// Leaves with paths, for recordings and display.
std::vector<session::KeyLeaf> describe(const Key&);
// "f32[32,8] 0.1": the whole key on one short line.
std::string summary(const Key&);

// A shortest path at which two keys differ: "args[0]['x'].shape[1]", "len(args[1])".
struct Difference {
  std::string path;
  std::string parameter;
  enum class Kind : uint8_t {
    kValue,
    kShape,
    kRank,
    kDType,
    kWeakType,
    kPlacement,
    kForm,
    kStructure,
    kObject,
    kCallable,
    kAlias,
    kContext
  } kind;
};
std::vector<Difference> differences(const Key& a, const Key& b);
// "value of lr"; "shape of batch, value of lr"
std::string phrase(const std::vector<Difference>&);

}  // namespace footlight::keys
