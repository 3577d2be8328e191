// Event files, which TensorBoard reads: one for each writer of summaries.
#pragma once

#include "engine/tensor/summary_writer.h"

#include <functional>

namespace footlight::formats {

struct EventFileOptions {
  int64_t max_queue = 10;          // so many events are kept before they are written
  int64_t flush_millis = 120'000;  // events of an earlier time are written with the next one
  std::string suffix = ".v2";      // of the file's name
};

// Creates the folder and in it a file whose name says when, where and by whom it was made. Throws what the system says.
Tensor create_event_file(const std::string& folder, const EventFileOptions&);
// Writes what all event files of this process still hold: before it ends.
void flush_event_files();

}  // namespace footlight::formats
