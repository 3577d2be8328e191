// Pieces of sentences that findings share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::explain {

// "0.1 → 0.05 → … → 0.017": the first two and the last show the trend. Shapes are put in brackets.
std::string progression(const std::vector<std::string>& values, bool shapes = false);

// "0.03333333333333333" -> "0.03333"; texts that are too long are cut.
std::string short_value(std::string_view value);

// "config.lr", "coefs[0]": the parameter with what follows it in the path; the path if it has no name.
std::string argument_name(std::string_view path, std::string_view parameter);

// 12000 -> "12,000"
std::string with_commas(uint64_t number);
// "once", "12,000 times"
std::string how_often(uint64_t count);

// "step" of "Model.step".
std::string_view last_name(std::string_view qualname);

// A sentence with a period at its end, if it has none.
std::string with_period(std::string text);

// What an observation is about, as the program names it: "global RATE" -> "RATE", "self.scale" -> "self.scale".
std::string name_in(const std::string& path);

std::string joined(const std::vector<std::string>& parts, std::string_view separator);
// "a", "a and b", "a, b and c"
std::string listed(std::vector<std::string> parts);

// "; also changes: args[2], args[3]", or nothing.
std::string with_it(const std::vector<std::string>& also_paths);

// "32,8" -> {"32", "8"}; a scalar's shape is empty.
std::vector<std::string> sizes_of(std::string_view shape);

}  // namespace footlight::explain
