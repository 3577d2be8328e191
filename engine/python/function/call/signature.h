// input_signature: declared specs, arguments converted to them, errors that show both sides.
#pragma once

#include "engine/python/function/call/binding.h"

namespace footlight::python {

class FunctionCore;

// Converts arguments to the input_signature, or throws an error that shows both.
void apply_signature(FunctionCore&, BoundArguments&);
// Throws kSignatureMismatch for an input_signature that has not one entry for each parameter without a default.
void check_signature(FunctionCore&);

}  // namespace footlight::python
