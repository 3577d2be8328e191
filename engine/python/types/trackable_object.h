// The base class of what checkpoints save: variables, traced functions, tf.Module and the classes that users write.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// It has no data of its own and gets its methods from _saving/trackable.py: a Python class may derive from it
// and from others.
extern PyTypeObject* trackable_type;
void init_trackable();

}  // namespace footlight::python
