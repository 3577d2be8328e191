// Commands that become another program: the user's Python for `record`, footlight-app for a file.
#include "engine/cli/commands.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace footlight::cli {
namespace {

bool is_file(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

// Empty: not set.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Replaces this process; returns only on failure.
int become(const std::string& program, Words words) {
  words.insert(words.begin(), program);
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  execvp(program.c_str(), arguments.data());
  return errno;
}

// The folder that `import footlight` needs on its path: of the build tree, or installed.
std::string package_folder() {
  const std::string here = program_folder();
  for (const char* way : {"/../python", "/../lib/footlight/python"}) {
    const std::string folder = here + way;
    if (!is_file(folder + "/footlight/__init__.py")) continue;
    char resolved[PATH_MAX];
    return realpath(folder.c_str(), resolved) ? resolved : folder;
  }
  return {};
}

std::string interpreter() {
  std::string python = environment("FOOTLIGHT_PYTHON");
  if (!python.empty()) return python;
  const std::string active = environment("VIRTUAL_ENV");
  if (!active.empty()) {
    for (const char* name : {"/bin/python", "/bin/python3"})
      if (access((active + name).c_str(), X_OK) == 0) return active + name;
  }
  return "python3";
}

}  // namespace

std::string program_folder() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  const std::string whole(path, size > 0 ? static_cast<size_t>(size) : 0);
  return whole.substr(0, whole.rfind('/'));
}

namespace {

// Becomes the interpreter, which runs this file of the recorder's package.
int become_python(const std::string& python, const char* file, const Words& words) {
  const std::string package = package_folder();
  if (package.empty())
    return complain("the Python package of Footlight is not next to the program, in " + program_folder() +
                    "/../python");
  const std::string path = environment("PYTHONPATH");
  setenv("PYTHONPATH", (path.empty() ? package : package + ":" + path).c_str(), 1);
  // By its path: with -m Python would look in the current folder first, where a file of this name may lie.
  Words all{package + "/footlight_recorder/" + file};
  all.insert(all.end(), words.begin(), words.end());
  const int error = become(python, std::move(all));
  return complain("cannot start the Python interpreter " + python + ": " + std::strerror(error) +
                  ". Set FOOTLIGHT_PYTHON to another one");
}

// The interpreter that the process runs; else the one that scripts would run in.
std::string interpreter_of(const std::string& process) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/" + process + "/exe", error);
  const bool is_python = !error && program.filename().string().starts_with("python");
  return is_python && environment("FOOTLIGHT_PYTHON").empty() ? program.string() : interpreter();
}

}  // namespace

int record(const Words& words) {
  if (words.empty()) return complain("record needs a script: `footlight record script.py`");
  return become_python(interpreter(), "__main__.py", words);
}

int attach(const Words& words) {
  const auto number = std::ranges::find_if(words, [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  });
  return become_python(number == words.end() ? interpreter() : interpreter_of(*number), "attach.py", words);
}

int open_in_app(const std::string& file, const Words& options) {
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string name = options[i].substr(0, options[i].find('='));
    if (name != "--select" && name != "--view")
      return complain("with a file come only --select WHAT and --view VIEW, not '" + options[i] + "'");
    if (name == options[i] && ++i == options.size()) return complain(name + " needs a value");
  }
  if (!is_file(file)) return complain(file + ": " + std::strerror(errno ? errno : EISDIR));
  std::string app = program_folder() + "/footlight-app";
  if (access(app.c_str(), X_OK) != 0) app = "footlight-app";
  Words words{file};
  words.insert(words.end(), options.begin(), options.end());
  const int error = become(app, std::move(words));
  return complain("cannot start " + app + ": " + std::strerror(error) + ". `footlight info " + file +
                  "` works without the app");
}

}  // namespace footlight::cli
