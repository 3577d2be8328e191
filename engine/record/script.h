// Forks before a recorded program runs: the parent becomes the supervisor and never returns, the child runs the program
// and records into the session.
#pragma once

#include "engine/session/records.h"

#include <string>

namespace footlight::record {

struct RecordedScript {
  session::RunRecord run;  // script, arguments, python and engine; the rest is filled in
  std::string session;     // path of the session file
  RecordingLevel level = RecordingLevel::kOps;
  int commands = -1;       // a descriptor with lines from the app ("stop", "level ops"); -1: none
};

// Hooks of an interpreter around a fork; may be null.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*after_in_parent)() = nullptr;  // only if the fork failed: otherwise the parent does not return
  void (*after_in_child)() = nullptr;
};

// Creates the session and forks. Returns only in the program's process, recorded from there on; the parent becomes the
// supervisor and exits as the program does. Throws Error, before any fork, when the session cannot be written.
void run_supervised(RecordedScript script, const ForkHooks& hooks);

// "off", "structure" or "ops". Throws Error (kValue) for anything else.
RecordingLevel level_of(const std::string& name);
const char* name_of(RecordingLevel);

}  // namespace footlight::record
