// Running functions of the program's own language.
#pragma once

namespace footlight::runtime {

// Adds the kernels of EagerPyFunc, PyFunc and PyFuncStateless. Calling it again does nothing.
void register_host_function_kernels();

}  // namespace footlight::runtime
