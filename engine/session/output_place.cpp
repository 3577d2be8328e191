// Looks at a file without following links, and without waiting for the other end of a pipe.
#include "engine/session/output_place.h"

#include "engine/base/text.h"
#include "engine/session/log.h"
#include "engine/session/open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace footlight::session {
namespace {

constexpr size_t kFirstBytes = 512;
constexpr size_t kApplicationIdAt = 68;  // offset in the header of an SQLite file, big endian

FileType type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kRegular;
  if (S_ISDIR(mode)) return FileType::kFolder;
  if (S_ISLNK(mode)) return FileType::kLink;
  if (S_ISFIFO(mode)) return FileType::kPipe;
  if (S_ISSOCK(mode)) return FileType::kSocket;
  return FileType::kDevice;
}

}  // namespace

const char* words_for(FileType type) {
  switch (type) {
    case FileType::kNothing: return "nothing";
    case FileType::kRegular: return "a file";
    case FileType::kFolder: return "a folder";
    case FileType::kLink: return "a symbolic link";
    case FileType::kDevice: return "a device";
    case FileType::kPipe: return "a pipe";
    case FileType::kSocket: return "a socket";
  }
  return "";
}

FileAtPath look_at(const std::string& path) {
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0) return {};  // whoever creates the file reports why it cannot be
  FileAtPath found{type_of(there.st_mode), false, {}};
  if (found.type != FileType::kRegular) return found;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
  if (!file) return found;
  found.is_readable = true;
  found.first.resize(kFirstBytes);
  found.first.resize(read_at(file.get(), found.first.data(), kFirstBytes, 0));
  return found;
}

bool begins_as_recording(std::string_view first) {
  if (is_database(first)) return first.substr(std::min(first.size(), kApplicationIdAt), 4) == "FLTS";
  return !first.empty() && (first.starts_with(kLogMagic) || kLogMagic.starts_with(first));
}

void refuse_unless_recording(const std::string& path) {
  constexpr const char* kAdvice = ". Name another file after -o, or move this one away first";
  const FileAtPath found = look_at(path);
  if (found.type == FileType::kNothing) return;
  if (found.type == FileType::kLink) {
    fail(ErrorKind::kAlreadyExists, path, " is a symbolic link, and what it points to is not replaced", kAdvice);
  } else if (found.type != FileType::kRegular) {
    fail(ErrorKind::kAlreadyExists, path, " is ", words_for(found.type),
         ", and a recording is a file of its own. Name a new file after -o");
  } else if (!found.is_readable) {
    fail(ErrorKind::kAlreadyExists, path, " cannot be read, so it may not be a recording and is not replaced", kAdvice);
  } else if (!found.first.empty() && !begins_as_recording(found.first)) {
    fail(ErrorKind::kAlreadyExists, path, " is there already and is not a recording: it is not replaced", kAdvice);
  }
}

}  // namespace footlight::session
