// Records of state around a trace: what changed, and where the rest of the program names the same.
#pragma once

#include "engine/python/function/observed/watched_body.h"
#include "engine/session/records/observation.h"

#include <string>
#include <vector>

namespace footlight::session {
class Writer;
}

namespace footlight::python {

session::ObservationRecord observation(session::ObservationKind kind, FunctionId function, TraceId trace, int64_t now);
// An observation at a line of a body.
session::ObservationRecord observation(session::Writer& writer, session::ObservationKind kind, FunctionId function,
                                       TraceId trace, int64_t now, const WatchedBody& body, int line, std::string path);

// What the rest of the program names a place: an item counts as its container's.
struct Elsewhere {
  std::string text;                      // text of the path
  autograph::StateName name;
};
Elsewhere elsewhere(const WatchedEntry& entry);

struct FoundUse {
  Ref file;
  autograph::StateUse use;
};
// In the files of the user's program that are loaded, except for the lines of these bodies.
std::vector<FoundUse> uses_of(const WatchedBody& body, const autograph::StateName& name,
                              const std::vector<const WatchedBody*>& without);
// Leaves out self.NAME in a class that has nothing to do with the object.
void drop_other_classes(std::vector<FoundUse>& uses, const WatchedEntry& entry);
// The lines of the stores, or of the reads.
void add_lines(session::Writer& writer, session::ObservationRecord& record, const std::vector<FoundUse>& found,
               bool stores, const char* role);

}  // namespace footlight::python
