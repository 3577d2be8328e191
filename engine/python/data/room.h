// The parts of this room: datasets for Python.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

extern thread_local bool ends_program;  // the thread that has called end_datasets()

void init_dataset_ops(PyObject* module);
void init_dataset_iterators(PyObject* module);
void init_generators(PyObject* module);
void init_record_writer(PyObject* module);

}  // namespace footlight::python
