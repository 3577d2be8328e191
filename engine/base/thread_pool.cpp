// Workers that wait for a job, one job at a time. Each thread starts with the same share of every job, because what it
// wrote for the last op is in its own cache, and steals from the others when it is done. Ops follow each other closely,
// so waiting threads spin for a moment before they sleep.
#include "engine/base/thread_pool.h"

#include "engine/base/background_thread.h"
#include "engine/base/cancel.h"
#include "engine/base/clock.h"
#include "engine/base/step_parallelism.h"
#include "engine/base/thread_context.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace footlight {

namespace {

// The steps of one thread's share that have not been started.
struct alignas(64) Share {
  std::atomic<int64_t> next;
  int64_t end;
};

struct Job {
  RangeBody body;
  void* context;
  int64_t count;
  int64_t step;
  std::vector<Share>& shares;
  std::atomic<bool> failed{false};
  std::exception_ptr error{};  // written by the thread that set `failed`

  void split() {
    const int64_t steps = (count + step - 1) / step, threads = static_cast<int64_t>(shares.size());
    for (int64_t i = 0; i < threads; ++i) {
      shares[i].next.store(steps * i / threads, std::memory_order_relaxed);
      shares[i].end = steps * (i + 1) / threads;
    }
  }

  void work(size_t thread) {
    for (size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(thread + k) % shares.size()];
      for (;;) {
        if (share.next.load(std::memory_order_relaxed) >= share.end || failed.load(std::memory_order_relaxed)) break;
        const int64_t begin = share.next.fetch_add(1, std::memory_order_relaxed) * step;
        if (begin >= share.end * step) break;
        try {
          check_cancelled();
          body(context, begin, std::min(count, begin + step));
        } catch (...) {
          if (!failed.exchange(true)) error = std::current_exception();
        }
      }
    }
  }
};

class Pool {
 public:
  explicit Pool(int size) : shares_(static_cast<size_t>(size)) {
    for (int i = 1; i < size; ++i) threads_.push_back(quiet_thread([this, i] { run(static_cast<size_t>(i)); }));
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  std::vector<Share>& shares() { return shares_; }

  void run_job(Job& job) {
    job.split();
    bool asleep;
    {
      std::lock_guard lock(mutex_);
      job_ = &job;
      generation_.store(generation_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
      asleep = asleep_ > 0;
    }
    if (asleep) wake_.notify_all();
    this_thread.is_in_pool_loop = true;
    job.work(0);
    this_thread.is_in_pool_loop = false;
    {
      std::lock_guard lock(mutex_);
      job_ = nullptr;  // nobody can join any more
    }
    look_for([this] { return busy_.load(std::memory_order_acquire) == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_.load(std::memory_order_relaxed) == 0; });
  }

 private:
  // Spins about as long as falling asleep and being woken takes at worst.
  template <class Condition>
  static void look_for(Condition&& condition) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + std::chrono::microseconds(100);
    do {
      for (int i = 0; i < 16; ++i) {
        if (condition()) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      }
    } while (Clock::now() < end);
  }

  void run(size_t thread) {
    this_thread.is_in_pool_loop = true;
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      if (!stop_ && !(job_ && generation_.load(std::memory_order_relaxed) != seen)) {
        const uint64_t before = generation_.load(std::memory_order_relaxed);
        lock.unlock();
        look_for([&] { return generation_.load(std::memory_order_acquire) != before; });
        lock.lock();
      }
      ++asleep_;
      wake_.wait(lock, [&] { return stop_ || (job_ && generation_.load(std::memory_order_relaxed) != seen); });
      --asleep_;
      if (stop_) return;
      seen = generation_.load(std::memory_order_relaxed);
      Job* job = job_;
      busy_.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      job->work(thread);
      lock.lock();
      if (busy_.fetch_sub(1, std::memory_order_release) == 1) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<Share> shares_;  // shares of the current job
  std::vector<std::thread> threads_;
  Job* job_ = nullptr;
  std::atomic<uint64_t> generation_{0};
  std::atomic<int> busy_{0};  // both are written under mutex_, and read without it
  int asleep_ = 0;
  bool stop_ = false;
};

std::atomic<int> wanted_size{0}, wanted_lanes{0};
std::mutex pool_mutex;   // held by the thread whose loop is running on the pool
Pool* pool = nullptr;    // guarded by pool_mutex; never destroyed at exit: threads may still be in it
int size_of_pool = 0;

// A forked child has none of the threads: it drops the pool and makes its own when needed.
void forget_pool() {
  pool = nullptr;
  size_of_pool = 0;
  new (&pool_mutex) std::mutex;
}

// The cores that a container or taskset leaves to this process: two threads on one core would wait for each other.
int cores_of_ours() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int pool_size() {
  if (const int wanted = wanted_size.load(std::memory_order_relaxed); wanted > 0) return wanted;
  static const int cores = cores_of_ours();  // a system call
  return cores;
}

void set_pool_size(int size) { wanted_size.store(std::max(0, size), std::memory_order_relaxed); }

int max_parallel_steps() {
  const int wanted = wanted_lanes.load(std::memory_order_relaxed), most = pool_size();
  return wanted > 0 ? std::min(wanted, most) : most;
}

void set_max_parallel_steps(int count) { wanted_lanes.store(std::max(0, count), std::memory_order_relaxed); }

bool inside_pool_loop() { return this_thread.is_in_pool_loop; }

PoolTime::PoolTime() : before_(std::exchange(this_thread.pool_ns, &ns_)) {}
PoolTime::~PoolTime() {
  this_thread.pool_ns = before_;
  if (before_) *before_ += ns_;
}

void parallel_ranges(int64_t count, int64_t grain, RangeBody body, void* context) {
  const int size = pool_size();
  if (size == 1 || this_thread.is_in_pool_loop || count <= grain || !pool_mutex.try_lock()) {
    body(context, 0, count);
    return;
  }
  std::lock_guard lock(pool_mutex, std::adopt_lock);
  if (size_of_pool != size) {
    static const int once = pthread_atfork(nullptr, nullptr, forget_pool);
    (void)once;
    delete pool;
    pool = new Pool(size);
    size_of_pool = size;
  }
  // Several ranges per thread balance cores of different speed.
  Job job{.body = body,
          .context = context,
          .count = count,
          .step = std::max(grain, count / (int64_t{size} * 16)),
          .shares = pool->shares()};
  const int64_t start = this_thread.pool_ns ? now_ns() : 0;
  pool->run_job(job);
  if (this_thread.pool_ns) *this_thread.pool_ns += now_ns() - start;
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace footlight
