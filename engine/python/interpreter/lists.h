// New lists and tuples from what C++ holds.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <concepts>

namespace footlight::python {

// item(value) of each value, or item(i) of each i below a count. Where `item` returns null, nothing is added. Throws.
template <class Values, class Item>
Ref list_of(const Values& values, Item&& item) {
  Ref list = checked(PyList_New(0));
  const auto add = [&](const Ref& one) {
    if (one && PyList_Append(list.get(), one.get()) < 0) throw PythonErrorSet();
  };
  if constexpr (std::integral<Values>) {
    for (Values i = 0; i < values; ++i) add(item(i));
  } else {
    for (const auto& value : values) add(item(value));
  }
  return list;
}
inline Ref list_of(const auto& references) {
  return list_of(references, [](const Ref& one) { return one; });
}

template <class... Arguments>
Ref tuple_of(const Arguments&... as_for_list) {
  return checked(PyList_AsTuple(list_of(as_for_list...).get()));
}

}  // namespace footlight::python
