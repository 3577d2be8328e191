// A changed copy of the script, recorded by this program as a process of its own, and its report beside the first one.
#include "engine/cli/rerun.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/text.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace footlight::cli {
namespace {

using explain::Checked;
using explain::Finding;

constexpr int kLeastSeconds = 60;
constexpr int kTimesAsLong = 10;  // as the recorded run

// A folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "footlight-rerun-XXXXXX").string();
    if (!mkdtemp(path.data())) fail(ErrorKind::kIo, "no temporary folder: ", std::strerror(errno));
    path_ = path;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

// The text with the edit made; empty: the line is not what it was.
std::string edited(const std::string& text, const Finding::Edit& edit) {
  size_t begin = 0;
  for (int line = 1; line < edit.at.line; ++line) {
    begin = text.find('\n', begin);
    if (begin++ == text.npos) return {};
  }
  const size_t at = text.find(edit.old_text, begin);
  if (at == text.npos || at > std::min(text.find('\n', begin), text.size())) return {};
  return std::string(text).replace(at, edit.old_text.size(), edit.new_text);
}

// "/usr/bin/python3" of "Python 3.11.2 (/usr/bin/python3)"
std::string interpreter_of(const std::string& python) {
  const size_t open = python.find('(');
  return open == python.npos || !python.ends_with(')') ? std::string()
                                                       : python.substr(open + 1, python.size() - open - 2);
}

[[noreturn]] void become_recorder(const session::RunRecord& run, const std::string& script, const std::string& session,
                                  pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDWR);
  if (getppid() != parent || nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0)
    _exit(1);
  if (chdir(run.working_directory.c_str()) != 0) _exit(1);
  const std::string python = interpreter_of(run.python);
  if (!python.empty() && access(python.c_str(), X_OK) == 0) setenv("FOOTLIGHT_PYTHON", python.c_str(), 1);
  // Modules beside the script are found as they were.
  const char* path = std::getenv("PYTHONPATH");
  const std::string folder = run.script.substr(0, run.script.rfind('/'));
  setenv("PYTHONPATH", (path && *path ? folder + ':' + path : folder).c_str(), 1);
  Words words{"-o", session, script, "--"};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  _exit(record(words));  // only if it fails
}

// Whether it ended by itself; the recording of a killed run can be read all the same.
bool record_again(const session::RunRecord& run, double seconds, const std::string& script,
                  const std::string& session) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail(ErrorKind::kIo, "the script cannot be started: ", std::strerror(errno));
  if (child == 0) become_recorder(run, script, session, parent);
  using Clock = std::chrono::steady_clock;
  const int limit = std::max(kLeastSeconds, static_cast<int>(std::min(seconds, 1e6) * kTimesAsLong));
  const auto until = Clock::now() + std::chrono::seconds(limit);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) return false;
    if (Clock::now() >= until) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return false;
}

size_t traces_of(const explain::Report& report, const std::string& function) {
  const auto at = std::ranges::find(report.functions, function, &explain::ReportedFunction::name);
  return at == report.functions.end() ? 0 : at->traces;
}

void check(const session::Reader& reader, const explain::Report& before, Finding& finding, const std::string& text) {
  const session::RunRecord& run = reader.contents().run;
  const Folder folder;
  const std::string script = folder / run.script.substr(run.script.rfind('/') + 1), session = folder / "run.footlight";
  std::ofstream(script) << text;
  const auto why_not = [&](std::string why) {
    if (finding.checked.method == Checked::Method::kNone) finding.checked.why_not = std::move(why);
  };
  if (!record_again(run, before.seconds, script, session)) return why_not("the changed script did not end");
  const auto again = session::Reader::open(session);
  const explain::Report after = explain::make_report(*again);
  if (!after.ended || after.exit_code != before.exit_code || after.signal != before.signal)
    return why_not("the changed script ended otherwise than the recorded one");
  const std::string function = explain::function_name(reader, finding);
  Checked checked;
  checked.method = Checked::Method::kRerun;
  checked.traces_before = traces_of(before, function);
  checked.traces_after = traces_of(after, function);
  // What keys say nothing of is gone if it is not found again.
  const bool retraces = !finding.saved.empty();
  const bool found_again = std::ranges::any_of(after.findings, [&](const Finding& f) {
    return f.cause == finding.cause && explain::function_name(*again, f) == function;
  });
  checked.ok = retraces ? checked.traces_after < checked.traces_before : !found_again;
  finding.checked = checked;
}

}  // namespace

void rerun_findings(const session::Reader& reader, explain::Report& report) {
  const explain::Report before = report;
  const session::RunRecord& run = reader.contents().run;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    Finding& finding = report.findings[i];
    const session::FileRecord* file = reader.file(finding.edit.at.file);
    if (!finding.edit.at || !file || file->path != run.script) continue;
    const std::string text = edited(file->text, finding.edit);
    if (text.empty()) continue;
    std::fprintf(stderr, "footlight: running %s again with the fix of F%zu\n", printable(run.script).c_str(), i + 1);
    check(reader, before, finding, text);
  }
}

}  // namespace footlight::cli
