// The attributes of one op: a few (interned name, value) pairs, sorted by name.
#pragma once

#include "engine/base/literal.h"
#include "engine/tensor/tensor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace footlight {

class Graph;

// A function of the library that a node calls (branches, loop bodies, calls). Several nodes may share one.
using GraphPtr = std::shared_ptr<Graph>;

using AttrValue = std::variant<bool, int64_t, float, std::string, DType, Shape, Tensor, GraphPtr,
                               std::vector<int64_t>, std::vector<float>, std::vector<std::string>,
                               std::vector<DType>, std::vector<Shape>>;

// The interned name of an attribute, so comparing two is comparing pointers. `"axis"_attr` is interned once, when it is
// first used.
class AttrName {
 public:
  explicit AttrName(std::string_view name);
  std::string_view text() const { return *text_; }
  static AttrName none() { return AttrName(); }
  friend bool operator==(AttrName, AttrName) = default;

 private:
  AttrName() = default;
  const std::string* text_ = nullptr;
};

template <Literal name>
[[gnu::always_inline, gnu::visibility("hidden")]] inline const AttrName& operator""_attr() {
  static const AttrName interned{name.text};
  return interned;
}

class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<AttrName, AttrValue>>);
  void set(AttrName, AttrValue);
  const AttrValue* find(AttrName) const;
  size_t size() const { return values_.size(); }
  template <class T>
  const T& get(AttrName name) const { return std::get<T>(*find(name)); }
  template <class T>
  T get_or(AttrName name, T otherwise) const {
    const AttrValue* v = find(name);
    return v ? std::get<T>(*v) : otherwise;
  }
  bool empty() const { return values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::vector<std::pair<AttrName, AttrValue>> values_;
};

}  // namespace footlight
