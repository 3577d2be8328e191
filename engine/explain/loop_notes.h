// What AutoGraph noted of the loops of each trace.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/source/outline.h"

#include <map>

namespace footlight::explain {

// Valid as long as the evidence.
class LoopNotes {
 public:
  struct Note {
    uint64_t turns = 0;  // 256 of "unrolled into 256 copies"; 0 of a staged loop and of a note without a number
    uint64_t all_turns = 0;  // of all its runs that differ in this
    bool in_python = false;
    bool made_nodes = false;
  };
  struct OfTrace {
    std::map<Line, Note> loops;
    // By the line of the bracket. Iterations that add no node are counted over all runs.
    std::map<Line, Note> comprehensions;

    const Note* of(session::FileId file, const source::Loop& loop) const;  // null: AutoGraph noted nothing of it
  };

  explicit LoopNotes(const Evidence& evidence);
  const OfTrace& of(TraceId trace) const;

 private:
  std::map<TraceId, OfTrace> notes_;
};

}  // namespace footlight::explain
