// Describes the machine and this process, without opening a driver.
#pragma once

#include "engine/session/records.h"

#include <string>

namespace footlight::record {

// "AMD EPYC 9654, 2 threads, GPU NVIDIA H200". Opens no driver, so it may be called before a fork.
std::string describe_machine();

// This process as a session names it; whose engine it is, the engine adds.
session::ProcessRecord describe_process();

}  // namespace footlight::record
