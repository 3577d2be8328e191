// What `footlight --help` and `footlight COMMAND --help` print, and which command a mistyped word may have meant.
#pragma once

#include "engine/cli/commands.h"

#include <string>
#include <string_view>

namespace footlight::cli {

struct Command {
  const char* name;
  const char* summary;  // one line
  const char* usage;    // the whole page of the command
  int (*run)(const Words&);
};

// Null for a word that is no command.
const Command* command_named(std::string_view name);

// The commands, one line each.
std::string overview();

// The command whose name is a few letters off; empty if none is near.
std::string nearest_command(std::string_view word);

}  // namespace footlight::cli
