// The one place that decides whether a command may put its output where `-o` says: what stands there is looked at,
// never opened for writing, and whatever the command would not write itself stays, and is named in the error.
#pragma once

#include <string>
#include <string_view>

namespace footlight::session {

enum class FileType { kNothing, kRegular, kFolder, kLink, kDevice, kPipe, kSocket };

// What stands at a path, links not followed; `first` are the first bytes of a regular file that can be read.
struct FileAtPath {
  FileType type = FileType::kNothing;
  bool is_readable = false;
  std::string first;
};
FileAtPath look_at(const std::string& path);

// "a device", "a folder"
const char* words_for(FileType type);

// `first`: of a file, at least 72 bytes where it has so many. An SQLite file counts only with our application id.
bool begins_as_recording(std::string_view first);

// Throws Error unless nothing, an empty file or a recording stands at `path`.
void refuse_unless_recording(const std::string& path);

}  // namespace footlight::session
