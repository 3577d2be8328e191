// The deterministic automaton of a regular expression. A state is the ordered list of threads that a match has at one
// place of the text; it is made when a text first leads to it, so a search looks up one entry for each character.
#pragma once

#include "kernels/cpu/once/regex.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace footlight {

class RegexAutomaton {
 public:
  enum class Found { kNo, kYes, kTooLarge };  // kTooLarge: it would have too many states, others must search

  // Tells the places of the first `slots` of a match's ends and its groups' (none: only whether there is a match).
  // `whole`: the match has to be the whole text.
  RegexAutomaton(const RegexProgram&, int slots, bool whole);

  // The match as in Regex::find, its ends and groups in `places`. `room` is memory that calls can share.
  Found find(std::string_view text, size_t from, int64_t* places, std::vector<int64_t>& room) const;

 private:
  // What stands before a place decides which assertions hold there; the classes of characters are told apart so too.
  enum Before : uint8_t { kNothing, kNewline, kWord, kOther };
  struct State;
  struct Thread {
    int32_t from;   // its place in the list before, kFresh when it begins here
    uint32_t sets;  // the slots that are here
  };
  struct Move {
    State* to = nullptr;  // null: no thread is left
    bool plain = true;    // every thread keeps its place and its slots, none matches
    bool matches = false;
    Thread match{};
    std::vector<Thread> threads;
  };
  struct State {
    std::vector<int32_t> steps;  // of each thread, the preferred first: where it goes on
    bool searching;              // a match may still begin, behind all others
    Before before;
    std::unique_ptr<std::atomic<const Move*>[]> moves;  // by class, null before it was needed
  };
  using Key = std::pair<std::vector<int32_t>, int>;
  static constexpr int32_t kFresh = -1;

  void find_classes();
  uint32_t class_of(uint32_t code) const;
  State* state(std::vector<int32_t> steps, bool searching, Before before) const;
  const Move* make_move(const State& state, uint32_t of) const;

  const RegexProgram& program_;
  const size_t slots_;
  const bool whole_;
  bool asserts_ = false, too_large_ = false;
  uint16_t ascii_[128] = {};
  std::vector<uint32_t> starts_;     // where ranges of code points begin that no set tells apart
  std::vector<uint16_t> classes_;    // of these ranges
  std::vector<uint32_t> examples_;   // a code point of each class
  uint32_t end_class_ = 0;           // of the end of the text; the one before it is of bytes that are no character

  mutable std::mutex mutex_;  // of what follows; readers find moves without it
  mutable std::map<Key, std::unique_ptr<State>> states_;
  mutable std::vector<std::unique_ptr<Move>> moves_;
  mutable size_t size_ = 0;
  State* start_[4] = {};  // by what stands before
};

}  // namespace footlight
