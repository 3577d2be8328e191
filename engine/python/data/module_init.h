// Adds datasets to the extension module.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Does not return if the error is that the program ends, and this a daemon thread: it goes no further, as those that
// want the interpreter.
void stay_out_of_the_end(const Error& error);

// How threads that wait for elements get along with the GIL (engine/data/hooks.h).
void* leave_gil();
void enter_gil(void* state);
void check_interrupts_of_python();

void init_dataset_ops(PyObject* module);
void init_dataset_iterators(PyObject* module);
void init_generators(PyObject* module);
void init_record_writer(PyObject* module);

}  // namespace footlight::python
