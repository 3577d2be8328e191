// The parts of this room: datasets for Python.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

void init_dataset_ops(PyObject* module);
void init_dataset_iterators(PyObject* module);
void init_generators(PyObject* module);
void init_record_writer(PyObject* module);

}  // namespace footlight::python
