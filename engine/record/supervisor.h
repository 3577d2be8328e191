// The parent of a recorded script: owns its console, takes commands, and records how the script ended. It runs no
// Python, so it survives whatever the script does to its own process.
#pragma once

#include <sys/types.h>

#include <string>

namespace footlight::record {

struct SupervisedScript {
  pid_t process = -1;
  std::string session;       // path; created, and closed again, before the fork
  int stdout_pipe = -1;      // what the script writes to descriptor 1
  int stderr_pipe = -1;
  int print_pipe = -1;       // frames of console.h: tf.print, and the reason of an exception
  int control_pipe = -1;     // lines to the script's own command thread
  int commands = -1;         // lines from the app ("stop", "level ops"); -1: none
};

// Returns the exit status for this process: the script's, or 128 + the signal that ended it.
int supervise(SupervisedScript script);

}  // namespace footlight::record
