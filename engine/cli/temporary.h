// What a command makes for a while and takes away again, also when a signal ends it.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <iterator>
#include <string>

namespace footlight::cli {

// A folder that is removed, with what is in it, when the object is destroyed.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const char* purpose);  // "run" makes /tmp/footlight-run-XXXXXX
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

// While it lives, a signal that would end the program is only noted; it ends the program afterwards, when all that was
// made for the run is gone. Only one lives at a time.
class DeferredSignals {
 public:
  DeferredSignals();
  ~DeferredSignals();
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;

  static int caught() { return caught_; }  // 0: none
  // A terminal sends its signals to the children too; one that another process sent reached only this program, and is
  // passed on to this child. 0: none runs.
  static void pass_on_to(pid_t child);
  // In a child, which ends by a signal as any program.
  static void forget();
  // Until the mask is given back, signals wait: none falls between the making of a child and pass_on_to().
  static sigset_t hold();
  static void give_back(const sigset_t& mask) { sigprocmask(SIG_SETMASK, &mask, nullptr); }

 private:
  // SIGPIPE: the reader of a pipe has seen enough, as `head` does.
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  static void note(int signal, siginfo_t* info, void*);

  static inline volatile std::sig_atomic_t caught_ = 0, sent_by_process_ = 0, child_ = 0;
  struct sigaction before_[std::size(kSignals)] = {};
};

}  // namespace footlight::cli
