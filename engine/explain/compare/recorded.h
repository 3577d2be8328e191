// Compares what two recordings hold, or two parts of one: whole recordings, the calls of a function, the calls that a
// trace served, single calls. Nothing is run; every moment of the recorded time is given to what was recorded of it.
#pragma once

#include "engine/explain/compare/comparison.h"

#include <functional>
#include <span>
#include <string_view>

namespace footlight::explain {

// What a side is: "", "step", "step#2", "step:7".
struct Recorded {
  enum class Kind : uint8_t { kRecording, kFunction, kTrace, kCall };
  Kind kind = Kind::kRecording;
  std::string function = {};  // as recorded, or its last part; "f (2)": the second of that name
  uint64_t number = 0;        // of the trace, or of the call among those of the function, from 1
  friend bool operator==(const Recorded&, const Recorded&) = default;
};
// Throws Error when the number is none.
Recorded recorded_named(std::string_view words);
std::string words_of(const Recorded& what);
// The names by which functions are found: several of one name are told apart by their order.
std::vector<std::pair<std::string, FunctionId>> function_names(std::span<const session::FunctionRecord> functions);

struct RecordedSide {
  const session::Reader& reader;
  std::string path;
  Recorded what;
};

// Called again and again; throws to end the work.
using GoOn = std::function<void()>;

// Throws Error when a side is not in its recording, and when the two cannot be compared, in words.
Comparison compare_recorded(const RecordedSide& left, const RecordedSide& right, const GoOn& go_on);

}  // namespace footlight::explain
