// Source and generated code as lines to draw: number, text, fate of the statement, note.
#pragma once

#include "app/models/document.h"

#include <QString>

#include <map>
#include <unordered_map>
#include <vector>

namespace footlight::app {

struct CodeLine {
  int number = 0;
  QString text;
  QString fate;   // staged, python, fallback or empty
  QString note;   // "tensor → cond, both branches traced"
  QString tone;   // theme colour of the note
  QString reason; // why it has this fate, where no note says it
  QString strip;  // theme colour of the strip beside the line; empty: the fate's
};

// The way that a statement took in some traces of a function.
struct Way {
  std::string fate, note;
  std::vector<TraceId> traces;
};
// For each line, its ways in the order in which they first occurred. `function` none: of all functions.
std::map<int, std::vector<Way>> ways_in(const Document& document, session::FileId file, FunctionId function);
QString trace_numbers(const Document& document, const std::vector<TraceId>& ids);  // "#1–#6", "#1, #3"
std::string readable_note(const std::string& note);  // "3,000,000 iterations"
QString short_note(const std::string& note);       // "True" where the condition was true
QString fate_tone(const std::string& fate);        // theme colour

// Fates and decisions of the lines of a file that have any, by number; no text.
std::unordered_map<int, CodeLine> file_notes(const Document& document, session::FileId file, int64_t lines);
// The whole file, with the fates of every converted function in it.
std::vector<CodeLine> file_lines(const Document& document, session::FileId file);
// The lines of one converted function, decorators included; notes on `trace` and how other traces differ.
std::vector<CodeLine> function_lines(const Document& document, const session::GeneratedRecord& code, TraceId trace);
// The generated text.
std::vector<CodeLine> generated_lines(const session::GeneratedRecord& code);
// False where the line holds no def, lambda or decorator: a library made the function for a call there, such as `fit`.
bool is_definition(const Document& document, SourcePlace place);
// `around` lines before and after, for the inspector.
std::vector<CodeLine> snippet(const Document& document, SourcePlace place, int around);

// The innermost statement that contains the line, or null.
const session::GeneratedRecord::Statement* statement_at(const session::GeneratedRecord& code, int line);

}  // namespace footlight::app
