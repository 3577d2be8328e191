// What the functions made on one line of code have in common: how often calls of them traced, what was said of it. A
// function that is made anew in a loop counts as one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace footlight::trace {

struct Definition {
  std::string name, place;               // "train_step", "train.py:14"
  uint64_t recent = 0;                   // one bit for each call, the latest lowest: it traced
  bool warned = false;
  uint64_t traces_after_warning = 0;
  uint64_t evicted = 0, evictions_reported = 0;

  Definition(std::string n, std::string p) : name(std::move(n)), place(std::move(p)) {}
  void note_hit() { recent <<= 1; }
  // A call had to trace. True when a warning about frequent retracing is due; it never is again.
  bool note_traced();
  // "5 of the last 10 calls traced it", right after that.
  std::string frequency() const;

 private:
  int traced_ = 0, of_ = 0;
};

// The one for "file:line"; a new one without a place.
std::shared_ptr<Definition> definition_at(const std::string& name, const std::string& place);

// For the end of a run: a sentence for each definition whose functions were traced further after the warning.
std::vector<std::string> retracing_after_warnings();
// The same for evictions that no session has a note of yet.
std::vector<std::string> unreported_evictions();

}  // namespace footlight::trace
