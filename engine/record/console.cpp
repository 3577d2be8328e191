// Sends frames to the supervisor, and receives its commands on a thread.
#include "engine/record/console.h"

#include "engine/base/background_thread.h"
#include "engine/base/print_sink.h"
#include "engine/record/recorder.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>

namespace footlight::record {
namespace {

// Sends frames one after another, from the only thread that uses the pipes.
struct Printer {
  pid_t owner = 0;  // forked children have the streams, but are not recorded
  FileIdentity print, out, err;
  std::mutex mutex;
  std::condition_variable changed;
  const std::string* frame = nullptr;  // the frame to send
  bool sent = false;                   // whether the last frame was sent
};

// Never destroyed: exit handlers print.
Printer& printer() {
  static auto* const it = new Printer;
  return *it;
}

void write_all(int descriptor, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the supervisor has exited
    at += written;
    size -= static_cast<size_t>(written);
  }
}

// Waits until the supervisor has read the pipe, but at most 50 ms: keeping the order is not worth a longer wait.
void wait_until_read(int pipe) {
  for (int waited_us = 0; waited_us < 50'000; waited_us += 20) {
    int waiting = 0;
    if (ioctl(pipe, FIONREAD, &waiting) != 0 || waiting == 0) return;
    usleep(20);
  }
}

void send_frames(Printer& p, int print, int out, int err) {
  for (std::unique_lock lock(p.mutex);;) {
    p.changed.wait(lock, [&] { return p.frame != nullptr; });
    p.sent = identity_of(print) == p.print;
    if (p.sent) {
      lock.unlock();
      for (const int pipe : {out, err}) wait_until_read(pipe);
      write_all(print, p.frame->data(), p.frame->size());
      wait_until_read(print);
      lock.lock();
    }
    p.frame = nullptr;
    p.changed.notify_all();
  }
}

// False: the script has closed the pipe.
bool send(uint32_t kind, std::string_view text) {
  Printer& p = printer();
  const PrintFrame header{kind, static_cast<uint32_t>(text.size())};
  std::string frame(sizeof header, '\0');
  std::memcpy(frame.data(), &header, sizeof header);
  frame += text;
  static std::mutex& one_at_a_time = *new std::mutex;
  std::lock_guard turn(one_at_a_time);
  std::unique_lock lock(p.mutex);
  p.frame = &frame;
  p.changed.notify_all();
  p.changed.wait(lock, [&] { return p.frame == nullptr; });
  return p.sent;
}

void send_print(int descriptor, std::string_view text) {
  const Printer& p = printer();
  if (getpid() == p.owner) {
    const FileIdentity there = identity_of(descriptor);  // by now the number may belong to one of the script's files
    if (there == p.out && send(PrintFrame::kToStdout, text)) return;
    if (there == p.err && send(PrintFrame::kToStderr, text)) return;
  }
  write_all(descriptor, text.data(), text.size());
}

void run_command(std::string_view line) {
  if (line == "level off") set_level(RecordingLevel::kOff);
  if (line == "level structure") set_level(RecordingLevel::kStructure);
  if (line == "level ops") set_level(RecordingLevel::kOps);
}

// Commands from the supervisor. They run on a thread with the program's own descriptor table, because what a level
// opens (CUPTI and the driver's devices) is for the whole program.
struct Commands {
  std::mutex mutex;
  std::condition_variable changed;
  std::string lines;
};

void hear(Commands& commands, int control) {
  char chunk[256];
  for (;;) {
    const ssize_t got = ::read(control, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    std::lock_guard lock(commands.mutex);
    commands.lines.append(chunk, static_cast<size_t>(got));
    commands.changed.notify_one();
  }
}

void follow(Commands& commands) {
  for (;;) {
    std::string line;
    {
      std::unique_lock lock(commands.mutex);
      size_t end = std::string::npos;
      commands.changed.wait(lock, [&] { return (end = commands.lines.find('\n')) != std::string::npos; });
      line = commands.lines.substr(0, end);
      commands.lines.erase(0, end + 1);
    }
    run_command(line);
  }
}

}  // namespace

void talk_to_supervisor(const ConsolePipes& pipes) {
  Printer& p = printer();
  p.print = identity_of(pipes.print);
  p.out = identity_of(pipes.out);
  p.err = identity_of(pipes.err);
  p.owner = getpid();
  thread_with_descriptors({pipes.print, pipes.out, pipes.err}, [&p](const Taken& taken) {
    send_frames(p, taken.numbers[0], taken.numbers[1], taken.numbers[2]);
  }).detach();
  static Commands& commands = *new Commands;
  quiet_thread([] { follow(commands); }).detach();
  thread_with_descriptors({pipes.control}, [](const Taken& taken) { hear(commands, taken.numbers[0]); }).detach();
  print_sink = send_print;
}

void send_reason(std::string_view words) {
  if (print_sink && getpid() == printer().owner) send(PrintFrame::kReason, words);
}

}  // namespace footlight::record
