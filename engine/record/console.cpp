// Sends frames to the supervisor, and receives its commands on a thread.
#include "engine/record/console.h"

#include "engine/base/print_sink.h"
#include "engine/record/recorder.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

namespace footlight::record {
namespace {

int print_descriptor = -1;
int pipes_before[2] = {-1, -1};
std::mutex print_mutex;
pid_t owner = 0;  // forked children inherit the descriptors, but are not recorded

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

// Until the supervisor has read the pipe, or is busy for so long that order is not worth the wait.
void wait_until_read(int pipe) {
  for (int waited_us = 0; waited_us < 50'000; waited_us += 20) {
    int waiting = 0;
    if (ioctl(pipe, FIONREAD, &waiting) != 0 || waiting == 0) return;
    usleep(20);
  }
}

void send(uint32_t kind, std::string_view text) {
  std::lock_guard lock(print_mutex);
  const PrintFrame header{kind, static_cast<uint32_t>(text.size())};
  std::string frame(sizeof header, '\0');
  std::memcpy(frame.data(), &header, sizeof header);
  frame += text;
  for (int pipe : pipes_before) wait_until_read(pipe);
  write_all(print_descriptor, frame.data(), frame.size());
  wait_until_read(print_descriptor);
}

void send_print(int descriptor, std::string_view text) {
  if (getpid() != owner) {
    write_all(descriptor, text.data(), text.size());
    return;
  }
  send(descriptor == 1 ? PrintFrame::kToStdout : PrintFrame::kToStderr, text);
}

void run_command(std::string_view line) {
  if (line == "level off") set_level(RecordingLevel::kOff);
  if (line == "level structure") set_level(RecordingLevel::kStructure);
  if (line == "level ops") set_level(RecordingLevel::kOps);
}

}  // namespace

void record_prints(int print_pipe, int stdout_pipe, int stderr_pipe) {
  print_descriptor = print_pipe;
  pipes_before[0] = stdout_pipe;
  pipes_before[1] = stderr_pipe;
  owner = getpid();
  print_sink = send_print;
}

void send_reason(std::string_view words) {
  if (print_descriptor >= 0 && getpid() == owner) send(PrintFrame::kReason, words);
}

void listen_to_supervisor(int pipe) {
  std::thread([pipe] {
    std::string pending;
    char chunk[256];
    for (;;) {
      const ssize_t got = ::read(pipe, chunk, sizeof chunk);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      pending.append(chunk, static_cast<size_t>(got));
      for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
        run_command(std::string_view(pending).substr(0, end));
    }
  }).detach();
}

}  // namespace footlight::record
