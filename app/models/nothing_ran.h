// Recordings in which nothing ran: of a model's file, or of the text of a program.
#pragma once

#include "engine/foreign/foreign.h"
#include "engine/model/model_file.h"

#include <QString>

namespace footlight::app {

// `engine` is RunRecord::engine.
inline bool nothing_ran(std::string_view engine) {
  return model::is_model(engine) || foreign::is_program_text(engine);
}
// "a model's file": what the recording was made of.
inline QString source_of_graphs(std::string_view engine) {
  return model::is_model(engine) ? QStringLiteral("a model's file") : QStringLiteral("the text of a program");
}

}  // namespace footlight::app
