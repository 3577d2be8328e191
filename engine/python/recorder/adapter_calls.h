// Calls what adapters gave to the recorder. Their errors are theirs: the program sees none of them.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <span>

namespace footlight::python {

// The result of function(*first, *args, **keywords), or None. `count`: as in a vectorcall.
Ref told(const Ref& function, std::span<PyObject* const> first, PyObject* const* args, size_t count,
         PyObject* keywords);

// The same for one number in front.
Ref told_of(const Ref& function, unsigned long number, PyObject* const* args, size_t count, PyObject* keywords);

}  // namespace footlight::python
