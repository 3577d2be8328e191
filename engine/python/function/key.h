// Python arguments as cache keys: the words of explain::KeyWriter and the tensors that go in, in one walk.
#pragma once

#include "engine/explain/key.h"
#include "engine/python/types/objects.h"

#include <functional>
#include <memory>
#include <vector>

namespace footlight::python {

// What one walk over the arguments of a call gives. Lives on the stack; nothing is allocated for usual calls.
struct CallKey {
  explain::KeyWriter key;
  SmallVector<TensorBody*, 16> flat;      // borrowed; null for a TensorSpec
  SmallVector<Resource*, 8> resources;    // of the variables seen, in order: alias numbers
  std::vector<Tensor> owned;              // what had to be converted
  bool has_specs = false;
  bool has_symbolic = false;

  void add(PyObject*);                    // throws PythonErrorSet for what cannot be a key
  std::span<const Tensor> tensors() const {
    static_assert(sizeof(Tensor) == sizeof(TensorBody*));
    return {reinterpret_cast<const Tensor*>(flat.data()), flat.size()};
  }

 private:
  void add_slowly(PyObject*, int depth);
  void add_child(PyObject*, int depth);
  void add_mapping(PyObject*, int depth);
  void add_callable(PyObject*, int depth);
  void add_outside(PyObject*, int depth);
  void add_fields(PyObject*, PyObject* names, int depth);
  void add_tensor(Tensor);
  void add_variable(PyObject*);
  void add_spec(PyObject*);
};

// The sorted keys of a mapping, in the order in which its values are walked.
Ref sorted_keys(PyObject* mapping);

// A number for an object: the same for the same (or an equal) one while it lives, never given to another. The object is
// not kept alive; with it go the traces whose keys have its number.
uint64_t object_number(PyObject*);
// The same for a value that counts by equality: kept alive while a trace has its number in its key.
uint64_t kept_number(PyObject*);
// Lets go of kept values that no trace needs any more, when there are many.
void drop_unused_numbers();
void init_numbers();

// The names of the numbers in `words`: "<Model object 3>", "Point(x,y)".
std::shared_ptr<const explain::Names> names_for(std::span<const uint64_t> words);

// The arguments again with what `leaf` gives in place of tensors, variables, specs and arrays, which it meets
// in the order of CallKey::flat; objects without any come back as they are.
class Rebuilder {
 public:
  using Leaf = std::function<Ref(PyObject*)>;
  explicit Rebuilder(Leaf leaf) : leaf_(std::move(leaf)) {}
  Ref rebuild(PyObject*);

 private:
  Ref take(PyObject* value) {
    ++taken_;
    return leaf_(value);
  }
  Leaf leaf_;
  size_t taken_ = 0;
};

// What kinds of values the walks tell apart beside the exact built-in types.
bool is_namedtuple(PyObject*);
bool is_mapping(PyObject*);
bool is_dataclass_instance(PyObject*);
bool is_attrs_instance(PyObject*);  // or a composite one
bool is_composite(PyObject*);       // an object that names its tensors in __tensor_fields__, such as IndexedSlices
Ref record_field_names(PyObject* instance);  // of a dataclass or attrs instance: a tuple

}  // namespace footlight::python
