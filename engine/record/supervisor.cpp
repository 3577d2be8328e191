// The supervisor's loop: forwards and records the pipes, handles commands, signals, memory and the end.
#include "engine/record/supervisor.h"

#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/terminal_text.h"
#include "engine/record/console.h"
#include "engine/record/process_tree.h"
#include "engine/record/this_process.h"
#include "engine/session/processes_beside.h"
#include "engine/session/writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace footlight::record {
namespace {

using session::ConsoleStream;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kPartialLineWait = kSecond / 20;   // a prompt without a line end is shown after this
constexpr int64_t kMemoryLookEvery = kSecond / 10;
constexpr int64_t kStopStep = 2 * kSecond;           // SIGINT, then SIGTERM, then SIGKILL
constexpr int64_t kQuietAfterEnd = kSecond / 2;      // children left behind are recorded until quiet this long
constexpr int64_t kLongestAfterEnd = 2 * kSecond;    // but no longer than this
constexpr size_t kMaxWaiting = size_t{1} << 18;     // bytes waiting for a slow reader; the script blocks above that

// One of the script's descriptors: forwarded at once, recorded line by line.
struct Channel {
  int pipe = -1;
  int passed_to = -1;
  ConsoleStream stream = ConsoleStream::kStdout;
  std::string waiting;     // bytes for the reader of `passed_to`
  std::string pending;     // the beginning of an unfinished line
  int64_t pending_since = 0;
  bool broken = false;     // nobody reads `passed_to` any more

  bool full() const { return waiting.size() >= kMaxWaiting; }

  // Writes as much as the reader takes without blocking. The descriptor is shared with other programs, so it is not
  // made non-blocking: a pipe that is ready takes PIPE_BUF bytes at once.
  void pass_on() {
    size_t done = 0;
    while (done < waiting.size() && !broken) {
      pollfd ready{passed_to, POLLOUT, 0};
      if (poll(&ready, 1, 0) <= 0) break;
      const size_t size = std::min<size_t>(PIPE_BUF, waiting.size() - done);
      const ssize_t written = ::write(passed_to, waiting.data() + done, size);
      if (written < 0 && (errno == EINTR || errno == EAGAIN)) break;
      if (written <= 0) broken = true;
      else done += static_cast<size_t>(written);
    }
    waiting.erase(0, broken ? waiting.size() : done);
  }
};

void say(std::string_view what, std::string_view why) {
  std::fprintf(stderr, "footlight: %s%s\n", std::string(what).c_str(), printable_lines(why).c_str());
}

class Supervisor {
 public:
  explicit Supervisor(SupervisedScript script) : script_(std::move(script)) {
    out_.pipe = script_.stdout_pipe;
    out_.passed_to = 1;
    err_.pipe = script_.stderr_pipe;
    err_.passed_to = 2;
    err_.stream = ConsoleStream::kStderr;
    try {
      session::WriterOptions options;
      options.process = session::ProcessId(0);  // it writes for the script's process
      writer_ = session::Writer::attach(script_.session, options);
    } catch (const Error& error) {
      say("the console is not recorded: ", error.what());
    }
  }

  int run() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that children that outlive the script can be stopped
    const int signals = take_signals();
    while (!ended_ || still_talking()) {
      const bool both = !out_.full() && !err_.full();
      pollfd watched[] = {{out_.full() ? -1 : out_.pipe, POLLIN, 0},
                          {err_.full() ? -1 : err_.pipe, POLLIN, 0},
                          {both ? script_.print_pipe : -1, POLLIN, 0},
                          {ended_ ? -1 : script_.commands, POLLIN, 0},
                          {signals, POLLIN, 0},
                          {out_.waiting.empty() ? -1 : 1, POLLOUT, 0},
                          {err_.waiting.empty() ? -1 : 2, POLLOUT, 0}};
      poll(watched, std::size(watched), 50);
      if (watched[0].revents) read_channel(out_);
      if (watched[1].revents) read_channel(err_);
      if (watched[2].revents) read_frames();
      if (watched[3].revents) read_commands();
      if (watched[4].revents) read_signals(signals);
      for (Channel* channel : {&out_, &err_}) {
        channel->pass_on();
        if (channel->broken && channel->pipe >= 0) close_channel(*channel);  // the script gets the broken pipe itself
      }
      const int64_t now = now_ns();
      show_partial(out_, now);
      show_partial(err_, now);
      if (!ended_) {
        escalate(now);
        watch_memory(now);
        reap();
      }
    }
    const int code = finish();
    leave_the_rest();
    return code;
  }

 private:
  static int take_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  // ---- console -------------------------------------------------------------------------------------------------
  void record(ConsoleStream stream, std::string text) {
    if (writer_ && !text.empty()) writer_->add(session::ConsoleRecord{now_ns(), stream, std::move(text)});
  }

  void close_channel(Channel& channel) {
    record(channel.stream, std::exchange(channel.pending, {}));
    close(channel.pipe);
    channel.pipe = -1;
  }

