// Recordings in which nothing ran: of a model's file, or of the text of a program. RunRecord::engine, which the
// functions here take, says what a recording was made of.
#pragma once

#include "engine/session/imported.h"

#include <algorithm>
#include <string_view>

namespace footlight::session {

constexpr std::string_view kModelKinds[] = {"SavedModel", "GraphDef", "Keras model"};
constexpr const char* kHloText = "HLO text";
constexpr const char* kStableHloText = "StableHLO text";
constexpr const char* kFxText = "FX graph text";

inline bool is_model(std::string_view engine) {
  return std::ranges::find(kModelKinds, engine) != std::end(kModelKinds);
}
inline bool is_program_text(std::string_view format) {
  return format == kHloText || format == kStableHloText || format == kFxText;
}
inline bool nothing_ran(std::string_view engine) {
  return is_model(engine) || (is_imported(engine) && is_program_text(engine.substr(kImported.size())));
}
inline const char* source_of_graphs(std::string_view engine) {
  return is_model(engine) ? "a model's file" : "the text of a program";
}

}  // namespace footlight::session
