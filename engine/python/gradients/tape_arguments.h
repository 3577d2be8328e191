// Arguments that tapes and forward accumulators share.
#pragma once

#include "engine/eager/tape.h"
#include "engine/python/types/objects.h"

namespace footlight::python {

// tf.UnconnectedGradients, or its value as a string; null and None are NONE. Throws kValue for anything else.
Unconnected unconnected_from(PyObject*);

// The function of the user's that a custom gradient calls; null for one of the engine's. Borrowed.
PyObject* function_of(const Backward&);

// The part through which gradients flow: the flat values of a ragged tensor, else the object itself.
Ref flows_through(PyObject*);
// A gradient in the form of what it belongs to: of a ragged tensor one with the same rows.
Ref in_form_of(PyObject* source, Ref gradient);

void init_tape();
void init_forward();
void init_custom_gradient(PyObject* module);

}  // namespace footlight::python
