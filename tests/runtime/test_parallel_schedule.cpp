// Steps that run side by side: the same results, errors and effects as one after the other, on several threads.
#include "engine/base/errors.h"
#include "engine/base/step_parallelism.h"
#include "engine/base/thread_pool.h"
#include "engine/compile/print.h"
#include "engine/ops/host_function.h"
#include "engine/runtime/executor.h"
#include "tests/sanitizers/sanitized.h"
#include "tests/trace/random_program.h"

#include <QTest>

#include <condition_variable>
#include <map>
#include <thread>

using namespace footlight;
using namespace footlight::test;
using compile::Cost;
using compile::ParallelSchedule;

namespace {

// What the test's kernel does: the first element of its input says it.
constexpr float kPass = 0, kSlow = 1, kMeet = 2, kFail = 3, kFailLate = 4;

// Kernels wait here until two of them are inside.
struct Meeting {
  std::mutex mutex;
  std::condition_variable wake;
  int inside = 0;
  bool met = false;
  void come() {
    std::unique_lock lock(mutex);
    met |= ++inside == 2;
    wake.notify_all();
    wake.wait_for(lock, std::chrono::seconds(20), [&] { return met; });
    --inside;
  }
} meeting;

void play(KernelContext& c) {
  const float what = c.in<float>(0)[0];
  if (what == kSlow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (what == kMeet) meeting.come();
  if (what == kFailLate) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (what == kFail || what == kFailLate) fail(ErrorKind::kInvalidArgument, "played");
  std::copy_n(c.in<float>(0), c.inputs[0].elements(), c.out<float>());
}

Tensor played(const Tensor& x) { return op("Cholesky", {x}); }

const Spec kPart{DType::kFloat32, {2, 2}};
Tensor part(float what) { return Tensor::vector<float>(std::vector<float>{what, 5, 6, 7}).reshaped(Shape{2, 2}); }

// Two chains of `length` steps each, joined.
std::shared_ptr<trace::Concrete> two_chains(int length, Shape shape = {2, 2}) {
  return traced({{DType::kFloat32, shape}, {DType::kFloat32, shape}}, [&](std::span<const Tensor> in) {
    Tensor a = in[0], b = in[1];
    for (int i = 0; i < length; ++i) a = played(a), b = played(b);
    return std::vector{op("MatMul", {a, b}), a, b};
  });
}

std::string failing_node(trace::Concrete& f, std::span<const Tensor> in) {
  try {
    f.call(in);
  } catch (const Error&) {
    const runtime::Failure failure = runtime::take_failure();
    return failure.graph->node(failure.node).name;
  }
  return "none";
}

// Where it was called, and where memory that it lent was given back.
struct Threads {
  std::thread::id called, given_back;
};

class SayThread final : public HostFunction {
 public:
  explicit SayThread(Threads& on) : on_(on) {}
  std::vector<Tensor> call(std::span<const Tensor> inputs, std::span<const DType>) override {
    static float memory[4] = {kSlow, 0, 0, 0};
    on_.called = std::this_thread::get_id();
    return {Tensor::borrow(DType::kFloat32, inputs[0].shape(), memory, gone, &on_)};
  }
  Tensor gradient() override { return {}; }

 private:
  static void gone(void* threads) { static_cast<Threads*>(threads)->given_back = std::this_thread::get_id(); }
  Threads& on_;
};

bool same_bits(std::span<const Tensor> a, std::span<const Tensor> b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].dtype() != b[i].dtype() || !(a[i].shape() == b[i].shape()) ||
        std::memcmp(a[i].raw(), b[i].raw(), a[i].bytes()) != 0)
      return false;
  return a.size() == b.size();
}

}  // namespace

