// SQLite exports of Nsight Systems: kernels, copies, CUDA API calls, NVTX ranges, system calls.
#pragma once

#include "engine/foreign/program.h"

namespace footlight::foreign {

// Any SQLite file that is no recording of ours; read_nsight() says if it is something else.
bool looks_like_nsight(std::string_view begin);
void read_nsight(const Import& import);

}  // namespace footlight::foreign
