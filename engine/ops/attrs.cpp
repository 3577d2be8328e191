// Interns attribute names, and keeps attributes sorted by name.
#include "engine/ops/attrs.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace footlight {

AttrName::AttrName(std::string_view name) {
  static std::mutex mutex;
  static auto* const names = new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto it = names->find(name);
  if (it == names->end()) it = names->emplace(name).first;
  text_ = &*it;
}

Attrs::Attrs(std::initializer_list<std::pair<AttrName, AttrValue>> values) : values_(values) {
  std::sort(values_.begin(), values_.end(), [](auto& a, auto& b) { return a.first.text() < b.first.text(); });
}

void Attrs::set(AttrName name, AttrValue value) {
  auto it = values_.end();
  while (it != values_.begin() && name.text() < std::prev(it)->first.text()) --it;  // most come in their order
  if (it != values_.begin() && std::prev(it)->first == name) {
    std::prev(it)->second = std::move(value);
    return;
  }
  // Most ops have one or two attributes: growing by one takes no more time, and less memory.
  if (values_.size() == values_.capacity() && values_.size() < 8) {
    const auto at = it - values_.begin();
    values_.reserve(values_.size() + 1);
    it = values_.begin() + at;
  }
  values_.insert(it, {name, std::move(value)});
}

const AttrValue* Attrs::find(AttrName name) const {
  for (auto& [key, value] : values_)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace footlight
