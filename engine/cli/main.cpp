// The `footlight` program: picks the command.
#include "engine/base/errors.h"
#include "engine/cli/help.h"
#include "engine/cli/text.h"

#include "footlight_version.h"

#include <cstdio>
#include <exception>
#include <filesystem>

namespace footlight::cli {
namespace {

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

// Words behind `--` or behind a script are the script's own.
bool any_asks_for_help(const Words& words) {
  for (const std::string& word : words) {
    if (word == "--" || word.ends_with(".py")) return false;
    if (asks_for_help(word)) return true;
  }
  return false;
}

int no_command(const std::string& word) {
  const std::string near = nearest_command(word);
  return complain("there is no command '" + word + "'" + (near.empty() ? "." : "; did you mean `" + near + "`?") +
                  " `footlight --help` lists the commands");
}

int help(const Words& words) {
  if (words.empty()) {
    std::fputs(overview().c_str(), stdout);
    return 0;
  }
  if (const Command* const command = command_named(words[0])) {
    std::fputs(command->usage, stdout);
    return 0;
  }
  return asks_for_help(words[0]) ? help({}) : no_command(words[0]);
}

// A word that names a file, even one that does not exist, and not a mistyped command.
bool looks_like_file(const std::string& word) {
  std::error_code ignored;
  return std::filesystem::exists(word, ignored) || word.find('/') != word.npos || word.find('.') != word.npos;
}

int run(const Words& words) {
  if (words.empty()) {
    std::fputs(overview().c_str(), stderr);
    return kUnusable;
  }
  const std::string& name = words[0];
  const Words rest(words.begin() + 1, words.end());
  if (asks_for_help(name) || name == "help") return help(rest);
  if (name == "--version") {
    std::puts("footlight " FOOTLIGHT_VERSION);
    return 0;
  }
  if (const Command* const command = command_named(name))
    return any_asks_for_help(rest) ? help({name}) : command->run(rest);
  const bool is_for_app = rest.empty() || rest[0].starts_with("--select") || rest[0].starts_with("--view");
  if (is_for_app && !name.empty() && name[0] != '-' && looks_like_file(name)) return open_in_app(name, rest);
  return no_command(name);
}
}  // namespace

int complain(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "footlight: %s\n", printable_lines(message).c_str());
  return kUnusable;
}

}  // namespace footlight::cli

int main(int argc, char** argv) {
  try {
    return footlight::cli::run({argv + 1, argv + argc});
  } catch (const footlight::Error& e) {
    return footlight::cli::complain(e.message());
  } catch (const std::exception& e) {
    return footlight::cli::complain(e.what());
  }
}
