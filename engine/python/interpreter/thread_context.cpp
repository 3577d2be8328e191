// The context of each thread, of this extension module.
#include "engine/python/interpreter/thread_context.h"

namespace footlight::python {

constinit thread_local PythonContext python_thread;

}  // namespace footlight::python
