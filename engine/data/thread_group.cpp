// Starts and joins threads.
#include "engine/data/thread_group.h"

#include "engine/base/errors.h"
#include "engine/base/thread_pool.h"

#include <signal.h>

#include <algorithm>

namespace footlight::data {
namespace {
std::atomic<int> running{0};

// Blocks signals, which the program's own threads receive.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

int running_threads() { return running; }
int autotune_threads() { return std::max(2, pool_size()); }

void ThreadGroup::start(int threads, const std::function<void()>& work) {
  const SignalsBlocked blocked;
  for (int i = 0; i < threads; ++i) {
    ++running;
    try {
      threads_.emplace_back([work] {
        work();
        --running;
      });
    } catch (const std::system_error&) {
      --running;
      if (!threads_.empty()) return;  // fewer threads only make it slower
      throw Error(ErrorKind::kResourceExhausted, "no thread could be started for a dataset");
    }
  }
}

void ThreadGroup::join() {
  if (threads_.empty()) return;
  const OutsideFrontEnd outside;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace footlight::data
