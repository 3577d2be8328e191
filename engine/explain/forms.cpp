// Rewrites items of keys with what other calls of the run pass at the same place.
#include "engine/explain/forms.h"

#include "engine/base/dtype_names.h"

#include <algorithm>
#include <optional>

namespace footlight::explain {
namespace {

using keys::Item;
using keys::ItemPlace;
using keys::Token;
using Words = std::vector<uint64_t>;
using Sizes = std::vector<int64_t>;

void append(std::span<const uint64_t> words, keys::KeyWriter& to) {
  for (const uint64_t word : words) to.words.push_back(word);
}

// The position after the item that begins at `at`, and after its children.
size_t end_of(std::span<const uint64_t> words, size_t at) {
  for (size_t open = 1; open > 0; --open) open += keys::read(words, at).children;
  return at;
}

bool is_list(const Item& item) { return item.token == Token::kList || item.token == Token::kTuple; }
bool is_value(const Item& item) { return item.is_literal() && item.token > Token::kEllipsis; }

// The sizes of the tensor that a number, or a list of them, makes.
std::optional<Sizes> sizes_of_values(std::span<const uint64_t> words, size_t at) {
  const Item item = keys::read(words, at);
  if (is_value(item)) return Sizes();
  if (!is_list(item)) return {};
  std::optional<Sizes> inner;
  for (uint32_t i = 0; i < item.children; ++i) {
    std::optional<Sizes> one = sizes_of_values(words, at);
    if (!one || (i && one != inner)) return {};
    inner = std::move(one);
    at = end_of(words, at);
  }
  Sizes sizes{item.children};
  if (inner) sizes.insert(sizes.end(), inner->begin(), inner->end());
  return sizes;
}

// The keys of all calls and traces.
std::vector<std::span<const uint64_t>> all_keys(const Evidence& evidence, const FunctionRun& run) {
  std::vector<std::span<const uint64_t>> keys;
  for (const FunctionRun::Step& step : run.steps) keys.push_back(step.key);
  for (const session::TraceRecord* t : run.traces) keys.push_back(evidence.key_of(*t));
  std::erase_if(keys, [](std::span<const uint64_t> key) { return key.empty(); });
  return keys;
}

Words values_as_tensors(std::span<const uint64_t> words, const std::set<std::string>& where, uint8_t dtype) {
  return rewritten(words, [&](const ItemPlace& place, keys::KeyWriter& out) {
    if (!where.contains(place.path)) return false;
    if (place.item.token == Token::kVariable) {
      out.tensor(place.item.spec());
      return true;
    }
    const std::optional<Sizes> sizes = sizes_of_values(words, place.begin);
    if (sizes) out.tensor({dtype, true, *sizes});
    return sizes.has_value();
  });
}

// A key in two parts: the items at some places, and the rest of the key with None in their place.
struct SplitKey {
  std::map<std::string, Words> items;  // by place
  Words rest;
  bool has_none = false;  // one of the items is None

