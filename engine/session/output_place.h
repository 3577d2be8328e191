// Decides whether a command may put its output where `-o` says. The file there is examined, never opened for writing;
// whatever the command would not write itself stays, and the error names it.
#pragma once

#include <string>
#include <string_view>

namespace footlight::session {

enum class FileType { kNothing, kRegular, kFolder, kLink, kDevice, kPipe, kSocket };

// The file at a path, without following links; `first` has the first bytes of a regular file that can be read.
struct FileAtPath {
  FileType type = FileType::kNothing;
  bool is_readable = false;
  std::string first;
};
FileAtPath look_at(const std::string& path);

// "a device", "a folder"
const char* words_for(FileType type);

// `first`: at least 72 bytes of the file, if it has so many. An SQLite file counts only with our application id.
bool begins_as_recording(std::string_view first);

// Throws Error unless `path` is free or has an empty file or a recording.
void refuse_unless_recording(const std::string& path);

}  // namespace footlight::session
