// Commands that take a script and record it, or read a recording: their arguments, and the run.
#pragma once

#include "engine/cli/commands.h"
#include "engine/cli/temporary.h"

#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace footlight::cli {

struct ScriptRequest {
  std::string file;                            // a script, or a recording
  Words arguments;                             // of the script; the words after a recording
  std::map<std::string, std::string> options;  // "--function": "train_step"; -o is "--output"
  bool json = false;

  std::string option(const char* name, const char* otherwise = "") const;
  // Whether --function means this one: it is the whole name, or its last part; without the option, all are meant.
  bool names(std::string_view function) const;
};

// Reads the words of a command that has these options besides --json. Throws what is wrong with them.
ScriptRequest script_request(const std::string& command, const Words& words, std::span<const char* const> options);

// Where a command records: the file that was asked for, or one in a temporary folder that is removed with the object.
// While it lives, signals that would end the program are deferred.
class KeptRecording {
 public:
  explicit KeptRecording(std::string wanted);
  const std::string& path() const { return path_; }

 private:
  const DeferredSignals signals_;  // first of all: it ends the program after the folder is gone
  std::optional<TemporaryFolder> folder_;
  std::string path_;
};

// Runs the script to its end, with these options of `footlight record`; its exit status. With --json, what it prints
// goes to standard error. A signal that was sent to this program alone is passed on to it.
int run_script(const Words& options, const ScriptRequest& request, const KeptRecording& recording);

}  // namespace footlight::cli
