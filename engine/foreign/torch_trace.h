// The structured log that PyTorch writes into the folder TORCH_TRACE: compilations with their graphs, code, guards, the
// reasons of recompilations and of graph breaks, and when each step ran. A file of the folder is a process.
#pragma once

#include "engine/foreign/program.h"

#include <string>
#include <vector>

namespace footlight::foreign {

bool looks_like_torch_trace(std::string_view begin);
void read_torch_trace(const Import& import);
// The logs in a folder, by name; empty: it is no folder, or holds none.
std::vector<std::string> torch_traces_in(const std::string& folder);

}  // namespace footlight::foreign
