// Recordings of other programs: found by what is in the file, and made into a recording of ours.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::session {
class Writer;
}

namespace footlight::foreign {

enum class Format : uint8_t { kNone, kChrome, kXPlane, kHlo, kStableHlo, kFx, kTorchTrace, kPerfetto, kNsight };

// The format of a file, by its content; kNone: a recording of ours, a model, or anything unknown.
Format format_of(const std::string& path);
const char* name_of(Format format);   // "Chrome or Kineto JSON"
bool is_foreign(const std::string& path);
bool is_program(Format format);       // the text of a program, of which nothing ran
// For a message: "Chrome or Kineto JSON, ...".
std::string known_formats();

struct ImportOptions {
  std::function<bool(double)> go_on = {};  // the share that is done; false ends the import with an Error (kCancelled)
};
// The events of one file, given as its bytes, without the facts of a run; for tests. `beside`: the recording.
void import_bytes(std::string_view bytes, session::Writer& writer, const std::string& beside);
// Writes one recording of all files, each as a process of it. Throws Error, and leaves nothing at `to` then.
void import_files(const std::vector<std::string>& files, const std::string& to, const ImportOptions& options = {});

}  // namespace footlight::foreign
