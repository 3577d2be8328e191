// Shared by all functions created on one line of code: how often their calls traced, and which warnings were printed. A
// function that a loop creates again and again counts as one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace footlight::trace {

struct Definition {
  std::string name, place;               // "train_step", "train.py:14"
  uint64_t recent = 0;                   // one bit per call, set if it traced; the latest is the lowest
  bool warned = false;
  uint64_t traces_after_warning = 0;
  uint64_t evicted = 0, evictions_reported = 0;

  Definition(std::string n, std::string p) : name(std::move(n)), place(std::move(p)) {}
  void note_hit() { recent <<= 1; }
  void forget_hit() { recent >>= 1; }  // undoes note_hit() for a call whose trace was made ahead of it
  // Called when a call traced; `own`: how often this function has traced. Returns whether to warn about retracing: once
  // per line, and once more for each other function of it that retraces as often.
  bool note_traced(int own);
  // "5 of the last 10 calls traced it"; valid right after that.
  std::string frequency() const;

 private:
  int traced_ = 0, of_ = 0;
};

// The definition at "file:line"; a new one if `place` is empty.
std::shared_ptr<Definition> definition_at(const std::string& name, const std::string& place);

// Called at the end of a run: a sentence per definition whose functions traced again after the warning.
std::vector<std::string> retracing_after_warnings();
// The same for evictions that no session has recorded yet.
std::vector<std::string> unreported_evictions();

}  // namespace footlight::trace