  void read_channel(Channel& channel) {
    char chunk[65536];
    const ssize_t got = ::read(channel.pipe, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) return close_channel(channel);
    heard_ns_ = now_ns();
    const std::string_view text(chunk, static_cast<size_t>(got));
    channel.waiting += text;
    channel.pass_on();
    if (channel.pending.empty()) channel.pending_since = heard_ns_;
    channel.pending += text;
    if (const size_t end = channel.pending.rfind('\n'); end != std::string::npos) {
      record(channel.stream, channel.pending.substr(0, end + 1));
      channel.pending.erase(0, end + 1);
    }
  }

  void show_partial(Channel& channel, int64_t now) {
    if (!channel.pending.empty() && now - channel.pending_since > kPartialLineWait)
      record(channel.stream, std::exchange(channel.pending, {}));
  }

  void read_frames() {
    char chunk[65536];
    const ssize_t got = ::read(script_.print_pipe, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      close(script_.print_pipe);
      script_.print_pipe = -1;
      return;
    }
    heard_ns_ = now_ns();
    frames_.append(chunk, static_cast<size_t>(got));
    PrintFrame header;
    while (frames_.size() >= sizeof header) {
      std::memcpy(&header, frames_.data(), sizeof header);
      if (frames_.size() - sizeof header < header.size) break;
      std::string text = frames_.substr(sizeof header, header.size);
      frames_.erase(0, sizeof header + header.size);
      if (header.kind == PrintFrame::kReason) {
        reason_ = std::move(text);
        continue;
      }
      Channel& stream = header.kind == PrintFrame::kToStdout ? out_ : err_;
      stream.waiting += text;
      stream.pass_on();
      // Text of an unfinished line was written before the frame.
      for (Channel* channel : {&out_, &err_}) record(channel->stream, std::exchange(channel->pending, {}));
      record(ConsoleStream::kTfPrint, std::move(text));
    }
  }

  // ---- commands, signals, stop -----------------------------------------------------------------------------------
  void read_commands() {
    char chunk[256];
    const ssize_t got = ::read(script_.commands, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      close(script_.commands);
      script_.commands = -1;
      return stop("Stopped, because the app that ran it ended");
    }
    command_.append(chunk, static_cast<size_t>(got));
    for (size_t end; (end = command_.find('\n')) != std::string::npos; command_.erase(0, end + 1)) {
      const std::string line = command_.substr(0, end);
      if (line == "stop") stop("Stopped");
      if (line.starts_with("level ")) send_to_script(line + "\n");
    }
  }

