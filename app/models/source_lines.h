// Source and generated code as lines to draw: number, text, fate of the statement, note.
#pragma once

#include "app/models/document.h"

#include <QString>

#include <vector>

namespace footlight::app {

struct CodeLine {
  int number = 0;
  QString text;
  QString fate;   // staged, python, fallback or empty
  QString note;   // "tensor → cond, both branches traced"
  QString tone;   // theme colour of the note
};

// The whole file, with the fates of every converted function in it.
std::vector<CodeLine> file_lines(const Document& document, session::FileId file);
// The lines of one converted function, decorators included; notes on `trace` and how other traces differ.
std::vector<CodeLine> function_lines(const Document& document, const session::GeneratedRecord& code, TraceId trace);
// The generated text.
std::vector<CodeLine> generated_lines(const session::GeneratedRecord& code);
// `around` lines before and after, for the inspector.
std::vector<CodeLine> snippet(const Document& document, Place place, int around);

// The innermost statement that contains the line, or null.
const session::GeneratedRecord::Statement* statement_at(const session::GeneratedRecord& code, int line);

}  // namespace footlight::app
