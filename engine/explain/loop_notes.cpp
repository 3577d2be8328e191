// Groups the decisions about loops by trace and line, and reads the numbers in their notes.
#include "engine/explain/loop_notes.h"

#include "engine/source/lexer.h"

#include <algorithm>

namespace footlight::explain {
namespace {

// 3000000 of "3,000,000 iterations"; recordings of earlier versions have no commas.
uint64_t number_in_note(std::string_view note) {
  const auto is_digit_at = [&](size_t i) {
    return i < note.size() && source::is_digit(static_cast<unsigned char>(note[i]));
  };
  uint64_t number = 0;
  for (size_t i = note.find_first_of("0123456789"); i < note.size(); ++i) {
    if (is_digit_at(i))
      number = number > UINT64_MAX / 10 - 1 ? UINT64_MAX : number * 10 + static_cast<uint64_t>(note[i] - '0');
    else if (note[i] != ',' || !is_digit_at(i + 1))
      break;
  }
  return number;
}

}  // namespace

LoopNotes::LoopNotes(const Evidence& evidence) {
  constexpr std::string_view kInPython = "ran in Python, ";
  for (const session::DecisionRecord& d : evidence.records().decisions) {
    const bool is_comprehension = d.kind == "comprehension";
    if (!is_comprehension && d.kind != "for" && d.kind != "while") continue;
    OfTrace& trace = notes_[d.trace];
    Note& note = (is_comprehension ? trace.comprehensions : trace.loops)[{d.file, d.line}];
    if (d.fate != "python") continue;
    note.in_python = true;
    const uint64_t turns = number_in_note(d.note);
    note.turns = std::max(note.turns, turns);
    note.all_turns = turns > UINT64_MAX - note.all_turns ? UINT64_MAX : note.all_turns + turns;
    note.made_nodes |= !d.note.starts_with(kInPython);
  }
}

const LoopNotes::Note* LoopNotes::OfTrace::of(session::FileId file, const source::Loop& loop) const {
  const bool is_comprehension = loop.kind == source::Loop::Kind::kComprehension;
  const std::map<Line, Note>& notes = is_comprehension ? comprehensions : loops;
  const auto at = notes.find({file, is_comprehension ? loop.first_line : loop.line});
  return at == notes.end() ? nullptr : &at->second;
}

const LoopNotes::OfTrace& LoopNotes::of(TraceId trace) const {
  static const OfTrace kNone;
  const auto at = notes_.find(trace);
  return at == notes_.end() ? kNone : at->second;
}

}  // namespace footlight::explain
