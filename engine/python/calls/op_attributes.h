// Attributes of ops from Python values.
#pragma once

#include "engine/ops/row.h"
#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// Sets the attribute that `spec` describes. Throws kType for kinds that Python cannot give (functions, tensors).
void set_attribute(Attrs&, const AttrSpec& spec, PyObject* value);
// The attribute of that name, null if the row has none.
const AttrSpec* attribute_named(const OpRow&, std::string_view name);

}  // namespace footlight::python
