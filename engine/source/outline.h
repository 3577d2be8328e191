// The loops and functions in a Python source, by its lines: recordings have the text of files and no syntax trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::source {

struct Loop {
  // kCall: "functools.reduce" and its like; kRecursion: a function that calls itself.
  enum class Kind : unsigned char { kFor, kWhile, kComprehension, kCall, kRecursion };
  Kind kind = Kind::kFor;
  int line = 0;                       // of its `for` or `while`
  int first_line = 0, last_line = 0;  // with its body; a comprehension: with its brackets
  int function_line = 0;              // of the innermost def around it; 0: none
  std::string head;                   // "for k in range(TERMS)", "while x < 3"
};

struct Function {
  int line = 0, last_line = 0;  // of the def
  size_t outer = SIZE_MAX;      // the index of the def around it
  bool is_generator = false;
  std::string name;
};

struct Outline {
  std::vector<Loop> loops;  // in order; outer ones before the ones inside
  std::vector<Function> functions;

  const Function* innermost(int line) const;             // the innermost def around a line; null: none
  const Function* around(const Function& function) const;  // the def around that one; null: none
  int function_around(int line) const;                   // the line of the innermost def; 0: none
  int function_from(int line) const;          // the line of the first def at a line or below; 0: none
  // The loops that run this line again and again, the outermost first.
  std::vector<const Loop*> loops_around(int line) const;
};

// Empty for texts of more than a megabyte: programs are shorter.
Outline outline_of(std::string_view text);

}  // namespace footlight::source
