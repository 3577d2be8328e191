// Calls Python functions that an adapter gave to the recorder. The program sees none of their exceptions.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <span>

namespace footlight::python {

// Returns function(*first, *args, **keywords), or None if it raises. `count`: as in a vectorcall.
Ref call_adapter(const Ref& function, std::span<PyObject* const> first, PyObject* const* args, size_t count,
                 PyObject* keywords);

// Returns function(number, *args, **keywords), or None if it raises.
Ref call_adapter_with_number(const Ref& function, unsigned long number, PyObject* const* args, size_t count,
                             PyObject* keywords);

}  // namespace footlight::python
