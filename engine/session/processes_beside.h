// Recordings of the other processes of a run. Each process writes a file of its own, named after its parent's: beside
// run.footlight are run.rank1.footlight and run.pid4711.footlight, and beside that one run.pid4711.pid4712.footlight.
#pragma once

#include <string>
#include <vector>

namespace footlight::session {

// The files named after `path`, sorted, whatever run they are of.
std::vector<std::string> files_beside(const std::string& path);

// Whether a process recorded nothing but that it ran. False if the file cannot be read.
bool holds_nothing(const std::string& path);

// Completes the recordings of that run which killed processes left, removes those that hold nothing, and returns all
// that are left, in order. Files that are still written, and those of other runs, are left alone.
std::vector<std::string> settle_files_beside(const std::string& path, const std::string& run);

}  // namespace footlight::session
