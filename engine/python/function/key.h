// Cache keys from Python arguments: one walk writes the words of keys::KeyWriter and collects the tensors.
#pragma once

#include "engine/keys/key.h"
#include "engine/python/types/objects.h"

#include <functional>
#include <memory>
#include <vector>

namespace footlight::python {

// The result of walking the arguments of a call. Lives on the stack; usual calls allocate nothing.
struct CallKey {
  keys::KeyWriter key;
  SmallVector<TensorBody*, 16> flat;      // borrowed; null for a TensorSpec
  SmallVector<Resource*, 8> resources;    // of the variables, in order of appearance: alias numbers
  std::vector<Tensor> owned;              // tensors that were converted
  bool has_specs = false;
  bool has_symbolic = false;

  void add(PyObject*);                    // throws PythonErrorSet if it cannot be part of a key
  std::span<const Tensor> tensors() const {
    static_assert(sizeof(Tensor) == sizeof(TensorBody*));
    return {reinterpret_cast<const Tensor*>(flat.data()), flat.size()};
  }

 private:
  void add_slowly(PyObject*, int depth);
  void add_child(PyObject*, int depth);
  void add_items(PyObject* list_or_tuple, int depth);
  void add_mapping(PyObject*, int depth);
  void add_callable(PyObject*, int depth);
  void add_outside(PyObject*, int depth);
  void add_fields(PyObject*, PyObject* names, int depth);
  void add_flattened(PyObject*, int depth);
  void add_parts(PyObject* type, std::span<const Ref> parts, int depth, std::span<const Ref> specs = {});
  void add_tensor(Tensor);
  void add_variable(PyObject*);
  void add_spec(PyObject*);
};

// The keys of a mapping, sorted: the order in which its values are visited.
Ref sorted_keys(PyObject* mapping);

// A number for an object: the same for the same (or an equal) object while it lives, never reused. The object is not
// kept alive; when it dies, traces whose keys have its number are evicted.
uint64_t object_number(PyObject*);
// The same for a value that is compared by equality: kept alive while the key of a trace has its number.
uint64_t kept_number(PyObject*);
// Of the class of an object that flattens itself: its parts are not its fields.
uint64_t flattened_class_number(PyObject* type);
// If there are many kept values, releases those that no trace needs any more.
void drop_unused_numbers();
void init_numbers();

// The types in `words` of what consists of tensors or has a trace type of its own (kCustom), in order.
std::vector<Ref> types_in(std::span<const uint64_t> words);
// The names of the numbers in `words`: "<Model object 3>", "Point(x,y)".
std::shared_ptr<const keys::Names> names_for(std::span<const uint64_t> words);

// A copy of the arguments in which `leaf` replaces tensors, variables, specs and arrays, visited
// in the order of CallKey::flat; objects without any are returned unchanged.
class Rebuilder {
 public:
  using Leaf = std::function<Ref(PyObject*)>;
  // `builds`: what consists of tensors (a TensorArray, an object with a trace type of its own) is made anew
  // from the leaves; else its type stands in the copy. `types`: with which it builds, those of a key in its
  // order; empty: the types of the values.
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
// An object whose _type_spec says which tensors it consists of, such as a TensorArray; or such a spec itself.
bool is_typed_composite(PyObject*);
bool is_composite_spec(PyObject*);
Ref composite_spec(PyObject*);                     // a spec that remembers nothing of the object
Ref composite_parts(PyObject* spec, PyObject* o);  // its tensors, or their specs, as a structure
// An object with a trace type of the user's (__tf_tracing_type__), or such a type itself.
bool has_custom_type(PyObject*);
Ref custom_type(PyObject*);
std::vector<Ref> custom_parts(PyObject* type, PyObject* o);  // its tensors, or their specs
Ref record_field_names(PyObject* instance);  // of a dataclass or attrs instance: a tuple

}  // namespace footlight::python
