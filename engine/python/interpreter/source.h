// The current position in the user's program, from the recorder.
#pragma once

#include "engine/base/ids.h"
#include "engine/python/interpreter/ref.h"
#include "engine/record/sources.h"

namespace footlight::python {

using record::is_own_file;
using record::place_of;
using record::place_text;
using record::SourcePlace;

// The id of a code object, assigned at first use together with a copy of its line table.
CodeId code_id(PyObject* code);

void init_source();

}  // namespace footlight::python
