// The register of the code objects that were seen, each with a copy of its line table: what turns a source position
// (code object, instruction offset) into a file and a line, in this process and in the session.
#pragma once

#include "engine/base/recording.h"
#include "engine/session/records.h"

#include <string>
#include <string_view>

namespace footlight::session {
class Writer;
}

namespace footlight::record {

// Gives a code object its id, which no other gets, and adds it to the session that is being written. The caller
// remembers the id: the same code registered twice is two codes.
CodeId register_code(std::string path, session::CodeRecord code);
// The code object is gone. Lines of the latest ones are known for a while: a graph made by such code may still fail.
void retire_code(CodeId id);

// For the recorder: a session begins, which has no code object yet; and the session gets those that it lacks.
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

// Code of these folders and below is never the user's. `folder` ends in a slash.
void add_own_folder(std::string folder);
bool is_own_file(std::string_view path);

// Where this thread's program stood when it let go of its interpreter (the GIL): its position meanwhile.
extern constinit thread_local SourceRef source_without_interpreter FL_FAST_TLS;

}  // namespace footlight::record
