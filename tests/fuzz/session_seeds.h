// The inputs that fuzzing starts from: a small session in every form that the reader takes.
#pragma once

#include <string>
#include <vector>

namespace footlight::fuzz {

std::vector<std::string> session_seeds();

}  // namespace footlight::fuzz
