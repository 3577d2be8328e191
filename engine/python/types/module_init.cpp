// Adds the types that users hold, and functions that convert values, to the extension module.
#include "engine/python/interpreter/module.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/reference_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/tensor_like.h"
#include "engine/python/types/tensor_members.h"
#include "engine/python/types/trackable_object.h"
#include "engine/python/types/variable_object.h"

namespace footlight::python {

void init_types(PyObject* module) {
  init_dtype();
  init_shape();
  init_reference();
  init_tensor_like();
  init_tensor(module);
  init_late_members(module);
  init_conversions();
  init_specs();
  init_trackable();
  init_variable(module);
  init_graph_objects();
  init_nest();
}

}  // namespace footlight::python
