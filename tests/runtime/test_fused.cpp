// Elementwise nodes that are fused give the same bits as the ops run one by one, with and without machine code.
#include "engine/compile/print.h"
#include "engine/runtime/watch.h"
#include "tests/base/thrown.h"
#include "tests/runtime/fused_programs.h"

#include <QTest>

#include <cstddef>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

using namespace footlight;
using namespace footlight::test;

namespace {

// A choice between two, each of which is one for all or has one for each, for elements of every size.
template <class T>
bool chooses(int64_t n, bool each, bool other) {
  const auto make = [](int64_t count, T first) {
    Tensor x = Tensor::empty(dtype_of<T>, Shape{count});
    for (int64_t i = 0; i < count; ++i) x.data<T>()[i] = static_cast<T>(first + static_cast<T>(2 * (i % 50)));
    return x;
  };
  Tensor condition = Tensor::empty(DType::kBool, Shape{n});
  for (int64_t i = 0; i < n; ++i) condition.data<bool>()[i] = i % 3 == 1;
  const Tensor a = make(each ? n : 1, T(1)), b = make(other ? n : 1, T(2));
  const std::vector<Tensor> in{condition, a, b};
  auto f = traced_like(in, shapes_of(in), [](std::span<const Tensor> x) {
    return std::vector{op("SelectV2", {op("LogicalNot", {op("LogicalNot", {x[0]})}), x[1], x[2]})};
  });
  for (const Tensor& chosen : {op("SelectV2", {condition, a, b}), f->call(in)[0]})
    for (int64_t i = 0; i < n; ++i)
      if (chosen.data<T>()[i] != (i % 3 == 1 ? a.data<T>()[each ? i : 0] : b.data<T>()[other ? i : 0])) return false;
  return true;
}

bool refuse_code_in_this_thread() {
  const sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{static_cast<unsigned short>(std::size(rules)), const_cast<sock_filter*>(rules)};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Mappings of no file that may be run; SIZE_MAX: one may be written too.
size_t mappings_of_code() {
  std::ifstream maps("/proc/self/maps");
  size_t n = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" rwx") != std::string::npos) return SIZE_MAX;
    n += line.find(" r-xp 00000000 00:00 0") != std::string::npos;
  }
  return n;
}

std::shared_ptr<trace::Concrete> three_exact_steps() {
  return traced({{DType::kFloat32, {40}}}, [](std::span<const Tensor> in) {
    return std::vector{op("AddV2", {op("Square", {op("Neg", {in[0]})}), in[0]})};
  });
}

}  // namespace

