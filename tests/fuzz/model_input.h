// The meaning of the fuzzer's bytes for models: a byte with the form, the file.
#pragma once

#include <string>
#include <string_view>

namespace footlight::fuzz {

// Forms by their first byte, modulo their number.
inline constexpr const char* kModelForms[] = {"graph.pb",    "graph.pbtxt", "saved_model.pb", "saved_model.pbtxt",
                                              "model.keras", "weights.h5",  "config.json"};
// Reads the model and writes its page; expected failures are Errors and fine. True if it is one.
bool read_model_input(std::string_view input);

}  // namespace footlight::fuzz
