// Cache keys from Python arguments: one pass writes the words of keys::KeyWriter and collects the tensors.
#pragma once

#include "engine/keys/key.h"
#include "engine/python/types/objects.h"

#include <vector>

namespace footlight::python {

// The key and tensors of a call's arguments. Lives on the stack; usual calls allocate nothing.
struct CallKey {
  keys::KeyWriter key;
  SmallVector<TensorBody*, 16> flat;      // borrowed; null for a TensorSpec
  SmallVector<Resource*, 8> resources;    // resources of the variables, in order of appearance: alias numbers
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

}  // namespace footlight::python