class TestFused : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  // Each op with a loop, for each dtype, in a fused loop with others.
  void every_loop() {
    size_t tried = 0, made = 0;
    std::mt19937 random(5);
    for (const OpRow* row : all_rows()) {
      for (const DType dtype : kPlain) {
        if (!loop_for(row->id, dtype, dtype) || row->inputs.size() > 2 || row->inputs[0].list) continue;
        std::vector<Tensor> arguments;
        if (std::string_view(row->name) == "Cast" && dtype == DType::kFloat32) continue;  // nothing is left of it
        for (size_t i = 0; i < 2; ++i) arguments.push_back(random_tensor(random, dtype, {3, 41}));
        arguments.push_back(random_tensor(random, DType::kBool, {3, 41}));
        const Body body = [&](std::span<const Tensor> in) {
          const auto apply_row = [&](std::span<const Tensor> to) {
            Attrs attrs;
            if (std::string_view(row->name) == "Cast") attrs.set(AttrName("DstT"), DType::kFloat32);
            return apply(*row, to, attrs);
          };
          const size_t n = row->inputs.size();
          const std::vector<Tensor> forwards(in.begin(), in.begin() + static_cast<ptrdiff_t>(n));
          const std::vector<Tensor> backwards(in.rbegin() + 1, in.rbegin() + 1 + static_cast<ptrdiff_t>(n));
          const Tensor applied = apply_row(forwards);
          return std::vector{op("SelectV2", {in.back(), applied, apply_row(backwards)}), applied};
        };
        const std::optional<std::vector<Tensor>> one_by_one = if_it_is_for_them(body, arguments);
        if (!one_by_one) continue;
        auto f = traced_like(arguments, shapes_of(arguments), body);
        QCOMPARE(fused_loops(f->program()), size_t{1});
        for (const bool machine_code : {false, true}) {
          with_machine_code(machine_code);
          const auto once = f->call(arguments);
          QVERIFY2(same(once[0], (*one_by_one)[0]) && same(once[1], (*one_by_one)[1]),
                   str(row->name, " of ", name_of(dtype), machine_code ? ", machine code" : "").c_str());
        }
        made += jit_loops(f->program());
        for (const fusion::FusedGroup& group : f->program().groups)
          QVERIFY2(stays_inside(group, random), str(row->name, " of ", name_of(dtype)).c_str());
        ++tried;
      }
    }
    QVERIFY2(tried > 300, qPrintable(QString::number(tried)));
    if (!jit::why_no_machine_code()) QVERIFY2(made > 60, qPrintable(QString::number(made)));
  }

  void choices() {
    for (const int64_t n : {2, 77, 4099}) {
      for (const bool each : {false, true}) {
        for (const bool other : {false, true}) {
          QVERIFY(chooses<uint8_t>(n, each, other) && chooses<int16_t>(n, each, other));
          QVERIFY(chooses<float>(n, each, other) && chooses<int64_t>(n, each, other));
          QVERIFY(chooses<std::complex<double>>(n, each, other));
        }
      }
    }
  }

  void random_graphs() {
    size_t fused = 0, made = 0;
    for (uint32_t seed = 0; seed < 400; ++seed) {
      std::mt19937 random(seed + 99);
      static const Shape kShapes[] = {{5, 7}, {4, 1, 6}, {}, {0, 3}, {1300}, {2, 700}, {1, 1}, {3, 2, 2, 5}};
      const Shape whole = kShapes[seed % std::size(kShapes)];
      std::vector<Tensor> arguments;
      std::vector<Shape> shapes;
      for (int i = 0; i < 5; ++i) {
        Shape own = whole, known;
        for (int d = 0; d < own.rank(); ++d)
          if (random() % 3 == 0) own.set(d, own[d] == 0 ? 0 : 1);
        if (i == 0 || random() % 2) own = whole;
        if (own.rank() && random() % 4 == 0) own = Shape(own.dims().subspan(1));
        known = own;
        for (int d = 0; d < known.rank(); ++d)
          if (seed % 3 == 0 && random() % 2) known.set(d, kUnknownDim);
        if (seed % 11 == 0) known = Shape::unknown_rank();
        const DType dtype = kPlain[(seed + static_cast<uint32_t>(i) / 3) % std::size(kPlain)];
        arguments.push_back(random_tensor(random, dtype, own));
        shapes.push_back(known);
      }
      const auto one_by_one = program(seed, arguments);
      auto f = traced_like(arguments, shapes, [&](std::span<const Tensor> in) { return program(seed, in); });
      fused += fused_loops(f->program());
      std::vector<Tensor> kept;  // arguments are never written to
      for (const Tensor& t : arguments) kept.push_back(op("Identity", {t}));
      std::vector<Tensor> first;
      for (int call = 0; call < 3; ++call) {
        with_machine_code(call > 0);
        const auto once = f->call(arguments);
        if (call == 0) first = once;
        for (size_t k = 0; k < once.size(); ++k) {
          QVERIFY2(same(once[k], one_by_one[k]), qPrintable(QString("program %1, result %2").arg(seed).arg(k)));
          QVERIFY2(same(first[k], one_by_one[k]), qPrintable(QString("program %1: a result changed").arg(seed)));
        }
      }
      made += jit_loops(f->program());
      for (const fusion::FusedGroup& group : f->program().groups)
        if (group.is_static) QVERIFY2(stays_inside(group, random), qPrintable(QString("program %1").arg(seed)));
    }
    QVERIFY2(fused > 300, qPrintable(QString::number(fused)));
    if (!jit::why_no_machine_code()) QVERIFY2(made > 60, qPrintable(QString::number(made)));
  }

  void large_ones_on_all_cores_data() {
    QTest::addColumn<int>("rows");
    QTest::newRow("in the caches") << 400;
    QTest::newRow("written past the caches") << 17000;  // a tile does not begin where a vector does
  }
  void large_ones_on_all_cores() {
    QFETCH(int, rows);
    std::mt19937 random(1);
    const std::vector<Tensor> arguments{random_tensor(random, DType::kFloat32, {rows, 501}),
                                        random_tensor(random, DType::kFloat32, {501}),
                                        random_tensor(random, DType::kFloat32, {rows, 1}), real(2)};
    const Body body = [](std::span<const Tensor> in) {
      const Tensor a = op("Mul", {op("AddV2", {in[0], in[1]}), in[2]});
      const Tensor b = op("Sub", {op("Tanh", {a}), in[3]});
      return std::vector{op("Sqrt", {op("Square", {b})}), op("Less", {a, b})};
    };
    auto f = traced_like(arguments, shapes_of(arguments), body);
    QCOMPARE(fused_loops(f->program()), size_t{1});
    const auto one_by_one = body(arguments);
    for (const bool machine_code : {false, true}) {
      with_machine_code(machine_code);
      const auto once = f->call(arguments);
      QVERIFY(same(once[0], one_by_one[0]));
      QVERIFY(same(once[1], one_by_one[1]));
    }
  }

  void machine_code_in_words() {
    const auto says = [](trace::Concrete& f, const std::string& words) {
      return compile::to_text(f.program()).find(str("\n    ", words)) != std::string::npos;
    };
    std::mt19937 random(7);
    const auto x = random_tensor(random, DType::kFloat32, {40});
    const auto half = random_tensor(random, DType::kFloat16, {40});
    const auto exact = three_exact_steps();
    const auto dear = traced_like({x}, {x.shape()}, [](std::span<const Tensor> in) {
      return std::vector{op("Tanh", {op("Exp", {in[0]})})};
    });
    const auto halves = traced_like({half}, {half.shape()}, [](std::span<const Tensor> in) {
      return std::vector{op("Square", {op("Neg", {in[0]})})};
    });
    with_machine_code(false);
    exact->call(std::vector{x});
    QVERIFY(says(*exact, "no machine code: it has not run long enough to be worth it\n"));
    QVERIFY(says(*dear, "no machine code: no two consecutive steps have machine instructions\n"));
    with_machine_code(true);
    const char* const none = jit::why_no_machine_code();
    exact->call(std::vector{x});
    halves->call(std::vector{half});
    QVERIFY(says(*exact, none ? str("no machine code: ", none) : "machine code for 3 of 3 steps, 1 loop, "));
    QVERIFY(says(*halves, str("no machine code: ", none ? none : "no two steps in a row have instructions for their")));
  }

  // A wider result may have the tile of what the same loop reads: there is no such loop.
  void wider_elements_in_the_same_tile() {
    std::mt19937 random(7);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {700})};
    const Body body = [](std::span<const Tensor> in) {
      return std::vector{op("Exp", {op("Neg", {cast(op("Tanh", {in[0]}), DType::kFloat64)})})};
    };
    const auto f = traced_like(x, shapes_of(x), body);
    for (const bool machine_code : {false, true}) {
      with_machine_code(machine_code);
      QVERIFY(same(f->call(x)[0], body(x)[0]));
    }
  }

  // Written first and run then, never both; gone with the program.
  void memory_of_machine_code() {
    if (jit::why_no_machine_code()) QSKIP("There is none here.");
    with_machine_code(true);
    std::mt19937 random(7);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {40})};
    const size_t before = mappings_of_code();
    QVERIFY(before < SIZE_MAX);
    auto f = three_exact_steps();
    f->call(x);
    QCOMPARE(mappings_of_code(), before + 1);
    f.reset();
    QCOMPARE(mappings_of_code(), before);
  }

  // A process may have only so many mappings, so code takes some of them and no more.
  void memory_of_machine_code_is_limited() {
    const std::byte code[8] = {};
    std::vector<jit::CodeMemory> all(jit::CodeMemory::kMaxMappings + 1);
    size_t held = 0;
    for (jit::CodeMemory& memory : all) held += memory.hold(code);
    QVERIFY(held > 0);
    QVERIFY(held <= size_t{jit::CodeMemory::kMaxMappings});
    QVERIFY(!all.back().at());
    all = std::vector<jit::CodeMemory>(1);
    QVERIFY(all[0].hold(code));
  }

  // A system that forbids it: the fused loop runs as it does without.
  void where_no_memory_may_be_run() {
    if (jit::why_no_machine_code()) QSKIP("There is no machine code here.");
    with_machine_code(true);
    std::mt19937 random(7);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {40})};
    const auto f = three_exact_steps();
    bool refused = false, equal = true;
    std::thread([&] {
      refused = refuse_code_in_this_thread();
      const Tensor expected = op("AddV2", {op("Square", {op("Neg", {x[0]})}), x[0]});
      for (int call = 0; refused && call < 3; ++call) equal = equal && same(f->call(x)[0], expected);
    }).join();
    if (!refused) QSKIP("This system filters no calls.");
    QVERIFY(equal);
    QCOMPARE(jit_loops(f->program()), size_t{0});
    QVERIFY(compile::to_text(f->program()).find("no machine code: the system refused executable memory\n") !=
            std::string::npos);
  }

  void many_threads_run_what_one_makes_code_for() {
    std::mt19937 random(7);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {40})};
    const auto f = three_exact_steps();
    with_machine_code(false);
    const Tensor expected = f->call(x)[0];
    jit::set_jit_threshold(3'000);  // of the estimate: after more than a hundred calls
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int call = 0; call < 200; ++call) wrong += !same(f->call(x)[0], expected);
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(wrong.load(), 0);
    QCOMPARE(jit_loops(f->program()), size_t{jit::why_no_machine_code() ? 0u : 1u});
  }

  // A product lies between: y needs it, and it needs x.
  void what_lies_between_is_kept_apart() {
    auto f = traced({{DType::kFloat32, {4, 4}}}, [](std::span<const Tensor> in) {
      const Tensor x = op("Neg", {op("Square", {in[0]})});
      return std::vector{op("AddV2", {op("MatMul", {x, x}), x})};
    });
    QCOMPARE(fused_loops(f->program()), size_t{1});
    QCOMPARE(f->program().code[0].skip, uint16_t{2});
    std::mt19937 random(2);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {4, 4})};
    f->call(x);
  }

  // Shapes that turn out not to broadcast to one are an error of the node, as they are without a fused loop.
  void wrong_shapes_name_their_node() {
    const Spec open{DType::kFloat32, Shape{kUnknownDim}};
    auto f = traced({open, open}, [](std::span<const Tensor> in) {
      return std::vector{op("Mul", {op("Neg", {in[0]}), op("Exp", {in[1]})})};
    });
    QCOMPARE(fused_loops(f->program()), size_t{1});
    const std::vector<float> two{1, 2}, three{1, 2, 3}, one{4};
    QCOMPARE(f->call(std::vector{Tensor::vector<float>(two), Tensor::vector<float>(one)})[0].elements(), int64_t{2});
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{Tensor::vector<float>(two), Tensor::vector<float>(three)}));
    const runtime::Failure failure = runtime::take_failure();
    QVERIFY(failure.graph);
    QCOMPARE(failure.graph->node(failure.node).name, std::string("Mul"));
  }

  // A sum of a list wants one shape of all, also where the shapes are known late.
  void a_list_does_not_broadcast() {
    const Spec open{DType::kFloat32, Shape{kUnknownDim}};
    auto f = traced({open, open, open}, [](std::span<const Tensor> in) {
      return std::vector{op("Neg", {apply_all(Op("AddN").row(), std::vector{in[0], in[1], in[2]}, {})[0]})};
    });
    QCOMPARE(fused_loops(f->program()), size_t{1});
    const std::vector<float> two{1, 2}, one{4};
    const Tensor x = Tensor::vector<float>(two);
    QCOMPARE(f->call(std::vector{x, x, x})[0].data<float>()[1], -6.f);
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{x, Tensor::vector<float>(one), x}));
    runtime::take_failure();
  }

  // Whoever watches each result sees each node.
  void watched_nodes_run_one_by_one() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return std::vector{op("Exp", {op("Reciprocal", {op("Neg", {in[0]})})})};
    });
    QCOMPARE(value(f->call(std::vector{real(0)})[0]), 0.f);
    check_numerics(true);
    const std::string message = message_thrown([&] { f->call(std::vector{real(0)}); });
    check_numerics(false);
    QVERIFY(says(message, "\"Reciprocal\""));
    QCOMPARE(value(f->call(std::vector{real(1)})[0]), std::exp(-1.f));
  }

  void each_node_has_its_event() {
    auto f = traced({{DType::kFloat32, {2000}}}, [](std::span<const Tensor> in) {
      const std::vector<Tensor> terms{op("Tanh", {in[0]}), op("Neg", {in[0]}), in[0]};
      const Tensor sum = apply_all(Op("AddN").row(), terms, {})[0];
      return std::vector{op("Mean", {sum, ops::ints(std::vector<int64_t>{0})})};
    });
    QCOMPARE(fused_loops(f->program()), size_t{1});
    const std::vector<Tensor> x{Tensor::empty(DType::kFloat32, {2000})};
    std::fill_n(x[0].data<float>(), 2000, 0.5f);
    f->call(x);
    OpRing& ring = thread_rings().ops();
    ring.drain([](const OpEvent*, uint32_t) {});
    recording_level = RecordingLevel::kOps;
    f->call(x);
    recording_level = RecordingLevel::kOff;
    std::vector<OpEvent> events;
    ring.drain([&](const OpEvent* first, uint32_t count) { events.insert(events.end(), first, first + count); });
    QCOMPARE(events.size(), size_t{4});
    std::vector<std::string> names;
    for (size_t i = 0; i < events.size(); ++i) {
      names.push_back(f->graph()->node(events[i].node()).name);
      QVERIFY(events[i].signature.valid());
      QVERIFY(events[i].start_ns <= events[i].end_ns);
      if (i) QCOMPARE(events[i].start_ns, events[i - 1].end_ns);
    }
    QCOMPARE(names, (std::vector<std::string>{"Tanh", "Neg", "AddN", "Mean"}));
    // By what they cost: Tanh is the dear one.
    QVERIFY(events[0].end_ns - events[0].start_ns > events[1].end_ns - events[1].start_ns);
  }
};

QTEST_APPLESS_MAIN(TestFused)
#include "test_fused.moc"
