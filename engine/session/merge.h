// Writes the recordings of several processes into one. Each keeps its ids, under numbers of processes that follow those
// of the recordings before it; all times of a recording are moved onto the clock of the first one.
#pragma once

#include "engine/session/records.h"

#include <functional>
#include <string>
#include <vector>

namespace footlight::session {

struct MergePart {
  std::string path;
  int64_t move_ns = 0;   // added to every time of this recording
  int64_t error_ns = 0;  // how wrong its times may be after that; -1: unknown
};

// Reads one recording after the other, and writes their events in pieces: memory holds one chunk of events, the records
// of one recording, and what all of them printed. The run, and what ended it, is that of the first part. `go_on` is
// called now and then with the share that was done; false ends the merge with an Error (kCancelled).
// Throws Error; `to` is then as it was.
void write_merged(const std::vector<MergePart>& parts, const std::string& to,
                  const std::function<bool(double)>& go_on = {});

}  // namespace footlight::session
