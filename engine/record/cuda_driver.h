// Whether this process has a CUDA driver that works. CUPTI must not even be opened without one: some builds of it
// recurse without end in cuptiGetVersion then.
#pragma once

#include <string>

namespace footlight::cupti {

// Starts the driver (cuInit) and counts its devices. Empty if there is at least one, otherwise a message that says why
// there is none. Do not call before a fork: CUDA does not survive it.
std::string why_no_driver(const std::string& library = "libcuda.so.1");

}  // namespace footlight::cupti
