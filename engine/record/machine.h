// Describes the machine, without opening a driver.
#pragma once

#include <string>

namespace footlight::record {

// "AMD EPYC 9654, 2 threads, GPU NVIDIA H200". Opens no driver, so it may be called before a fork.
std::string describe_machine();

}  // namespace footlight::record
