// tf.TensorSpec: dtype, shape and name of a tensor to come.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

struct SpecValue {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::string name;  // "" is None, unless it is named
  bool named = false;
};

bool is_spec(PyObject*);
const SpecValue& spec_of(PyObject*);      // is_spec() only
PyObject* spec_object(SpecValue);         // new reference; throws
std::string spec_text(const SpecValue&);  // "TensorSpec(shape=(None,), dtype=tf.int32, name=None)"

void init_specs();

}  // namespace footlight::python
