// Running a script for a command that needs a new recording of it.
#pragma once

#include "engine/cli/commands.h"

namespace footlight::cli {

// A name for a recording; in a folder of its own, which is removed, if nobody asked to keep it.
class KeptRecording {
 public:
  explicit KeptRecording(std::string wanted);
  ~KeptRecording();
  KeptRecording(const KeptRecording&) = delete;
  KeptRecording& operator=(const KeptRecording&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_, folder_;
};

// Runs the script to its end, with these options of `footlight record`; its exit status. `apart`: what it prints goes
// to standard error.
int run_script(const Words& options, const std::string& script, const Words& arguments, const std::string& recording,
               bool apart);

}  // namespace footlight::cli
