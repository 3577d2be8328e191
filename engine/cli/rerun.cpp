// A changed copy of the script, recorded by this program as a process of its own, and its report beside the first one.
#include "engine/cli/rerun.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/temporary.h"
#include "engine/cli/text.h"
#include "engine/explain/edits.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

namespace footlight::cli {
namespace {

using explain::Checked;
using explain::Finding;

constexpr int kMinSeconds = 60;
constexpr int kTimesAsLong = 10;  // as the recorded run
constexpr double kMaxCostLeft = 0.8;  // of two runs of the same script, one may take this much less by chance

// What is on the disk: a session may come from anybody, and what it says was run is not run for it.
std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[noreturn]] void become_recorder(const session::RunRecord& run, const std::string& script, const std::string& session,
                                  pid_t parent) {
  setpgid(0, 0);
  DeferredSignals::forget();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDWR);
  if (getppid() != parent || nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0)
    _exit(1);
  if (chdir(run.working_directory.c_str()) != 0) _exit(1);
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
  const int limit = std::max(kMinSeconds, static_cast<int>(std::min(seconds, 1e6) * kTimesAsLong));
  const auto until = Clock::now() + std::chrono::seconds(limit);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) return false;
    if (Clock::now() >= until || DeferredSignals::caught()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return false;
}

// Null: there is none, or more than one of this name.
const explain::ReportedFunction* only_function(const explain::Report& report, const std::string& name) {
  const auto named = [&](const explain::ReportedFunction& f) { return f.name == name; };
  const auto at = std::ranges::find_if(report.functions, named);
  return std::ranges::count_if(report.functions, named) == 1 ? &*at : nullptr;
}

// `with`: the traces that are left when only the findings that this one comes after are mended; none: it comes first.
void check(const session::Reader& reader, const explain::Report& before, Finding& finding, const std::string& text,
           std::optional<size_t> with) {
  const session::RunRecord& run = reader.contents().run;
  const TemporaryFolder folder("rerun");
  const std::string script = folder / run.script.substr(run.script.rfind('/') + 1), session = folder / "run.footlight";
  std::ofstream(script, std::ios::binary) << text;
  Checked checked;
  checked.method = Checked::Method::kRerun;
  const auto no_help = [&](const char* why) {
    checked.why_not = why;
    finding.checked = checked;
    finding.edit = {};
  };
  if (!record_again(run, static_cast<double>(before.run_ns) / 1e9, script, session))
    return no_help("the changed script did not end");
  std::unique_ptr<session::Reader> again;
  try {
    again = session::Reader::open(session);
  } catch (const Error&) {
    return no_help("the changed script could not be recorded");
  }
  const explain::Report after = explain::make_report(*again);
  const bool alike = after.exit_code == before.exit_code && after.signal == before.signal;
  if (!after.ended || !alike || after.error_message != before.error_message)
    return no_help("the changed script ended otherwise than the recorded one");
  const std::string function = explain::function_name(reader, finding);
  const auto *was = only_function(before, function), *is = only_function(after, function);
  checked.traces_before = with ? *with : was ? was->traces : 0;
  checked.traces_after = is ? is->traces : 0;
  if (!finding.saved.empty()) {
    if (!was) return;  // several functions have this name: the replay tells more
    if (!is || is->traces == 0 || is->failed > was->failed) return no_help("calls fail with the change");
    checked.ok = is->traces < checked.traces_before;
  } else {
    // A problem that keys do not show is gone if it is not found again; one that costs time may also cost less.
    const Finding* left = nullptr;
    for (const Finding& f : after.findings) {
      if (f.cause != finding.cause || explain::function_name(*again, f) != function) continue;
      if (!left || (f.line.line == finding.line.line && left->line.line != finding.line.line)) left = &f;
    }
    checked.ok = !left;
    if (left && finding.severity == explain::Severity::kCost && finding.cost_ns > 0 && left->cost_ns > 0) {
      checked.cost_before_ns = finding.cost_ns;
      checked.cost_after_ns = left->cost_ns;
      checked.ok = static_cast<double>(left->cost_ns) <= kMaxCostLeft * static_cast<double>(finding.cost_ns);
      finding.saved_ns = std::max<int64_t>(0, finding.cost_ns - left->cost_ns);
    } else if (left) {
      checked.why_not = "it does not help, the problem is still there";
    }
  }
  finding.checked = checked;
}

// Where a finding comes after one other, which was run again: the traces that were left then.
std::optional<size_t> traces_without(const explain::Report& report, size_t at) {
  const std::vector<size_t>& after = report.findings[at].after;
  if (after.size() != 1 || after[0] > at) return {};
  const Finding& first = report.findings[after[0]];
  if (first.function != report.findings[at].function) return {};
  const bool mutual = std::ranges::find(first.after, at) != first.after.end();
  if (mutual || first.checked.method != Checked::Method::kRerun || !first.checked.ok) return {};
  return first.checked.traces_after;
}

// The recorded file that an edit changes, if it is the script; else null.
const session::FileRecord* file_of(const session::Reader& reader, const Finding::Edit& edit,
                                   const std::string& script) {
  const session::FileRecord* file = edit.at ? reader.file(edit.at.file) : nullptr;
  return file && file->path == script ? file : nullptr;
}

void swap_fixes(Finding& finding, size_t alternative) {
  Finding::Alternative& other = finding.alternatives[alternative];
  std::swap(finding.fix, other.fix);
  std::swap(finding.edit, other.edit);
  std::swap(finding.checked, other.checked);
}

}  // namespace

void rerun_findings(const session::Reader& reader, explain::Report& report) {
  const explain::Report before = report;
  const session::RunRecord& run = reader.contents().run;
  const std::string on_disk = text_of(run.script);
  const DeferredSignals signals;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    Finding& finding = report.findings[i];
    const std::string order = explain::order_text(before.findings, i);
    const auto run_with_edit = [&](const char* which) {
      if (file_of(reader, finding.edit, run.script)->text != on_disk)
        fail(ErrorKind::kFailedPrecondition, run.script, " is not what was recorded: record it again, then --rerun");
      const std::vector<Finding::Edit> edits = explain::edits_together(report.findings, i);
      const std::string text = edits.empty() ? std::string() : explain::apply_edits(on_disk, edits);
      if (text.empty()) return;
      std::fprintf(stderr, "footlight: running %s again with the %s of F%zu%s\n", printable(run.script).c_str(), which,
                   i + 1, order.empty() ? "" : (", " + order).c_str());
      check(reader, before, finding, text, traces_without(report, i));
    };
    bool any = file_of(reader, finding.edit, run.script);
    if (any) run_with_edit("fix");
    for (size_t other = 0; other < finding.alternatives.size() && !DeferredSignals::caught(); ++other) {
      if (finding.checked.method == Checked::Method::kRerun && finding.checked.ok) break;
      if (!file_of(reader, finding.alternatives[other].edit, run.script)) continue;
      any = true;
      const Finding first = finding;
      swap_fixes(finding, other);
      run_with_edit("other fix");
      if (finding.checked.method == Checked::Method::kRerun && finding.checked.ok) break;
      swap_fixes(finding, other);  // with what the run said of it
      finding.saved_ns = first.saved_ns;
    }
    if (!any)
      std::fprintf(stderr, "footlight: F%zu is not run again: its fix is no edit of %s\n", i + 1,
                   printable(run.script).c_str());
    if (DeferredSignals::caught()) return;
  }
}

}  // namespace footlight::cli
