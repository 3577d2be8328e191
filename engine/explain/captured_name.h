// The name by which a line reads something from outside of its function: sessions have the text of files and no syntax
// trees.
#pragma once

#include "engine/explain/outlines.h"

namespace footlight::explain {

struct CapturedName {
  std::string path;  // "global TABLE", "closure matrix", "self.index"; empty: the line names nothing from outside
  Line made;         // where it is assigned; line 0: unknown
};

// The name that a line captures. A name that NumPy makes comes before others.
CapturedName captured_name(const Evidence& evidence, Outlines& outlines, const Line& line);

}  // namespace footlight::explain
