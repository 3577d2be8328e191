// The inputs that fuzzing starts from: a small session in every form that the reader takes; and changes of them.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace footlight::fuzz {

std::vector<std::string> session_seeds();

// The input with some bytes changed, removed or repeated; not the first, which is the mode.
std::string mutated(std::string bytes, std::mt19937& random);

}  // namespace footlight::fuzz
