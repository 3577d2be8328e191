// Starts our threads inside of a user's program: they receive none of its signals and share none of its descriptors.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace footlight {

// Starts a thread that blocks the signals for which the program waits.
template <class Body>
std::thread quiet_thread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

// Descriptors by the numbers that they have in the thread.
struct Taken {
  std::vector<int> numbers;
  bool own = false;  // they are in the thread's own table; else in the program's, which may close and reuse the numbers
};

// Starts such a thread with a descriptor table of its own, to which `given` moves (the caller's table loses them).
// Nothing that the program closes, opens or replaces reaches them, and forked children do not inherit them. Descriptor
// 2 is there as well. Systems without such tables (Linux before 5.9) leave all as they are. Returns once the thread has
// them.
std::thread thread_with_descriptors(std::vector<int> given, std::function<void(const Taken&)> body);

// Identifies the file or pipe behind a descriptor, uniquely while somebody has it open. Zeros: it is closed.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(int descriptor) noexcept;

}  // namespace footlight