class TestParallelSchedule : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    start();
    register_kernel(DeviceType::kCpu, "Cholesky", bit_of(DType::kFloat32), play);
    set_pool_size(4);
  }
  void init() { meeting.met = false; }

  void two_steps_run_at_the_same_time() {
    const auto f = two_chains(1);
    const std::vector<Tensor> in{part(kMeet), part(kMeet)};
    split(f->program());
    QVERIFY(is_split(f->program()));
    f->call(in);
    QVERIFY(meeting.met);
  }

  // Each program as it was traced, then with every step as if it were costly: the bits of a run one after the other.
  void random_programs_have_the_same_bits() {
    size_t splits = 0;
    for (int each = 0; each < some_of(150); ++each) {
      const auto seed = static_cast<uint32_t>(each);
      std::mt19937 random(seed);
      constexpr int kLength = 7;
      std::vector<float> a(kLength), b(kLength);
      std::vector<int32_t> c(kLength);
      for (int i = 0; i < kLength; ++i) {
        a[static_cast<size_t>(i)] = static_cast<float>(random() % 2000) / 250.f - 4.f;
        b[static_cast<size_t>(i)] = static_cast<float>(random() % 2000) / 250.f - 4.f;
        c[static_cast<size_t>(i)] = static_cast<int32_t>(random() % 40) - 20;
      }
      const std::vector<Tensor> in{Tensor::vector<float>(a), Tensor::vector<float>(b), Tensor::vector<int32_t>(c)};
      const Shape shape = seed % 2 ? Shape{kLength} : Shape{kUnknownDim};
      std::vector<std::vector<Tensor>> results;
      for (const bool beside : {false, true}) {
        const std::vector<Tensor> variables{variable(1), variable(-2)};
        const auto f = traced({{DType::kFloat32, shape}, {DType::kFloat32, shape}, {DType::kInt32, shape}},
                              [&](std::span<const Tensor> x) {
                                return RandomProgram(seed, {{x[0], x[1]}, {x[2]}, variables, {}, {}}, true).run();
                              });
        if (beside) splits += split_all(f->program());
        std::vector<Tensor>& all = results.emplace_back();
        for (int call = 0; call < 3; ++call) std::ranges::move(f->call(in), std::back_inserter(all));
        for (const Tensor& v : variables) all.push_back(read(v));
      }
      QVERIFY2(same_bits(results[0], results[1]), qPrintable(QString("program %1").arg(seed)));
    }
    QVERIFY(splits > static_cast<size_t>(some_of(100)));
  }

  // Two tasks, the first of which comes to its failure long after the second to its own.
  void the_first_failure_in_program_order_is_reported() {
    const auto f = two_chains(2);
    const std::vector<Tensor> first_late{part(kFailLate), part(kFail)}, second{part(kPass), part(kFail)};
    const std::string wanted = failing_node(*f, first_late), other = failing_node(*f, second);
    QVERIFY(wanted != other);
    split(f->program());
    QVERIFY(is_split(f->program()));
    for (int i = 0; i < 5; ++i) {
      QCOMPARE(failing_node(*f, first_late), wanted);
      QCOMPARE(failing_node(*f, second), other);
    }
    const std::vector<Tensor> good{part(kPass), part(kPass)};
    QCOMPARE(f->call(good)[1].data<float>()[3], 7.f);
  }

  // What has an effect, or runs the language's own code, stays on the caller's thread, and in its place.
  void effects_stay_where_they_are() {
    Threads pure, effect;
    const Tensor says_pure = host_function_value(new SayThread(pure));
    const Tensor says_effect = host_function_value(new SayThread(effect));
    const auto call = [](const char* name, const Tensor& function, const Tensor& x) {
      const std::vector<Tensor> inputs{x};
      return apply_all(Op(name).row(), inputs,
                       {{AttrName("token"), std::string("t")},
                        {AttrName("Tin"), std::vector{DType::kFloat32}},
                        {AttrName("Tout"), std::vector{DType::kFloat32}},
                        {"_function"_attr, function}})[0];
    };
    const Tensor counter = variable(0);
    const auto f = traced({kPart, kPart}, [&](std::span<const Tensor> in) {
      const Tensor a = played(in[0]), before = read(counter), b = played(in[1]);
      assign_add(counter, number(1));
      const Tensor c = played(a), after = read(counter), d = played(b);
      const Tensor e = call("PyFuncStateless", says_pure, a), f = call("EagerPyFunc", says_effect, b);
      return std::vector{c, d, played(e), played(f), before, after};
    });
    split(f->program());
    QVERIFY(is_split(f->program()));
    const std::vector<Tensor> in{part(kSlow), part(kSlow)};
    for (int i = 0; i < 5; ++i) {
      const auto results = f->call(in);
      QCOMPARE(value(results[4]), static_cast<float>(i));
      QCOMPARE(value(results[5]), static_cast<float>(i + 1));
    }
    for (const Threads& threads : {pure, effect}) {
      QVERIFY(threads.called == std::this_thread::get_id());
      QVERIFY(threads.given_back == std::this_thread::get_id());
    }
  }

  // Values that several tasks read live until the last of them is done, and no longer.
  void values_are_let_go() {
    const Spec large{DType::kFloat32, {256, 256}};
    const auto f = traced({large}, [](std::span<const Tensor> in) {
      Tensor x = in[0];
      for (int i = 0; i < 12; ++i) {
        const Tensor shared = played(x);
        x = op("AddV2", {played(shared), op("MatMul", {shared, shared})});
      }
      return std::vector{x};
    });
    split(f->program());
    QVERIFY(is_split(f->program()));
    const std::vector<Tensor> in{op("ZerosLike", {Tensor::empty(DType::kFloat32, large.shape)})};
    const MemoryUse before = memory_use(Device::cpu());
    f->call(in);
    const size_t most = before.current + 8 * in[0].bytes();  // of 48 values
    QVERIFY(memory_use(Device::cpu()).peak <= std::max(before.peak, most));
  }

  void a_loop_and_a_call_inside() {
    const auto inner = two_chains(1);
    const auto f = traced({kPart, kPart}, [&](std::span<const Tensor> in) {
      const auto turns = [&](const Tensor& x) {
        return trace::build_while({Tensor::scalar<int32_t>(0).as_constant(), x},
                                  [](std::span<const Tensor> v) {
                                    return op("Less", {v[0], Tensor::scalar<int32_t>(5).as_constant()});
                                  },
                                  [&](std::span<const Tensor> v) {
                                    return std::vector{op("AddV2", {v[0], Tensor::scalar<int32_t>(1).as_constant()}),
                                                       inner->call(std::vector{v[1], v[1]})[1]};
                                  })[1];
      };
      return std::vector{turns(in[0]), turns(in[1])};
    });
    QVERIFY(split_all(f->program()) > 0);
    const std::vector<Tensor> in{part(kMeet), part(kMeet)};
    const auto results = f->call(in);
    QVERIFY(meeting.met);
    QVERIFY(same_bits(results, in));
  }

  void many_threads_run_one_program() {
    const auto f = two_chains(6);
    split(f->program());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        const float mine = static_cast<float>(10 + t);
        const std::vector<Tensor> in{part(mine), part(-mine)};
        for (int i = 0; i < 100; ++i) {
          const auto results = f->call(in);
          wrong += results[1].data<float>()[0] != mine || results[2].data<float>()[0] != -mine;
        }
      });
    }
    for (std::thread& t : threads) t.join();
    QCOMPARE(wrong.load(), 0);
  }

  // Inside a loop of the pool there is no other thread to be had.
  void inside_a_loop_of_the_pool() {
    const auto f = two_chains(2);
    split(f->program());
    const std::vector<Tensor> in{part(kPass), part(kPass)};
    std::atomic<int> right{0};
    parallel_for(8, 1, [&](int64_t begin, int64_t end) {
      for (; begin < end; ++begin) right += f->call(in)[1].data<float>()[1] == 5.f;
    });
    QCOMPARE(right.load(), 8);
  }

  void a_run_can_be_stopped() {
    const auto f = two_chains(2000);
    split(f->program());
    const std::vector<Tensor> in{part(kSlow), part(kSlow)};
    QCOMPARE(stopped_in_the_middle([&] { f->call(in); }), ErrorKind::kCancelled);
  }

  // Each op is on the track of the thread that ran it, with its own times.
  void events_say_which_thread() {
    const Tensor counter = variable(0);
    const auto f = traced({kPart, kPart}, [&](std::span<const Tensor> in) {
      assign_add(counter, number(1));  // before and after what runs side by side
      const Tensor a = played(played(in[0])), b = played(played(in[1])), joined = op("MatMul", {a, b});
      assign_add(counter, number(1));
      return std::vector{joined, a, b};
    });
    split(f->program());
    QVERIFY(is_split(f->program()));
    const std::vector<Tensor> in{part(kMeet), part(kMeet)};
    std::map<uint16_t, std::vector<OpEvent>> events;
    const auto drain = [&] {
      events.clear();
      visit_rings(
          [](void* context, ThreadRings& rings, bool) {
            rings.ops().drain([&](const OpEvent* first, uint32_t count) {
              auto& all = (*static_cast<decltype(events)*>(context))[rings.number()];
              all.insert(all.end(), first, first + count);
            });
            return false;
          },
          &events);
      std::erase_if(events, [](const auto& entry) { return entry.second.empty(); });
    };
    drain();
    recording_level = RecordingLevel::kOps;
    std::vector<Tensor> outputs(3);
    f->call(in, outputs, CallId(7));
    recording_level = RecordingLevel::kOff;
    drain();
    QVERIFY(events.size() >= 2);  // a third may take what comes after both
    size_t all = 0;
    for (const auto& [thread, of_it] : events) {
      all += of_it.size();
      for (size_t i = 0; i < of_it.size(); ++i) {
        QCOMPARE(of_it[i].call, CallId(7));
        QVERIFY(of_it[i].start_ns <= of_it[i].end_ns);
        QVERIFY(i == 0 || of_it[i].start_ns >= of_it[i - 1].end_ns);
      }
    }
    QCOMPARE(all, size_t{7});
    bool met = false;
    for (auto first = events.begin(); first != events.end(); ++first)
      for (auto second = std::next(first); second != events.end(); ++second)
        for (const OpEvent& a : first->second)
          for (const OpEvent& b : second->second) met |= a.start_ns < b.end_ns && b.start_ns < a.end_ns;
    QVERIFY(met);
  }

  void what_steps_take_decides() {
    const auto slow = two_chains(1), quick = two_chains(1), chain = traced({kPart}, [](std::span<const Tensor> in) {
      return std::vector{played(played(played(in[0])))};
    });
    const std::vector<Tensor> slow_in{part(kSlow), part(kSlow)}, quick_in{part(kPass), part(kPass)};
    QCOMPARE(slow->program().schedule.state(), ParallelSchedule::State::kMeasuring);
    for (int i = 0; i < 8; ++i) slow->call(slow_in), chain->call(std::vector{part(kSlow)});
    QCOMPARE(slow->program().schedule.state(), ParallelSchedule::State::kParallel);
    QCOMPARE(chain->program().schedule.state(), ParallelSchedule::State::kSerial);
    const std::vector<Cost> little(quick->program().code.size(), Cost{5'000, 0});
    quick->program().schedule.decide_now(quick->program(), little, 2);
    QCOMPARE(quick->program().schedule.state(), ParallelSchedule::State::kSerial);
    // All threads work on each of its steps already.
    const std::vector<Cost> wide(quick->program().code.size(), Cost{100'000, 99'000});
    quick->program().schedule.decide_now(quick->program(), wide, 2);
    QCOMPARE(quick->program().schedule.state(), ParallelSchedule::State::kSerial);
  }

  void larger_inputs_are_measured_again() {
    const auto f = two_chains(1, {kUnknownDim, kUnknownDim});
    const std::vector<Tensor> small{part(kPass), part(kPass)};
    const std::vector<Cost> little(f->program().code.size(), Cost{1'000, 0});
    for (int i = 0; i < 3; ++i) f->program().schedule.add_run(f->program(), little, 8);
    QCOMPARE(f->program().schedule.state(), ParallelSchedule::State::kSerial);
    const Tensor many = op("Fill", {Tensor::vector<int32_t>(std::vector<int32_t>{8, 8}), real(kSlow)});
    const std::vector<Tensor> large{many, many};
    for (int i = 0; i < 8; ++i) f->call(large);
    QCOMPARE(f->program().schedule.state(), ParallelSchedule::State::kParallel);
    QVERIFY(f->program().schedule.is_too_small(8));
    f->call(small);
  }

  void one_lane_is_none() {
    set_max_parallel_steps(1);
    const auto f = two_chains(1);
    const std::vector<Tensor> in{part(kSlow), part(kSlow)};
    for (int i = 0; i < 4; ++i) f->call(in);
    QCOMPARE(f->program().schedule.state(), ParallelSchedule::State::kMeasuring);
    set_max_parallel_steps(0);
    QCOMPARE(max_parallel_steps(), 4);
  }

  void in_words() {
    const auto f = two_chains(2);
    QVERIFY(compile::to_text(f->program()).find("  parallel, ") == std::string::npos);
    split(f->program());
    const std::string text = compile::to_text(f->program());
    QVERIFY2(text.find("  parallel, 3 tasks: 306 us instead of 500 us\n"
                       "    task 0: Cholesky, Cholesky_2\n    task 1: Cholesky_1, Cholesky_3\n"
                       "    task 2, after 0 and 1: MatMul\n") != std::string::npos,
             text.c_str());
  }
};

QTEST_APPLESS_MAIN(TestParallelSchedule)
#include "test_parallel_schedule.moc"
