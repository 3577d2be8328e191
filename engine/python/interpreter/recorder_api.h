// The interface of `footlight_recorder._recorder` for other extension modules, passed in a capsule.
#pragma once

#include "engine/base/ids.h"
#include "engine/python/interpreter/ref.h"

namespace footlight::python {

inline constexpr const char* kRecorderApi = "footlight_recorder._recorder.api";

struct RecorderApi {
  // The id of a code object, assigned at first use; none for code in our own folders.
  CodeId (*code_id)(PyObject* code);
};

}  // namespace footlight::python
