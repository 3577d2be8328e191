// Splits the process in two before a recorded program runs: the supervisor, which never comes back, and the program,
// which records into the session.
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

// What an interpreter wants to do around a fork; null: nothing.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*after_in_parent)() = nullptr;  // only when the fork failed: the parent does not come back otherwise
  void (*after_in_child)() = nullptr;
};

// Creates the session and forks. Returns in the program's process alone, recorded from there on; the parent becomes the
// supervisor and exits as the program does. Throws Error, before any fork, when the session cannot be written.
void run_supervised(RecordedScript script, const ForkHooks& hooks);

// "off", "structure" or "ops". Throws Error (kValue) for anything else.
RecordingLevel level_of(const std::string& name);

}  // namespace footlight::record