  // A command is a few bytes. It is lost if the pipe is full, because then the script no longer reads commands.
  void send_to_script(const std::string& line) {
    pollfd ready{script_.control_pipe, POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return;
    while (::write(script_.control_pipe, line.data(), line.size()) < 0 && errno == EINTR) continue;
  }

  void read_signals(int signals) {
    signalfd_siginfo info;
    while (::read(signals, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGCHLD) continue;
      // The script signalled its whole group: it got this signal itself.
      if (info.ssi_code == SI_USER && is_descendant(static_cast<pid_t>(info.ssi_pid), getpid())) continue;
      if (ended_) enough_ = true;
      // A signal from the terminal reached the script too; one sent with kill() reached only this process.
      if (info.ssi_code == SI_USER && !ended_) kill(script_.process, static_cast<int>(info.ssi_signo));
      if (signal_reason_.empty()) {
        signal_reason_ = info.ssi_signo == SIGINT ? "interrupted (SIGINT)"
                                                  : "ended by signal " + std::to_string(info.ssi_signo) + " (" +
                                                        sigabbrev(static_cast<int>(info.ssi_signo)) + ")";
      }
    }
  }

  void stop(std::string why) {
    if (stop_step_ > 0 || ended_) return;
    stop_reason_ = std::move(why);
    next_signal(now_ns());
  }

  void next_signal(int64_t now) {
    static constexpr int kSteps[] = {SIGINT, SIGTERM, SIGKILL};
    const int number = kSteps[std::min(stop_step_, 2)];
    ++stop_step_;
    last_stop_signal_ = number;
    next_step_ns_ = now + kStopStep;
    signal_tree(getpid(), number);
  }

  void escalate(int64_t now) {
    if (stop_step_ > 0 && now > next_step_ns_) next_signal(now);
  }

  // Ends the script before the machine runs out of memory and the kernel picks a process to kill.
  void watch_memory(int64_t now) {
    if (now < next_memory_look_ns_) return;
    next_memory_look_ns_ = now + kMemoryLookEvery;
    const MachineMemory machine = machine_memory();
    if (machine.total == 0 || machine.available > machine.total / 20) return;
    const size_t held = resident_bytes(script_.process);
    if (held < machine.total / 4) return;
    char words[160];
    std::snprintf(words, sizeof words, "killed: memory ran out (the script held %.1f GB, %.1f GB of %.1f were left)",
                  held / 1e9, machine.available / 1e9, machine.total / 1e9);
    if (stop_reason_.empty()) stop_reason_ = words;
    stop_step_ = 2;
    next_signal(now);
  }

  // ---- the end ---------------------------------------------------------------------------------------------------
  void reap() {
    int status = 0;
    for (pid_t who; (who = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (who != script_.process) continue;  // an orphaned child of the script
      ended_ = true;
      ended_ns_ = now_ns();
      if (WIFSIGNALED(status)) {
        signal_ = WTERMSIG(status);
        exit_code_ = 128 + signal_;
      } else {
        exit_code_ = WEXITSTATUS(status);
      }
    }
  }

  bool still_talking() const {
    if (enough_) return false;
    if (!out_.waiting.empty() || !err_.waiting.empty()) return true;  // the script has written it, and only we have it
    if (out_.pipe < 0 && err_.pipe < 0 && script_.print_pipe < 0) return false;
    const int64_t now = now_ns();
    return now - std::max(ended_ns_, heard_ns_) < kQuietAfterEnd && now - ended_ns_ < kLongestAfterEnd;
  }

  static std::string sigabbrev(int number) {
    const char* name = sigabbrev_np(number);
    return name ? std::string("SIG") + name : "signal";
  }

  std::string reason() const {
    if (!stop_reason_.empty()) {
      if (stop_step_ <= 1) return stop_reason_;
      return stop_reason_.starts_with("Stopped") ? stop_reason_ + " (" + sigabbrev(last_stop_signal_) + " was needed)"
                                                 : stop_reason_;
    }
    if (signal_ == SIGSEGV) return "crashed: segmentation fault (SIGSEGV)";
    if (signal_ == SIGABRT) return "crashed: aborted (SIGABRT)";
    if (signal_ == SIGKILL)
      return "killed (SIGKILL): a process sent it, maybe the script itself, or the kernel did because memory ran out";
    if (signal_ != 0) return "ended by signal " + std::to_string(signal_) + " (" + sigabbrev(signal_) + ")";
    if (!signal_reason_.empty()) return signal_reason_;
    if (!reason_.empty()) return reason_;
    if (exit_code_ != 0) return "exited with status " + std::to_string(exit_code_);
    return "finished";
  }

  int finish() {
    for (Channel* channel : {&out_, &err_}) record(channel->stream, std::exchange(channel->pending, {}));
    if (stop_step_ > 0) signal_tree(getpid(), SIGKILL);  // processes that a stopped script left running
    if (!writer_) return exit_code_;
    const std::string words = reason();
    if (words != "finished") record(ConsoleStream::kNote, words + "\n");
    say_other_processes();
    const auto done = writer_->finish({now_ns(), exit_code_, signal_, words});
    if (!done.words.empty()) say("", done.words);
    return exit_code_;
  }

  // The script's children have recordings of their own; those that were killed left logs.
  void say_other_processes() {
    const std::vector<std::string> files = session::settle_files_beside(script_.session, this_process().run);
    if (files.empty()) return;
    const std::string name = std::filesystem::path(script_.session).filename().string();
    record(ConsoleStream::kNote, "Other processes of this run recorded themselves in " + std::to_string(files.size()) +
                                     (files.size() == 1 ? " file" : " files") + " beside this one; `footlight merge " +
                                     name + "` puts them together\n");
  }

  // Children that the script left behind keep their console, as they would without a recorder: a process that nobody
  // waits for passes on their output until they end.
  void leave_the_rest() {
    if (out_.pipe < 0 && err_.pipe < 0) return;
    if (stop_step_ > 0 || fork() != 0) return;
    prctl(PR_SET_NAME, "footlight-rest");
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);  // a signal ends this process
    for (const int descriptor : {script_.commands, script_.control_pipe, script_.print_pipe}) close(descriptor);
    while (out_.pipe >= 0 || err_.pipe >= 0) {
      pollfd watched[] = {{out_.pipe, POLLIN, 0}, {err_.pipe, POLLIN, 0}};
      poll(watched, std::size(watched), -1);
      if (watched[0].revents) hand_on(out_);
      if (watched[1].revents) hand_on(err_);
    }
    _exit(0);
  }

  static void hand_on(Channel& channel) {
    char chunk[PIPE_BUF];
    ssize_t got;
    while ((got = ::read(channel.pipe, chunk, sizeof chunk)) < 0 && errno == EINTR) continue;
    for (ssize_t done = 0; done < got;) {
      const ssize_t written = ::write(channel.passed_to, chunk + done, static_cast<size_t>(got - done));
      if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (written <= 0) got = 0;  // nobody reads it, so the writer gets the broken pipe
      else done += written;
    }
    if (got > 0) return;
    close(channel.pipe);
    channel.pipe = -1;
  }

  SupervisedScript script_;
  std::unique_ptr<session::Writer> writer_;
  Channel out_, err_;
  std::string frames_, command_;
  std::string reason_, stop_reason_, signal_reason_;
  int64_t heard_ns_ = 0, ended_ns_ = 0, next_step_ns_ = 0, next_memory_look_ns_ = 0;
  int stop_step_ = 0, last_stop_signal_ = 0;
  int exit_code_ = 0, signal_ = 0;
  bool ended_ = false;
  bool enough_ = false;  // a signal came after the end: stop waiting
};

}  // namespace

int supervise(SupervisedScript script) { return Supervisor(std::move(script)).run(); }

}  // namespace footlight::record
