// The script runs in a child process, as `footlight record` would run it.
#include "engine/cli/script_run.h"

#include "engine/base/errors.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace footlight::cli {

KeptRecording::KeptRecording(std::string wanted) : path_(std::move(wanted)) {
  if (!path_.empty()) return;
  std::string name = (std::filesystem::temp_directory_path() / "footlight-run-XXXXXX").string();
  if (!mkdtemp(name.data())) throw Error(ErrorKind::kIo, "cannot make a folder in " + name);
  folder_ = name;
  path_ = name + "/run.footlight";
}

KeptRecording::~KeptRecording() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

int run_script(const Words& options, const std::string& script, const Words& arguments, const std::string& recording,
               bool apart) {
  Words words = options;
  for (const std::string& word : {std::string("-o"), recording, script}) words.push_back(word);
  if (!arguments.empty()) words.push_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorKind::kIo, "cannot start another process");
  if (child == 0) {
    if (apart) dup2(2, 1);
    _exit(record(words));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace footlight::cli
