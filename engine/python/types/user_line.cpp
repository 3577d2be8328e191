// Asks the frame that Python runs.
#include "engine/python/types/user_line.h"

#include "engine/python/interpreter/ref.h"
#include "engine/python/interpreter/text.h"

namespace footlight::python {

UserLine current_line() {
  PyFrameObject* const frame = PyEval_GetFrame();
  if (!frame) return {};
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  return {readable(reinterpret_cast<PyCodeObject*>(code.get())->co_filename), PyFrame_GetLineNumber(frame)};
}

}  // namespace footlight::python
