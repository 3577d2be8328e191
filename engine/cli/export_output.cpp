// Writes beside the file and renames, so that a failed or interrupted export leaves what was there.
#include "engine/cli/export_output.h"

#include "engine/base/text.h"
#include "engine/cli/text.h"
#include "engine/session/output_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace footlight::cli {
namespace {

constexpr int kEndings[] = {SIGINT, SIGTERM, SIGHUP};

// The unfinished file, for a signal handler: there is one output in a run of the program.
char unfinished[PATH_MAX];

void remove_unfinished(int signal) {
  unlink(unfinished);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// The descriptor that a name of an open file stands for, or -1. Opened by that name a file would be written from its
// beginning, whatever the shell has put there (`>> file`), and replaced it would be another file.
int open_descriptor(std::string_view path) {
  if (path.empty() || path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int descriptor = -1;
    const auto end = std::from_chars(number.data(), number.data() + number.size(), descriptor);
    if (end.ec == std::errc() && end.ptr == number.data() + number.size() && fcntl(descriptor, F_GETFD) >= 0)
      return descriptor;
  }
  return -1;
}

void refuse_other_kind(const std::string& path, const OutputKind& kind) {
  const session::FileAtPath found = session::look_at(path);
  constexpr const char* kAdvice = ": it is not replaced. Name another file after -o, or move this one away first";
  if (session::begins_as_recording(found.first)) fail(ErrorKind::kAlreadyExists, path, " is a recording", kAdvice);
  if (found.is_readable && (found.first.empty() || kind.begins_as_one(found.first))) return;
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  if (std::ranges::any_of(kind.endings, [&](std::string_view ending) { return name.ends_with(ending); })) return;
  fail(ErrorKind::kAlreadyExists, path, " is there already and is not ", kind.name, kAdvice);
}

}  // namespace

Output::Output(const std::string& path, const std::string& session, const OutputKind& kind) : path_(path) {
  struct stat there {}, read {};
  if (const int open_already = open_descriptor(path); open_already >= 0) {
    if (open_already == STDOUT_FILENO) path_ = "standard output";
    if (kind.is_binary && isatty(open_already))
      invalid("this format is binary and would garble the terminal: -o FILE names a file for it");
    file_ = open_already;
    is_borrowed_ = true;
  } else if (stat(path.c_str(), &there) == 0) {
    if (stat(session.c_str(), &read) == 0 && there.st_dev == read.st_dev && there.st_ino == read.st_ino)
      invalid(path, " is the recording itself, which an export does not replace");
    if (!S_ISREG(there.st_mode)) {
      // A pipe, /dev/null: to be written, not replaced.
      file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (file_ < 0) fail_here("cannot be written");
    } else {
      char resolved[PATH_MAX];  // a link stays a link
      final_ = realpath(path.c_str(), resolved) ? resolved : path;
      refuse_other_kind(final_, kind);
    }
  } else {
    if (session::look_at(path).type == session::FileType::kLink)
      fail(ErrorKind::kNotFound, path, " is a symbolic link to a file that is not there: name that file after -o");
    final_ = path;
  }
  is_terminal_ = final_.empty() && isatty(file_);
  if (final_.empty()) return;
  const std::string temporary = final_ + ".part-" + std::to_string(getpid());
  if (temporary.size() >= sizeof unfinished) fail(ErrorKind::kIo, path, ": the name is too long");
  const mode_t mode = there.st_ino ? there.st_mode & 0777 : 0666;
  file_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file_ < 0) fail_here("cannot be written");
  std::memcpy(unfinished, temporary.c_str(), temporary.size() + 1);
  for (const int signal : kEndings)
    if (std::signal(signal, remove_unfinished) == SIG_IGN) std::signal(signal, SIG_IGN);
}

Output::~Output() {
  if (!is_borrowed_ && file_ >= 0) close(file_);
  if (!final_.empty()) unlink(unfinished);
}

void Output::fail_here(const char* what) const {
  fail(ErrorKind::kIo, path_, ": ", what, ": ", std::strerror(errno));
}

void Output::flush() {
  if (is_terminal_) buffer_ = printable_lines(buffer_);
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_here("cannot be written");
    left.remove_prefix(static_cast<size_t>(written));
  }
  buffer_.clear();
}

void Output::finish() {
  flush();
  if (final_.empty()) return;
  // Some file systems report a full disk only here.
  const int closed = close(std::exchange(file_, -1));
  if (closed != 0 || std::rename(unfinished, final_.c_str()) != 0) fail_here("cannot be written");
  final_.clear();
}

Progress::Progress()
    : next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(500)), terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::add(uint64_t rows) {
  done_ += rows;
  if (expected_) show("exporting", static_cast<double>(done_) / static_cast<double>(expected_));
}

void Progress::show(const char* what, double share) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  std::fprintf(stderr, "\r%s: %.0f %%\033[K", what, 100 * std::clamp(share, 0.0, 1.0));
}

}  // namespace footlight::cli
