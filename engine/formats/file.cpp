// POSIX files, written in parts if the system takes only parts.
#include "engine/formats/file.h"

#include "engine/base/text.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace footlight::formats {
namespace {

ErrorKind kind_of(int error) {
  switch (error) {
    case ENOENT: return ErrorKind::kNotFound;
    case EACCES: case EPERM: case EROFS: return ErrorKind::kPermissionDenied;
    case ENOSPC: case EDQUOT: case EMFILE: case ENFILE: case EFBIG: return ErrorKind::kResourceExhausted;
    case ENOTDIR: case EISDIR: return ErrorKind::kFailedPrecondition;
    case ENAMETOOLONG: return ErrorKind::kInvalidArgument;
    default: return ErrorKind::kUnknown;
  }
}

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> next{0};
  return str(path, ".tempstate", getpid(), "-", next++);
}

}  // namespace

void fail_as_system(const char* what, const std::string& path) {
  const int error = errno;
  fail(kind_of(error), path, ": cannot ", what, ": ", std::strerror(error));
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

File File::open_to_read(const std::string& path) {
  // Without O_NONBLOCK a pipe of that name would wait for a writer.
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) fail_as_system("open the file", path);
  struct stat found;
  if (::fstat(file.descriptor(), &found) < 0) fail_as_system("look at the file", path);
  if (!S_ISREG(found.st_mode)) fail(ErrorKind::kFailedPrecondition, path, ": is not a file");
  return file;
}

File File::create(const std::string& path) {
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) fail_as_system("create the file", path);
  return file;
}

size_t File::size(const std::string& path) const {
  struct stat found;
  if (::fstat(descriptor_, &found) < 0) fail_as_system("look at the file", path);
  return static_cast<size_t>(found.st_size);
}

void File::write(std::string_view bytes, const std::string& path) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), std::min(bytes.size(), size_t{1} << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_as_system("write to the file", path);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

bool File::read_at(size_t offset, char* to, size_t count, const std::string& path) const {
  while (count) {
    const ssize_t got = ::pread(descriptor_, to, std::min(count, size_t{1} << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_as_system("read the file", path);
    if (got == 0) return false;
    to += got;
    offset += static_cast<size_t>(got);
    count -= static_cast<size_t>(got);
  }
  return true;
}

void File::sync(const std::string& path) const {
  // Some file systems cannot, which is no reason not to write.
  if (::fdatasync(descriptor_) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    fail_as_system("write the file to the disk", path);
}

void File::close(const std::string& path) {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) < 0 && errno != EINTR) fail_as_system("close the file", path);
}

NewFile::NewFile(std::string path)
    : path_(std::move(path)), temporary_(temporary_name(path_)), file_(File::create(temporary_)) {}

NewFile::~NewFile() {
  if (!finished_) ::unlink(temporary_.c_str());
}

void NewFile::finish() {
  file_.sync(temporary_);
  file_.close(temporary_);
  rename_file(temporary_, path_);
  finished_ = true;
}

void write_file(const std::string& path, std::string_view bytes) {
  NewFile file(path);
  file.write(bytes);
  file.finish();
}

std::string read_file(const std::string& path, size_t most) {
  const File file = File::open_to_read(path);
  const size_t size = file.size(path);
  if (size > most)
    fail(ErrorKind::kDataLoss, path, ": the file has ", size, " bytes; at most ", most, " are read of such a file");
  std::string bytes(size, '\0');
  if (!file.read_at(0, bytes.data(), size, path))
    fail(ErrorKind::kDataLoss, path, ": the file became shorter while it was read");
  return bytes;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

void rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) < 0) fail_as_system(str("rename ", from, " to").c_str(), to);
}

}  // namespace footlight::formats
