// The meaning of the fuzzer's bytes for recordings of other programs: the file; its format follows from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace footlight::fuzz {

// Imports it into a log that is removed; expected failures are Errors and fine. True if something was imported.
bool read_foreign_input(std::string_view input);

// Small files of each format, from which mutations begin.
std::string small_kineto();
std::string small_xplane();
std::string small_perfetto();
std::string small_nsight();
// HLO, StableHLO, both forms of FX, a log of TORCH_TRACE.
std::vector<std::string> small_programs();

}  // namespace footlight::fuzz
