// How a run ended and why tracing failed, in the words that a person reads first: the error's message and the
// innermost line of their own code.
#pragma once

#include "app/models/callers.h"

#include "engine/base/error_words.h"

namespace footlight::app {

// An error in one line.
QString error_line(const std::string& error);
// The line of the person's code in which it was raised; none if no file of the recording has it.
SourcePlace error_place(const Document& document, const ErrorWords& words);

struct RunEnd {
  bool is_known = false;  // false: it still runs, or was killed before anybody could say why
  bool is_good = true;
  QString text;           // "Finished", "ValueError: Matrix size-incompatible: ... at layers.py:5", "Stopped"
  ErrorWords error;       // the error that ended the script; no message: none did
  SourcePlace place;            // place of the error
};
RunEnd run_end(const Document& document);
// The stack of the error that ended the script, as Python printed it: the innermost line first, without files that are
// not in the recording; below the call of a graph, as the node that failed was traced. A line that worked in other
// calls has other stacks.
std::vector<CallerFrame> stack_of_end(const Document& document);

// Shortens text for a narrow place: the beginning, and the place of an error at the end.
QString shortened(const QString& text, qsizetype most);

}  // namespace footlight::app
