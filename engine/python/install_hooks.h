// Installs what Python provides to the layers below it.
#pragma once

namespace footlight::python {

// Installs every hook that this extension serves: called once, before anything of the engine runs.
void install_hooks();

}  // namespace footlight::python
