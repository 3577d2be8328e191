// Ids of objects in keys: one for each object, or for all equal ones; freed with the object.
#pragma once

#include "engine/keys/key.h"
#include "engine/python/interpreter/ref.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace footlight::python {

// A number for an object: the same for the same (or an equal) object while it lives, never reused. The object is not
// kept alive; when it dies, traces whose keys have its number are evicted.
uint64_t object_number(PyObject*);
// The same for a value that is compared by equality: kept alive while the key of a trace has its number.
uint64_t kept_number(PyObject*);
// The number of a class whose objects flatten themselves: their parts are not their fields.
uint64_t flattened_class_number(PyObject* type);
// If there are many kept values, releases those that no trace needs any more.
void drop_unused_numbers();

// Calls of keys to the user's own trace types (engine/keys/hooks.h).
bool custom_subtype(uint64_t specific, uint64_t general);
std::optional<uint64_t> custom_supertype(uint64_t a, uint64_t b);

// The types in `words` of what consists of tensors or has a trace type of its own (kCustom), in order.
std::vector<Ref> types_in(std::span<const uint64_t> words);
// The names of the numbers in `words`: "<Model object 3>", "Point(x,y)".
std::shared_ptr<const keys::Names> names_for(std::span<const uint64_t> words);

}  // namespace footlight::python
