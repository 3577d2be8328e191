// The registry of code objects, each with a copy of its line table: resolves a source position (code object,
// instruction offset) to a file and a line, in this process and in the session.
#pragma once

#include "engine/base/recording.h"
#include "engine/session/records.h"

#include <string>
#include <string_view>

namespace footlight::session {
class Writer;
}

namespace footlight::record {

// Assigns a unique id to a code object, and adds it to the current session. The caller
// keeps the id: registering the same code again gives another one.
CodeId register_code(std::string path, session::CodeRecord code);
// Called when the code object is freed. Lines of recent ones are kept: a graph built by such code may still fail.
void retire_code(CodeId id);

// Around a fork, so that the child does not inherit a lock that another thread holds.
void sources_before_fork();
void sources_after_fork();

// Called by the recorder: begins a session, which has no code objects yet; adds the code objects that it lacks.
void begin_codes();
void record_codes(session::Writer& writer);

// "file.py", 12, "train_step"; an empty file when unknown.
struct SourcePlace {
  std::string file;
  int line = 0;
  std::string function;
};
SourcePlace place_of(SourceRef source);
std::string place_text(SourceRef source);  // "file.py:12, in train_step", or ""

// Code in these folders and below is never the user's. `folder` ends in a slash.
void add_own_folder(std::string folder);
bool is_own_file(std::string_view path);
// Whether a file belongs to a library that calls functions on behalf of the program that called it: Keras, JAX.
bool is_library_file(std::string_view path);

}  // namespace footlight::record
