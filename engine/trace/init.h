// Initializes tracing: installs what engine/trace serves in the layers below it.
#pragma once

namespace footlight::trace {

// Installs the hooks of engine/ops, engine/eager and engine/runtime that this layer serves, and the kernels of values
// that only graphs have. Called once, after eager::init(), by the extension module and by C++ programs that trace.
void init();

}  // namespace footlight::trace
