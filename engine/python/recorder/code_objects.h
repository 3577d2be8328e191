// Where the user's Python program stands. The id of a code object sits in a slot of the object itself, so taking a
// position is two loads and no hashing.
#pragma once

#include "engine/base/ids.h"
#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Claims the slot, and answers for current_source() from now on. Throws Error.
void init_code_objects();

// The innermost frame that is not of our own folders; nothing without the GIL but what was noted when it was released.
SourceRef python_source();

// Returns the innermost frame of the user's own code; if the stack has none, the innermost of a library.
SourceRef python_caller();

// The id of a code object, given on first sight together with a copy of its line table; none for our own code.
CodeId code_id(PyObject* code);

}  // namespace footlight::python
