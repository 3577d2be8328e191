// Running programs: long and wide ones, cancellation, failures, op events, lists.
#include "engine/base/errors.h"
#include "engine/base/recording.h"
#include "engine/base/signatures.h"
#include "engine/runtime/executor.h"
#include "tests/trace/support.h"

#include <QTest>

using namespace footlight;
using namespace footlight::test;

class TestExecutor : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void long_programs() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      std::vector<Tensor> all{in[0]};
      for (int i = 0; i < 1000; ++i) all.push_back(op("AddV2", {all.back(), number(1)}));
      return all;
    });
    const auto results = f->call(std::vector{real(0)});
    for (int i = 0; i <= 1000; ++i) QCOMPARE(value(results[static_cast<size_t>(i)]), static_cast<float>(i));
  }

  void wide_instructions() {
    auto f = traced({{DType::kFloat32, {1}}}, [](std::span<const Tensor> in) {
      std::vector<Tensor> parts(40, in[0]);
      parts.push_back(Tensor::scalar<int32_t>(0).as_constant());
      return std::vector{apply_all(Op("ConcatV2").row(), parts, {})[0]};
    });
    const std::vector<float> one{7};
    QCOMPARE(f->call(std::vector{Tensor::vector<float>(one)})[0].elements(), int64_t{40});
  }

  void the_failing_node_is_known() {
    auto f = traced({{DType::kInt32, {}}}, [](std::span<const Tensor> in) {
      return trace::build_cond(
          op("Greater", {in[0], Tensor::scalar<int32_t>(0).as_constant()}),
          [&] {
            return std::vector{op("FloorDiv", {in[0], Tensor::scalar<int32_t>(0).as_constant()})};
          },
          [&] { return std::vector{in[0]}; });
    });
    QCOMPARE(*f->call(std::vector{Tensor::scalar<int32_t>(-1)})[0].data<int32_t>(), -1);
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{Tensor::scalar<int32_t>(1)}));
    const runtime::Failure failure = runtime::take_failure();
    QVERIFY(failure.graph);
    QCOMPARE(failure.graph->node(failure.node).name, std::string("cond/FloorDiv"));
    QVERIFY(!runtime::take_failure().graph);
  }

  void an_endless_loop_can_be_stopped() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return trace::build_while({in[0]}, [](std::span<const Tensor>) { return Tensor::scalar(true).as_constant(); },
                                [](std::span<const Tensor> v) { return std::vector{op("AddV2", {v[0], number(1)})}; });
    });
    QCOMPARE(stopped_in_the_middle([&] { f->call(std::vector{real(0)}); }), ErrorKind::kCancelled);
  }

  // Turns write where the values of earlier ones were: never where somebody still looks.
  void a_loop_uses_its_memory_again() {
    const auto ints = [](int32_t v) { return Tensor::scalar<int32_t>(v).as_constant(); };
    const Spec row{DType::kFloat32, {40}};
    auto f = traced({row, row}, [&](std::span<const Tensor> in) {
      return trace::build_while(
          {ints(0), in[0], in[1], in[1], in[0]},
          [&](std::span<const Tensor> v) { return op("Less", {v[0], ints(7)}); },
          [&](std::span<const Tensor> v) {
            const Tensor sum = op("AddV2", {v[1], v[2]});  // given twice; the old values go round
            return std::vector{op("AddV2", {v[0], ints(1)}), sum, v[1], sum, op("Mul", {v[3], number(0.5f)})};
          });
    });
    std::vector<float> a(40), b(40), c, d, e;
    for (size_t i = 0; i < 40; ++i) a[i] = static_cast<float>(i), b[i] = 1 + static_cast<float>(i % 3);
    const Tensor x = Tensor::vector<float>(a), y = Tensor::vector<float>(b);
    c = b, d = a;
    std::vector<float> one = a, two = b;
    for (int turn = 0; turn < 7; ++turn) {
      std::vector<float> sum(40);
      for (size_t i = 0; i < 40; ++i) sum[i] = one[i] + two[i], d[i] = c[i] * 0.5f;
      two = one, one = sum, c = sum;
    }
    std::vector<Tensor> before;
    for (int call = 0; call < 3; ++call) {
      const auto results = f->call(std::vector{x, y});
      if (call == 0) before = results;
      for (const auto& got : {results, before}) {
        const std::vector<float>* const wanted[] = {&one, &two, &c, &d};
        for (size_t k = 0; k < 4; ++k)
          QVERIFY(std::equal(wanted[k]->begin(), wanted[k]->end(), got[k + 1].data<float>()));
      }
      QVERIFY(std::equal(a.begin(), a.end(), x.data<float>()) && std::equal(b.begin(), b.end(), y.data<float>()));
    }
  }

  // A run that fails leaves nothing behind for the next one.
  void a_run_after_a_failure() {
    const Spec number_spec{DType::kInt32, {}};
    auto f = traced({number_spec, number_spec}, [](std::span<const Tensor> in) {
      const Tensor a = op("BitwiseXor", {in[0], in[1]});
      return std::vector{op("Maximum", {op("FloorDiv", {a, in[1]}), a})};
    });
    const auto run = [&](int32_t a, int32_t b) {
      return *f->call(std::vector{Tensor::scalar(a), Tensor::scalar(b)})[0].data<int32_t>();
    };
    QCOMPARE(run(6, 2), 4);
    QVERIFY_THROWS_EXCEPTION(Error, run(6, 0));
    QCOMPARE(run(7, 1), 6);
    runtime::take_failure();
  }

  // A loop's condition and body take turns: what one does is no time of the other.
  void events_of_a_loop_follow_each_other() {
    const auto ints = [](int32_t v) { return Tensor::scalar<int32_t>(v).as_constant(); };
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      return trace::build_while({ints(0), in[0]},
                                [&](std::span<const Tensor> v) { return op("Less", {v[0], ints(5)}); },
                                [&](std::span<const Tensor> v) {
                                  return std::vector{op("AddV2", {v[0], ints(1)}), op("Sin", {v[1]})};
                                });
    });
    f->call(std::vector{real(1)});
    OpRing& ring = thread_rings().ops();
    ring.drain([](const OpEvent*, uint32_t) {});
    recording_level = RecordingLevel::kOps;
    std::vector<Tensor> outputs(2);
    f->call(std::vector{real(1)}, outputs, CallId(43));
    recording_level = RecordingLevel::kOff;
    std::vector<OpEvent> events;
    ring.drain([&](const OpEvent* first, uint32_t count) { events.insert(events.end(), first, first + count); });
    QCOMPARE(events.size(), size_t{16});
    for (size_t i = 1; i < events.size(); ++i) QVERIFY(events[i].start_ns >= events[i - 1].end_ns);
  }

  void events_name_their_nodes() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) { return std::vector{op("Neg", {op("Sin", {in[0]})})}; });
    f->call(std::vector{real(1)});
    OpRing& ring = thread_rings().ops();
    ring.drain([](const OpEvent*, uint32_t) {});
    recording_level = RecordingLevel::kOps;
    std::vector<Tensor> outputs(1);
    f->call(std::vector{real(1)}, outputs, CallId(42));
    recording_level = RecordingLevel::kOff;
    std::vector<OpEvent> events;
    ring.drain([&](const OpEvent* first, uint32_t count) { events.insert(events.end(), first, first + count); });
    QCOMPARE(events.size(), size_t{2});
    QCOMPARE(f->graph()->node(events[0].node()).name, std::string("Sin"));
    QCOMPARE(f->graph()->node(events[1].node()).name, std::string("Neg"));
    QCOMPARE(events[1].call, CallId(42));
    QVERIFY(events[0].end_ns >= events[0].start_ns && events[1].start_ns >= events[0].end_ns);
    struct Wanted {
      SignatureId id;
      Signature found;
    } neg{events[1].signature, {}};
    visit_signatures(
        0,
        [](void* context, SignatureId id, const Signature& signature) {
          if (auto* wanted = static_cast<Wanted*>(context); id == wanted->id) wanted->found = signature;
        },
        &neg);
    QCOMPARE(neg.found.op, events[1].op);
    QCOMPARE(neg.found.inputs, std::string("float32[]"));
    QCOMPARE(neg.found.output_bytes, 4u);
  }
};

QTEST_APPLESS_MAIN(TestExecutor)
#include "test_executor.moc"
