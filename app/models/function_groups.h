// Functions as a person thinks of them: those of the same code are one, a lambda is its text, and what a library made
// for itself is told from what the person wrote.
#pragma once

#include "app/models/document.h"

namespace footlight::app {

struct FunctionGroup {
  std::vector<FunctionId> ids;  // in order of creation
  QString title;                // "train_step", "lambda x: x + 1"
  bool is_of_library = false;
};
// Functions with the same name, defined at the same line, are in one group. In the order of their first ones.
std::vector<FunctionGroup> function_groups(const Document& document);

// Its name; of a lambda its text, or its place where that is not known; "forward, resumed after line 13".
QString function_title(const Document& document, const session::FunctionRecord& function);
// Made by a library out of its own code, such as what `tf.data` runs for Keras. What Keras traces of a model
// (`train_function`) is the person's.
bool is_of_library(const Document& document, const session::FunctionRecord& function);

}  // namespace footlight::app
