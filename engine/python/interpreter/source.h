// Where the user's program stands, and the register of the code objects that were seen.
#pragma once

#include "engine/base/ids.h"
#include "engine/python/interpreter/exceptions.h"

#include <string>

namespace footlight::python {

// The innermost frame that is not of the footlight package; nothing without the GIL. What source_provider
// points at.
SourceRef python_source();

// The id of a code object, given on first sight together with a copy of its line table.
CodeId code_id(PyObject* code);

// "file.py", 12, "train_step"; an empty file when unknown.
struct SourcePlace {
  std::string file;
  int line = 0;
  std::string function;
};
SourcePlace place_of(SourceRef);
std::string place_text(SourceRef);  // "file.py:12, in train_step", or ""

// Adds every code object seen so far, and the names of all ops, to the session that is being written (there
// is one).
void record_all_known_codes();
void record_op_names();

// Code of this folder and below is never the user's ("/.../python/footlight/").
bool is_own_file(const char* path);

}  // namespace footlight::python
