// Waits in slices: a blocked thread checks every few milliseconds whether it should give up.
#include "engine/data/run.h"

#include "engine/base/cancel.h"
#include "engine/base/errors.h"
#include "engine/data/thread_group.h"

#include <pthread.h>

#include <chrono>
#include <thread>
#include <unordered_set>

namespace footlight::data {

constinit Hooks hooks;

namespace {

constexpr auto kSlice = std::chrono::milliseconds(20);
std::atomic<uint32_t> process_number{0};  // counts forks on the way to this process
std::atomic<bool> ended{false};

struct AllRuns {
  std::mutex mutex;
  std::unordered_set<Run*> runs;
};
// Never destroyed, as threads may outlive statics. A forked child gets a new one: the old lock may be held by nobody.
std::atomic<AllRuns*> all_runs{new AllRuns};

const bool watches_forks = [] {
  pthread_atfork(nullptr, nullptr, [] {
    ++process_number;
    all_runs = new AllRuns;
  });
  return true;
}();

}  // namespace

void OutsideFrontEnd::check_interrupts() {
  if (!state_ || !hooks.check_interrupts) return;
  hooks.enter_front_end(std::exchange(state_, nullptr));
  hooks.check_interrupts();
  state_ = hooks.leave_front_end();
}

std::unique_lock<std::mutex> lock_outside(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock) {
    {
      const OutsideFrontEnd outside;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    lock.try_lock();
  }
  return lock;
}

Run::Run() : process_(process_number) {
  if (ended) throw Error(ErrorKind::kCancelled, "the program is ending: no dataset can be iterated any more");
  AllRuns& all = *all_runs;
  const std::lock_guard lock(all.mutex);
  all.runs.insert(this);
}

Run::~Run() {
  if (left_behind()) return;
  AllRuns& all = *all_runs;
  const std::lock_guard lock(all.mutex);
  all.runs.erase(this);
}

bool Run::left_behind() const { return process_ != process_number; }

void Run::check() const {
  if (cancelled()) throw Error(ErrorKind::kCancelled, "the iteration over the dataset was cancelled");
  check_cancelled();
}

void Run::wait_a_little(std::unique_lock<std::mutex>& lock, std::condition_variable& changed) {
  if (left_behind())
    throw Error(ErrorKind::kFailedPrecondition,
                "the iterator was made before fork(), and its threads stayed in the parent process: make an iterator "
                "in the child");
  check();
  std::optional<OutsideFrontEnd> outside(std::in_place);
  changed.wait_for(lock, kSlice);
  // The front end's lock is never waited for with `lock` held.
  lock.unlock();
  outside->check_interrupts();
  outside.reset();
  lock.lock();
}

bool runs_have_ended() { return ended; }

void end_all_runs() {
  ended = true;
  AllRuns& all = *all_runs;
  {
    const std::lock_guard lock(all.mutex);
    for (Run* run : all.runs) run->cancel();
  }
  const OutsideFrontEnd outside;
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (running_threads() && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace footlight::data
