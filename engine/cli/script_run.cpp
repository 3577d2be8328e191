// The script runs in a child process, as `footlight record` would run it.
#include "engine/cli/script_run.h"

#include "engine/base/errors.h"
#include "engine/explain/words.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace footlight::cli {

std::string ScriptRequest::option(const char* name, const char* otherwise) const {
  const auto at = options.find(name);
  return at == options.end() ? otherwise : at->second;
}

bool ScriptRequest::names(std::string_view function) const {
  const std::string wanted = option("--function");
  return wanted.empty() || function == wanted || explain::last_name(function) == wanted;
}

ScriptRequest script_request(const std::string& command, const Words& words, std::span<const char* const> options) {
  ScriptRequest request;
  const auto wrong = [&](const std::string& why) { throw Error(ErrorKind::kValue, command + ": " + why); };
  for (size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i], value;
    const size_t equals = name.starts_with("--") ? name.find('=') : std::string::npos;
    const bool has_value = equals != std::string::npos;
    if (has_value) value = name.substr(equals + 1), name.resize(equals);
    if (name == "--") {
      const auto own = words.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      request.arguments.insert(request.arguments.end(), own, words.end());
      break;
    }
    if (name == "-o") name = "--output";
    if (name == "--json" && !has_value) {
      request.json = true;
    } else if (std::ranges::find(options, name) != options.end()) {
      if (!has_value && ++i == words.size()) wrong("option '" + name + "' needs a value");
      request.options[name] = has_value ? value : words[i];
    } else if (name.starts_with("-")) {
      wrong("unknown option '" + words[i] + "'; a script's own stand behind --");
    } else if (request.file.empty()) {
      request.file = name;
    } else {
      request.arguments.push_back(words[i]);
    }
  }
  if (request.file.empty()) wrong("a script or a recording is missing; usage: `footlight " + command + " script.py`");
  return request;
}

KeptRecording::KeptRecording(std::string wanted) : path_(std::move(wanted)) {
  if (!path_.empty()) return;
  folder_.emplace("run");
  path_ = *folder_ / "run.footlight";
}

int run_script(const Words& options, const ScriptRequest& request, const KeptRecording& recording) {
  Words words = options;
  for (const std::string& word : {std::string("-o"), recording.path(), request.file}) words.push_back(word);
  if (!request.arguments.empty()) words.push_back("--");
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::fflush(stdout);
  const sigset_t mask = DeferredSignals::hold();
  const pid_t child = fork();
  if (child < 0) {
    DeferredSignals::give_back(mask);
    throw Error(ErrorKind::kIo, "cannot start another process");
  }
  if (child == 0) {
    DeferredSignals::forget();
    DeferredSignals::give_back(mask);
    if (request.json) dup2(2, 1);
    _exit(record(words));
  }
  int status = 0;
  DeferredSignals::pass_on_to(child);
  DeferredSignals::give_back(mask);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  DeferredSignals::pass_on_to(0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace footlight::cli
