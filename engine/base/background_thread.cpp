// A thread leaves the process's table of descriptors with close_range(), which sandboxes allow where unshare() is not.
#include "engine/base/background_thread.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace footlight {
namespace {

// The numbers lie above those that programs use, and differ by thread, as ThreadSanitizer takes all tables for one.
int first_number() {
  constexpr unsigned kFirst = 512, kOfThread = 8, kThreads = 32;
  static std::atomic<unsigned> threads{0};
  return static_cast<int>(kFirst + kOfThread * (threads.fetch_add(1, std::memory_order_relaxed) % kThreads));
}

// False if the system cannot do it; then nothing has changed.
bool take_to_own_table(std::vector<int>& numbers) {
  if (close_range(UINT_MAX, UINT_MAX, CLOSE_RANGE_UNSHARE) != 0) return false;
  const int first = first_number();
  std::vector<unsigned> kept{2};
  for (int& number : numbers) {
    if (number < 0) continue;
    const int moved = fcntl(number, F_DUPFD_CLOEXEC, first);
    if (moved >= 0) number = moved;
    kept.push_back(static_cast<unsigned>(number));
  }
  std::sort(kept.begin(), kept.end());
  unsigned from = 0;
  for (const unsigned number : kept) {
    if (number > from) close_range(from, number - 1, 0);
    from = number + 1;
  }
  close_range(from, UINT_MAX, 0);
  return true;
}

}  // namespace

std::thread thread_with_descriptors(std::vector<int> given, std::function<void(const Taken&)> body) {
  struct Handover {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false, own = false;
  };
  const auto handover = std::make_shared<Handover>();
  std::thread thread = quiet_thread([given, handover, body = std::move(body)] {
    Taken taken{given, false};
    taken.own = take_to_own_table(taken.numbers);
    {
      std::lock_guard lock(handover->mutex);
      handover->done = true;
      handover->own = taken.own;
      handover->changed.notify_all();
    }
    body(taken);
  });
  std::unique_lock lock(handover->mutex);
  handover->changed.wait(lock, [&] { return handover->done; });
  if (handover->own)
    for (const int number : given)
      if (number >= 0) close(number);
  return thread;
}

FileIdentity identity_of(int descriptor) noexcept {
  struct stat s;
  if (descriptor < 0 || fstat(descriptor, &s) != 0) return {};
  return {static_cast<uint64_t>(s.st_dev), static_cast<uint64_t>(s.st_ino)};
}

}  // namespace footlight
