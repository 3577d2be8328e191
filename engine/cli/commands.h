// The commands of the `footlight` program. Each takes the words behind its name and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace footlight::cli {

using Words = std::vector<std::string>;

constexpr int kUnusable = 2;  // the file or the words cannot be used; the message is on stderr

int record(const Words& words);
int info(const Words& words);
int recover(const Words& words);
int open_in_app(const std::string& file);

// Prints "footlight: MESSAGE" on stderr and returns kUnusable.
int complain(const std::string& message);

// The folder of the running program.
std::string program_folder();

}  // namespace footlight::cli
