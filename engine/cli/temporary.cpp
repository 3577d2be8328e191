// The handler notes the signal and passes it on: whoever waits looks, and destructors remove what was made.
#include "engine/cli/temporary.h"

#include "engine/base/text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace footlight::cli {

TemporaryFolder::TemporaryFolder(const char* purpose) {
  const std::string name = std::string("footlight-") + purpose + "-XXXXXX";
  path_ = (std::filesystem::temp_directory_path() / name).string();
  if (!mkdtemp(path_.data()))
    fail(ErrorKind::kIo, "cannot make the temporary folder ", path_, ": ", std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

DeferredSignals::DeferredSignals() {
  caught_ = 0;
  sent_by_process_ = 0;
  child_ = 0;
  struct sigaction noted {};
  noted.sa_sigaction = note;
  noted.sa_flags = SA_SIGINFO;  // without SA_RESTART: whoever waits is woken
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &noted, nullptr);
  }
}

DeferredSignals::~DeferredSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  if (caught_) raise(caught_);
}

void DeferredSignals::note(int signal, siginfo_t* info, void*) {
  caught_ = signal;
  sent_by_process_ = info->si_code <= 0;  // by kill() or one like it
  if (sent_by_process_ && child_) kill(child_, signal);
}

void DeferredSignals::pass_on_to(pid_t child) {
  child_ = child;
  if (child && caught_ && sent_by_process_) kill(child, caught_);
}

sigset_t DeferredSignals::hold() {
  sigset_t held, before;
  sigemptyset(&held);
  for (const int signal : kSignals) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &before);
  return before;
}

void DeferredSignals::forget() {
  for (const int signal : kSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace footlight::cli
