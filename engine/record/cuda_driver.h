// Whether this process has a working CUDA driver. CUPTI must not even be opened without one: in some builds of it,
// cuptiGetVersion then recurses without end.
#pragma once

#include <string>

namespace footlight::cupti {

// Starts the driver (cuInit) and counts its devices. Empty if there is at least one, otherwise a message that says why
// there is none. Do not call before a fork: CUDA does not survive it.
std::string why_no_driver(const std::string& library = "libcuda.so.1");

}  // namespace footlight::cupti
