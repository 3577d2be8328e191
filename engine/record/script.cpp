// Creates the session, makes the console's pipes and forks.
#include "engine/record/script.h"

#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/record/console.h"
#include "engine/record/machine.h"
#include "engine/record/recorder.h"
#include "engine/record/supervisor.h"
#include "engine/session/writer.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace footlight::record {
namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(ErrorKind::kIo, std::string("cannot make a pipe for the console: ") + std::strerror(errno));
    read = ends[0];
    write = ends[1];
  }
};

struct Pipes {
  Pipe out, err, print, control;
};

[[noreturn]] void become_the_supervisor(pid_t script, const Pipes& pipes, const RecordedScript& recorded) {
  for (int descriptor : {pipes.out.write, pipes.err.write, pipes.print.write, pipes.control.read}) close(descriptor);
  SupervisedScript supervised;
  supervised.process = script;
  supervised.session = recorded.session;
  supervised.stdout_pipe = pipes.out.read;
  supervised.stderr_pipe = pipes.err.read;
  supervised.print_pipe = pipes.print.read;
  supervised.control_pipe = pipes.control.write;
  supervised.commands = recorded.commands;
  _exit(supervise(std::move(supervised)));
}

void become_the_script(const Pipes& pipes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If memory runs out, the kernel should kill the script, not the app or the user's other programs.
  if (FILE* file = std::fopen("/proc/self/oom_score_adj", "we")) {
    std::fputs("1000", file);
    std::fclose(file);
  }
  dup2(pipes.out.write, 1);
  dup2(pipes.err.write, 2);
  for (int descriptor : {pipes.out.read, pipes.err.read, pipes.print.read, pipes.control.write}) close(descriptor);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  talk_to_supervisor({pipes.print.write, pipes.out.write, pipes.err.write, pipes.control.read});
}

}  // namespace

RecordingLevel level_of(const std::string& name) {
  if (name == "off") return RecordingLevel::kOff;
  if (name == "structure") return RecordingLevel::kStructure;
  if (name == "ops") return RecordingLevel::kOps;
  throw Error(ErrorKind::kValue, "the level is off, structure or ops, not '" + name + "'");
}

const char* name_of(RecordingLevel level) {
  switch (level) {
    case RecordingLevel::kOff: return "off";
    case RecordingLevel::kStructure: return "structure";
    case RecordingLevel::kOps: break;
  }
  return "ops";
}

void run_supervised(RecordedScript script, const ForkHooks& hooks) {
  char directory[PATH_MAX];
  script.run.working_directory = getcwd(directory, sizeof directory) ? directory : "";
  script.run.machine = describe_machine();
  script.run.started_ns = now_ns();
  if (script.commands >= 0) fcntl(script.commands, F_SETFD, FD_CLOEXEC);
  auto between = session::Writer::create(script.session, script.run, script.level);
  between->rest();  // a session whose processes have not written yet must not look killed
  const Pipes pipes;
  if (hooks.before) hooks.before();
  const pid_t process = fork();
  if (process < 0) {
    const int error = errno;
    if (hooks.after_in_parent) hooks.after_in_parent();
    throw Error(ErrorKind::kIo, std::string("cannot start a process for the script: ") + std::strerror(error));
  }
  if (process > 0) become_the_supervisor(process, pipes, script);
  if (hooks.after_in_child) hooks.after_in_child();
  if (script.commands >= 0) close(script.commands);
  become_the_script(pipes);
  session::WriterOptions options;
  options.process = between->process();  // the process for which the session was begun
  attach_recording(script.session, script.level, options);
}

}  // namespace footlight::record
