// Threads of ours in somebody's program: its signals are not for them, and its descriptors and theirs do not meet.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace footlight {

// A thread that takes none of the signals that the program waits for.
template <class Body>
std::thread quiet_thread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

// Descriptors as a thread has them.
struct Taken {
  std::vector<int> numbers;
  bool own = false;  // in a table of the thread's own; else in the program's, which may close and reuse the numbers
};

// Such a thread with a table of descriptors of its own: whatever the program closes, opens, replaces or counts, it does
// not reach `given`, which move there (from the caller's table they are gone), nor does a forked child inherit them.
// Descriptor 2 is there as well. Where the system has no such tables (before Linux 5.9) all stay as they are.
// Returns when the thread has them.
std::thread thread_with_descriptors(std::vector<int> given, std::function<void(const Taken&)> body);

// Which file or pipe a descriptor is of; equal to no other while somebody has it open. Zeros: closed.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(int descriptor) noexcept;

}  // namespace footlight
