// Describes the machine and this process, without opening a driver.
#pragma once

#include "engine/session/records.h"

#include <string>

namespace footlight::record {

// "AMD EPYC 9654, 2 threads, GPU NVIDIA H200". Opens no driver, so it may be called before a fork.
std::string describe_machine();

// The session's record of this process; the engine adds its own name.
session::ProcessRecord describe_process();

}  // namespace footlight::record
