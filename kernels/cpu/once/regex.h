// Regular expressions in RE2's syntax over UTF-8, matched in time linear in the text: no backtracking.
#pragma once

#include "kernels/cpu/once/unicode.h"

#include <memory>

namespace footlight {

// What a pattern is compiled to: a thread of a match stands at one of these.
struct RegexStep {
  enum Kind : uint8_t { kSet, kSplit, kJump, kSave, kAssert, kMatch } kind = kMatch;
  uint8_t assertion = 0;  // of kAssert: RegexAssertion
  int32_t next = 0;       // where it goes on; of kSplit the preferred way
  int32_t other = 0;      // of kSplit the other way, of kSave the slot, of kSet the set
};
enum RegexAssertion : uint8_t { kTextBegin, kTextEnd, kLineBegin, kLineEnd, kWordEdge, kNoWordEdge };

struct RegexProgram {
  std::vector<RegexStep> steps;
  std::vector<CodeRanges> sets;
  int groups = 0;  // capturing ones
};

// Throws kInvalidArgument that says what is wrong with the pattern.
RegexProgram compile_regex(std::string_view pattern);

bool contains(const CodeRanges&, uint32_t code);
bool is_word(char);

class RegexAutomaton;

// Memory that searches of one thread share.
struct RegexRoom {
  std::vector<int64_t> places, threads;
};

class Regex {
 public:
  explicit Regex(std::string_view pattern);
  ~Regex();
  int groups() const { return program_.groups; }
  bool full_match(std::string_view text, RegexRoom&) const;
  // The first match that begins at `from` or later: its place, then those of the groups (-1: took no part), in
  // room.places.
  bool find(std::string_view text, size_t from, RegexRoom& room) const;
  // Writes to `out`, which is empty, the text with every match, or the first one, replaced; \0 to \9 in `rewrite` stand
  // for the match and its groups.
  void replace(std::string_view text, std::string_view rewrite, bool all, RegexRoom&, std::string& out) const;

 private:
  bool run(std::string_view text, size_t from, bool whole, std::vector<int64_t>* places) const;
  RegexProgram program_;
  std::unique_ptr<RegexAutomaton> search_, whole_;
};

}  // namespace footlight
