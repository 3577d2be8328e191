// The session of millions of op events for benchmarks of the window.
#pragma once

#include <string>

namespace footlight {

// Writes in a process of its own, so that its memory does not count as the window's: `self` is the benchmark. Not 0:
// adds a graph of that many layers of 20 nodes.
bool make_large_run(const char* self, const std::string& path, const std::string& events, const std::string& layers);
// Called at the start of main(): whether this is that process, and has done its work.
bool made_large_run(int argc, char** argv);

}  // namespace footlight
