// The graph of a trace as a picture: Graphviz' program `dot` lays it out. It cannot be cancelled and may need minutes
// and gigabytes for some graphs, so it runs as a process of its own with limits.
#include "engine/base/text.h"
#include "engine/cli/export.h"
#include "engine/cli/text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

namespace footlight::cli {
namespace {

constexpr int kLimitSeconds = 30;
constexpr rlim_t kMaxMemory = rlim_t{4} << 30;
constexpr size_t kMaxBytes = size_t{1} << 30;
constexpr const char* kInstead = "; --format dot writes the graph without laying it out";

struct Closing {
  int fd = -1;
  explicit Closing(int descriptor) : fd(descriptor) {}
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  ~Closing() { reset(); }
  void reset() {
    if (fd >= 0) close(std::exchange(fd, -1));
  }
};

// A file without a name, so that dot reads as it likes while its output is read here.
int nameless_file(const std::string& text) {
  Closing file(memfd_create("graph", MFD_CLOEXEC));
  for (size_t at = 0; file.fd >= 0 && at < text.size();) {
    const ssize_t written = write(file.fd, text.data() + at, text.size() - at);
    if (written <= 0) fail(ErrorKind::kIo, "the graph cannot be given to Graphviz: ", std::strerror(errno));
    at += static_cast<size_t>(written);
  }
  if (file.fd < 0 || lseek(file.fd, 0, SEEK_SET) != 0)
    fail(ErrorKind::kIo, "the graph cannot be given to Graphviz: ", std::strerror(errno));
  return std::exchange(file.fd, -1);
}

class Dot {
 public:
  explicit Dot(const std::string& graph) : in_(nameless_file(graph)), err_(nameless_file("")) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail(ErrorKind::kIo, std::strerror(errno));
    out_.fd = ends[0];
    Closing write_end(ends[1]);
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ < 0) fail(ErrorKind::kIo, "dot cannot be started: ", std::strerror(errno));
    if (child_ == 0) run(write_end.fd, parent);
  }
  ~Dot() {
    if (child_ > 0) kill(child_, SIGKILL), wait();
  }

  // Its output; throws Error.
  std::string output(Progress& progress) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::string all;
    for (;;) {
      const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
      if (passed >= kLimitSeconds * 1000 || all.size() > kMaxBytes)
        invalid("Graphviz needs more than ", kLimitSeconds, " s for this graph", kInstead);
      progress.show("laying out the graph, of at most", static_cast<double>(passed) / (kLimitSeconds * 1000));
      pollfd readable{out_.fd, POLLIN, 0};
      if (poll(&readable, 1, 200) <= 0) continue;
      char piece[1 << 16];
      const ssize_t got = read(out_.fd, piece, sizeof piece);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      all.append(piece, static_cast<size_t>(got));
    }
    const int status = wait();
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
      fail(ErrorKind::kNotFound, "Graphviz (dot) is not on the path", kInstead);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || all.empty())
      invalid("Graphviz gave up on this graph", complaint(), kInstead);
    return all;
  }

 private:
  static constexpr int kNotFound = 127;

  [[noreturn]] void run(int out, pid_t parent) {
    // It dies with this program, and before it takes the machine's memory.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit memory{kMaxMemory, kMaxMemory};
    setrlimit(RLIMIT_AS, &memory);
    if (getppid() != parent || dup2(in_.fd, 0) < 0 || dup2(out, 1) < 0 || dup2(err_.fd, 2) < 0) _exit(1);
    execlp("dot", "dot", "-Tsvg", static_cast<char*>(nullptr));
    _exit(errno == ENOENT ? kNotFound : 1);
  }

  int wait() {
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    return status;
  }

  // ": its first line of complaint".
  std::string complaint() const {
    char text[200];
    const ssize_t got = pread(err_.fd, text, sizeof text, 0);
    const std::string all(text, got > 0 ? static_cast<size_t>(got) : 0);
    const std::string first = printable(all.substr(0, all.find('\n')));
    return first.empty() ? "" : ": " + first;
  }

  Closing in_, out_{-1}, err_;
  pid_t child_ = -1;
};

}  // namespace

std::string svg_text(const Export& what) { return Dot(dot_text(what, true)).output(what.progress); }

void export_svg(const Export& what) { what.out.write(svg_text(what)); }

}  // namespace footlight::cli
