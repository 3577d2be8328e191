// The kinds of values that keys distinguish, and arguments rebuilt with placeholders.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace footlight::python {

// A copy of the arguments in which `leaf` replaces tensors, variables, specs and arrays, visited
// in the order of CallKey::flat; objects without any are returned unchanged.
class Rebuilder {
 public:
  using Leaf = std::function<Ref(PyObject*)>;
  // `builds`: composites (a TensorArray, an object with a trace type of its own) are rebuilt from the leaves; else the
  // copy has their types. `types`: the types to rebuild, in the order of the key; empty: those of the values.
  explicit Rebuilder(Leaf leaf, bool builds = false, std::vector<Ref> types = {})
      : leaf_(std::move(leaf)), builds_(builds), types_(std::move(types)) {}
  Ref rebuild(PyObject*);

 private:
  Ref take(PyObject* value) {
    ++taken_;
    return leaf_(value);
  }
  Ref composite(PyObject* value);
  Ref custom(PyObject* value);
  Ref type_in_key(const Ref& own);
  Leaf leaf_;
  bool builds_;
  std::vector<Ref> types_;
  size_t next_type_ = 0;
  size_t taken_ = 0;
};

// The kinds of values that keys distinguish, besides the exact built-in types.
bool is_namedtuple(PyObject*);
bool is_mapping(PyObject*);
bool is_dataclass_instance(PyObject*);
bool is_attrs_instance(PyObject*);  // or a composite one
bool is_composite(PyObject*);       // an object that names its tensors in __tensor_fields__, such as IndexedSlices
// Whether it is an object whose _type_spec gives its tensors, such as a TensorArray, or such a spec itself.
bool is_typed_composite(PyObject*);
bool is_composite_spec(PyObject*);
Ref composite_spec(PyObject*);                     // a spec that remembers nothing of the object
Ref composite_parts(PyObject* spec, PyObject* o);  // its tensors, or their specs, as a structure
// An object with a trace type of the user's (__tf_tracing_type__), or such a type itself.
bool has_custom_type(PyObject*);
Ref custom_type(PyObject*);
std::vector<Ref> custom_parts(PyObject* type, PyObject* o);  // its tensors, or their specs
Ref record_field_names(PyObject* instance);  // for a dataclass or attrs instance: a tuple

}  // namespace footlight::python