  SplitKey(std::span<const uint64_t> words, const std::set<std::string>& where) {
    rest = rewritten(words, [&](const ItemPlace& place, keys::KeyWriter& out) {
      if (!where.contains(place.path)) return false;
      const auto own = words.subspan(place.begin, place.end - place.begin);
      items.emplace(place.path, Words(own.begin(), own.end()));
      has_none |= place.item.token == Token::kNone;
      out.put(Token::kNone);
      return true;
    });
  }
};

}  // namespace

ProposedFix::Change always_tensors(const Evidence& evidence, const FunctionRun& run, std::set<std::string> where,
                                   uint8_t dtype) {
  std::map<Words, std::set<std::map<std::string, Words>>> passed;  // by the rest of the key
  for (const auto words : all_keys(evidence, run)) {
    SplitKey key(values_as_tensors(words, where, dtype), where);
    if (!key.has_none) passed[std::move(key.rest)].insert(std::move(key.items));
  }
  return [where = std::move(where), dtype, passed = std::move(passed)](std::span<const uint64_t> words) {
    Words made = values_as_tensors(words, where, dtype);
    const SplitKey key(made, where);
    if (!key.has_none) return made;
    const auto others = passed.find(key.rest);
    if (others == passed.end() || others->second.size() != 1) return made;
    const std::map<std::string, Words>& other = *others->second.begin();
    return rewritten(made, [&](const ItemPlace& place, keys::KeyWriter& out) {
      const auto at = other.find(place.path);
      if (at == other.end() || !where.contains(place.path)) return false;
      append(at->second, out);
      return true;
    });
  };
}

namespace {

// The structure of tensors that stacking the elements of a list makes. All elements have the same one.
struct Stack {
  Words words;             // the key of one element, whose tensors have a first dimension of size 0 beside their own
  bool is_tensor = false;  // an element is a single tensor
  friend auto operator<=>(const Stack&, const Stack&) = default;
};

void put_stacked(uint8_t dtype, std::span<const int64_t> element, keys::KeyWriter& out) {
  Sizes sizes{0};
  sizes.insert(sizes.end(), element.begin(), element.end());
  out.tensor({dtype, true, sizes});
}

// Writes the stack of elements like the item at `at`, and moves past it; false if such elements cannot be stacked.
bool write_stack(std::span<const uint64_t> words, size_t& at, keys::KeyWriter& out) {
  const Item item = keys::read(words, at);
  switch (item.token) {
    case Token::kTensor:
      if (!item.spec().has_rank) return false;
      put_stacked(item.spec().dtype, item.spec().sizes, out);
      return true;
    case Token::kInt:
    case Token::kFloat: put_stacked(dtype_number("float32"), {}, out); return true;
    case Token::kBool: put_stacked(dtype_number("bool"), {}, out); return true;
    case Token::kList:
    case Token::kTuple:
    case Token::kNamedTuple:
    case Token::kDict: break;
    default: return false;
  }
  append(item.words, out);
  for (uint32_t i = 0; i < item.children; ++i) {
    if (item.token == Token::kDict && i % 2 == 0) {  // a key
      const size_t begin = at;
      at = end_of(words, at);
      append(words.subspan(begin, at - begin), out);
    } else if (!write_stack(words, at, out)) {
      return false;
    }
  }
  return true;
}

// The stack of a list or tuple; empty if its elements cannot be stacked, or differ.
std::optional<Stack> stack_of(std::span<const uint64_t> words, const ItemPlace& place) {
  if (!is_list(place.item)) return {};
  std::optional<Stack> first;
  size_t at = place.begin;
  keys::read(words, at);
  for (uint32_t i = 0; i < place.item.children; ++i) {
    keys::KeyWriter out;
    size_t peeked = at;
    const bool tensor = keys::read(words, peeked).token == Token::kTensor;
    if (!write_stack(words, at, out)) return {};
    Stack one{{out.words.begin(), out.words.end()}, tensor};
    if (first && *first != one) return {};
    first = std::move(one);
  }
  return first;
}

Words stack_of_tensors(uint8_t dtype, std::span<const int64_t> element) {
  keys::KeyWriter out;
  put_stacked(dtype, element, out);
  return {out.words.begin(), out.words.end()};
}

// The stack of all tensors in a list or tuple, however deep; empty if they have several shapes, or if it holds anything
// else.
std::optional<Stack> flat_stack_of(std::span<const uint64_t> words, const ItemPlace& place) {
  if (!is_list(place.item)) return {};
  std::optional<Stack> first;
  for (size_t at = place.begin; at < place.end;) {
    const Item item = keys::read(words, at);
    if (is_list(item)) continue;
    if (item.token != Token::kTensor || !item.spec().has_rank) return {};
    Stack one{stack_of_tensors(item.spec().dtype, item.spec().sizes), true};
    if (first && *first != one) return {};
    first = std::move(one);
  }
  return first;
}

}  // namespace

Stacked stacked(const Evidence& evidence, const FunctionRun& run, std::set<std::string> where) {
  bool flat = false;
  for (const auto words : all_keys(evidence, run))
    for (const ItemPlace& place : keys::places(words))
      flat |= where.contains(place.path) && !stack_of(words, place) && flat_stack_of(words, place).has_value();
  const auto stack_at = flat ? flat_stack_of : stack_of;
  std::set<Stack> stacks;
  for (const auto words : all_keys(evidence, run))
    for (const ItemPlace& place : keys::places(words))
      if (where.contains(place.path))
        if (auto stack = stack_at(words, place)) stacks.insert(std::move(*stack));
  const auto change = [where = std::move(where), stacks = std::move(stacks),
                       stack_at](std::span<const uint64_t> words) {
    return rewritten(words, [&](const ItemPlace& place, keys::KeyWriter& out) {
      if (!where.contains(place.path)) return false;
      std::optional<Stack> stack = stack_at(words, place);
      if (!stack && is_list(place.item) && place.item.children == 0 && stacks.size() == 1)
        stack = *stacks.begin();  // an empty one, of what the others hold
      if (!stack && place.item.token == Token::kTensor && place.item.spec().has_rank) {
        // One tensor: an element by itself, or elements that are stacked already.
        const keys::TensorSpec spec = place.item.spec();
        stack = Stack{stack_of_tensors(spec.dtype, spec.sizes), true};
        if (!stacks.contains(*stack) && !spec.sizes.empty())
          stack->words = stack_of_tensors(spec.dtype, spec.sizes.subspan(1));
      }
      if (!stack) return false;
      append(stack->words, out);
      return true;
    });
  };
  return {change, flat};
}

namespace {

std::map<Words, Words> entries_of(std::span<const uint64_t> words, const ItemPlace& place) {
  std::map<Words, Words> entries;
  size_t at = place.begin;
  keys::read(words, at);
  const auto next = [&] {
    const size_t begin = at;
    at = end_of(words, at);
    const auto own = words.subspan(begin, at - begin);
    return Words(own.begin(), own.end());
  };
  while (at < place.end) {
    Words key = next();
    entries.emplace(std::move(key), next());
  }
  return entries;
}

}  // namespace

ProposedFix::Change with_all_keys(const Evidence& evidence, const FunctionRun& run, std::set<std::string> where) {
  std::map<std::string, std::map<Words, std::set<Words>>> held;  // by path: the values at each key
  for (const auto words : all_keys(evidence, run))
    for (const ItemPlace& place : keys::places(words))
      if (where.contains(place.path) && place.item.token == Token::kDict)
        for (auto& [key, value] : entries_of(words, place)) held[place.path][key].insert(value);
  return [where = std::move(where), held = std::move(held)](std::span<const uint64_t> words) {
    return rewritten(words, [&](const ItemPlace& place, keys::KeyWriter& out) {
      const auto all = held.find(place.path);
      if (all == held.end() || place.item.token != Token::kDict) return false;
      const std::map<Words, Words> own = entries_of(words, place);
      keys::KeyWriter made;
      made.put(Token::kTuple, all->second.size());
      for (const auto& [key, values] : all->second) {
        const auto at = own.find(key);
        if (at == own.end() && values.size() > 1) return false;
        append(at == own.end() ? *values.begin() : at->second, made);
      }
      append(std::span(made.words.begin(), made.words.end()), out);
      return true;
    });
  };
}

bool converts_to(const session::KeyLeaf& leaf, const std::string& dtype) {
  const bool floating = dtype.find("float") != dtype.npos, complex = dtype.starts_with("complex");
  const bool integer = dtype.starts_with("int") || dtype.starts_with("uint");
  if (leaf.kind == "structure") return leaf.type.starts_with("list") || leaf.type.starts_with("tuple");
  if (leaf.kind == "tensor" || leaf.kind == "variable") return leaf.type == dtype;
  if (leaf.kind != "literal") return false;
  if (leaf.type == "int") return integer || floating || complex;
  if (leaf.type == "float") return floating || complex;
  if (leaf.type == "complex") return complex;
  return leaf.type == "bool" ? dtype == "bool" : dtype == "string" && (leaf.type == "str" || leaf.type == "bytes");
}

}  // namespace footlight::explain
