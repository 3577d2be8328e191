// The thread pool: each element runs once, errors are passed on, nesting, other threads, forks, cancelling.
#include "engine/base/cancel.h"
#include "engine/base/errors.h"
#include "engine/base/thread_pool.h"
#include "tests/base/thrown.h"

#include <QTest>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace footlight;

class TestThreadPool : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {  // before anything asked for the number of cores
    cpu_set_t all, one;
    QCOMPARE(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
    QCOMPARE(pool_size(), 1);
    QCOMPARE(sched_setaffinity(0, sizeof all, &all), 0);
  }
  void init() { set_pool_size(4); }
  void cleanup() {
    cancel_requested = false;
    set_pool_size(0);
  }

  void every_element_once() {
    for (int64_t n : {0, 1, 7, 1000, 100003}) {
      for (int64_t grain : {1, 10, 5000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
        parallel_for(n, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        });
        for (auto& count : seen) QCOMPARE(count.load(), 1);
      }
    }
  }

  void failed_checks_reach_the_caller() {
    auto check = [](int64_t begin, int64_t) { FL_CHECK(begin < 3); };
    for (int i = 0; i < 20; ++i) QVERIFY_THROWS_EXCEPTION(std::logic_error, parallel_for(64, 1, check));
  }

  void more_than_one_thread_works() {
    // Two ranges that wait for each other finish only if two threads run them.
    std::atomic<int> inside{0};
    parallel_for(4, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        ++inside;
        while (inside.load() < 2) std::this_thread::yield();
      }
    });
    QCOMPARE(inside.load(), 4);
  }

  void the_first_error_comes_back() {
    for (int round = 0; round < 20; ++round) {
      try {
        parallel_for(1000, 1, [&](int64_t begin, int64_t) {
          if (begin >= 500) throw std::runtime_error("from a range");
        });
        QFAIL("nothing was thrown");
      } catch (const std::runtime_error& e) {
        QCOMPARE(std::string(e.what()), std::string("from a range"));
      }
    }
    std::atomic<int64_t> sum{0};
    parallel_for(100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    QCOMPARE(sum.load(), int64_t{100});
  }

  void loops_inside_loops() {
    std::atomic<int64_t> sum{0};
    parallel_for(16, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        parallel_for(100, 1, [&](int64_t b, int64_t e) { sum += e - b; });
    });
    QCOMPARE(sum.load(), int64_t{1600});
  }

  void several_threads_at_once() {
    std::atomic<int64_t> sum{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int round = 0; round < 100; ++round)
          parallel_for(64, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(sum.load(), int64_t{4 * 100 * 64});
  }

  void a_changed_size_takes_effect() {
    set_pool_size(1);
    const std::thread::id here = std::this_thread::get_id();
    bool elsewhere = false;
    parallel_for(1000, 1, [&](int64_t, int64_t) { elsewhere |= std::this_thread::get_id() != here; });
    QVERIFY(!elsewhere);
    QCOMPARE(pool_size(), 1);
  }

  void a_forked_child_has_its_own() {
#if defined(__SANITIZE_THREAD__)
    QSKIP("the thread sanitizer does not follow threads into a forked child");
#endif
    parallel_for(100, 1, [](int64_t, int64_t) {});
    const pid_t child = fork();
    if (child == 0) {
      std::atomic<int64_t> sum{0};
      parallel_for(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
      _exit(sum.load() == 1000 ? 0 : 1);
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  void a_cancelled_loop_ends_with_an_error() {
    std::atomic<int> ranges{0};
    const auto loop = [&] {
      parallel_for(1 << 20, 1, [&](int64_t, int64_t) {
        ++ranges;
        cancel_requested = true;
      });
    };
    QCOMPARE(kind_thrown(loop), ErrorKind::kCancelled);
    QVERIFY(ranges.load() >= 1 && ranges.load() <= 4);
  }
};

QTEST_GUILESS_MAIN(TestThreadPool)
#include "test_thread_pool.moc"
