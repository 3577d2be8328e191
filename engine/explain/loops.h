// The loops in a Python source, by its lines: sessions have the text of files and no syntax trees.
#pragma once

#include "engine/explain/evidence.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::explain {

struct SourceLoop {
  enum class Kind : unsigned char { kFor, kWhile, kComprehension, kCall };  // kCall: "functools.reduce" and its like
  Kind kind = Kind::kFor;
  int line = 0;                    // of its `for` or `while`
  int first_line = 0, last_line = 0;  // with its body; a comprehension: with its brackets
  int function_line = 0;           // of the innermost def around it; 0: none
  std::string head;                // "for k in range(TERMS)", "while x < 3"
};

struct SourceFunction {
  int line = 0, last_line = 0;     // of the def
};

struct SourceOutline {
  std::vector<SourceLoop> loops;   // in order; outer ones before the ones inside
  std::vector<SourceFunction> functions;

  int function_around(int line) const;  // the line of the innermost def; 0: none
  // The loops that run this line again and again, the outermost first.
  std::vector<const SourceLoop*> loops_around(int line) const;
};

// What AutoGraph noted of a loop: 256 of "unrolled into 256 copies"; 0 of a note without a number.
uint64_t number_in_note(std::string_view note);

// "functools.reduce": the first call on this line that runs a Python function or an operator once for each item of a
// sequence, or an empty name. "tf.reduce_sum(" and "df.sum(" do not count. `arguments`: where they begin in the line.
std::string iterating_call(std::string_view line, size_t* arguments = nullptr);

// Empty for texts of more than a megabyte: programs are shorter.
SourceOutline outline_of(std::string_view text);

// The outlines of a run's sources, each made once. Valid as long as the evidence.
class Outlines {
 public:
  explicit Outlines(const Evidence& evidence) : evidence_(evidence) {}
  const SourceOutline& of(session::FileId file);

 private:
  const Evidence& evidence_;
  std::map<session::FileId, SourceOutline> outlines_;
};

}  // namespace footlight::explain
