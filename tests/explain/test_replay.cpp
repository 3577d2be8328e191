// Replays of proposed fixes: what the dispatcher would have done with different keys.
#include "engine/explain/replay.h"
#include "tests/explain/sample_run.h"
#include "tests/keys/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

ReplayResult replayed(const SampleRun& run, const ProposedFix& fix) {
  const RunRecords records = run.records();
  const Evidence evidence(records);
  return replay(evidence, evidence.functions().begin()->second, fix);
}

const ProposedFix kRateAsTensor{pass_as_tensor({"args[1]"}, 1), {}, false};
const ProposedFix kAnyBatch{{}, forget_sizes({{"args[0]", {0}}}), false};

}  // namespace

class TestReplay : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_number_as_a_tensor_is_one_trace() {
    SampleRun run({"x", "rate"});
    for (int i = 0; i < 12; ++i) run.call(batch_and_rate(32, 0.1 * (1 + i / 2)), scaled("c"));
    const ReplayResult result = replayed(run, kRateAsTensor);
    QCOMPARE(result.checked.method, Checked::Method::kReplay);
    QVERIFY(result.checked.ok);
    QCOMPARE(result.checked.traces_before, size_t{6});
    QCOMPARE(result.checked.traces_after, size_t{1});
    QCOMPARE(result.saved.size(), size_t{5});
    QCOMPARE(result.saved_ns(), int64_t{5000});
    QCOMPARE(result.merged.size(), size_t{1});
  }

  void what_else_differs_still_costs() {
    SampleRun run({"x", "rate"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(i < 3 ? 32 : 16, 0.1 * (1 + i)), scaled("c"));
    const ReplayResult result = replayed(run, kRateAsTensor);
    QCOMPARE(result.checked.traces_after, size_t{2});
    QCOMPARE(result.merged.size(), size_t{2});
    QCOMPARE(replayed(run, kAnyBatch).checked.traces_after, size_t{6});
    QVERIFY(!replayed(run, kAnyBatch).checked.ok);
  }

  void mixed_numbers_become_the_tensors_that_they_would_be() {
    SampleRun run({"n"});
    auto number = [&](bool whole, int i) {
      return call_key([&](keys::KeyWriter& w) { whole ? w.integer(i) : w.floating(i + 0.5); });
    };
    for (int i = 0; i < 6; ++i) run.call(number(i % 2, i), scaled("c"));
    QCOMPARE(replayed(run, {pass_as_tensor({"args[0]"}, 1), {}, false}).checked.traces_after, size_t{1});
    QCOMPARE(replayed(run, {pass_as_tensor({"args[5]"}, 1), {}, false}).checked.traces_after, size_t{6});
  }

  void leaving_an_argument_out_reaches_into_structures() {
    SampleRun run({"options"});
    for (int i = 0; i < 5; ++i) {
      run.call(call_key([&](keys::KeyWriter& w) {
        w.put(keys::Token::kDict, 2);
        w.text(keys::Token::kString, "lr");
        w.integer(i);
        w.text(keys::Token::kString, "x");
        w.tensor(keys::key_spec(keys::DType::kFloat32, {4}));
      }), scaled("c"));
    }
    QCOMPARE(replayed(run, {leave_out({"args[0]['lr']"}), {}, false}).checked.traces_after, size_t{1});
    QCOMPARE(replayed(run, {leave_out({"args[0]['rate']"}), {}, false}).checked.traces_after, size_t{5});
  }

  void sizes_are_declared_or_relaxed() {
    SampleRun run({"x", "rate"});
    for (int64_t n : {3, 5, 7, 9}) run.call(batch_and_rate(n, 0.1), scaled("c"));
    QCOMPARE(replayed(run, kAnyBatch).checked.traces_after, size_t{1});
    // The first trace has the shape of its call, the second the relaxed one.
    QCOMPARE(replayed(run, {{}, {}, true}).checked.traces_after, size_t{2});
  }

  void dtypes_are_cast() {
    SampleRun run({"x"});
    for (int i = 0; i < 6; ++i)
      run.call(call_key([&](keys::KeyWriter& w) {
                 w.tensor(keys::key_spec(i % 2 ? keys::DType::kFloat32 : keys::DType::kFloat64, {4}));
               }),
               scaled("c"));
    QCOMPARE(replayed(run, {cast_to({{"args[0]", 1}}), {}, false}).checked.traces_after, size_t{1});
  }

  void functions_that_relax_or_declare_already_are_understood() {
    SampleRun relaxed({"x", "rate"});
    for (double rate : {0.1, 0.2, 0.3})
      for (int64_t n : {3, 5, 7, 9}) {
        SampleRun::Options options;
        options.reduce_retracing = true;
        relaxed.call(batch_and_rate(n, rate), scaled("c"), options);
      }
    QCOMPARE(relaxed.traces.size(), size_t{6});
    QCOMPARE(replayed(relaxed, kRateAsTensor).checked.traces_after, size_t{2});

    SampleRun declared({"x", "rate"});
    for (double rate : {0.1, 0.2, 0.3})
      for (int64_t n : {3, 5, 7, 9}) {
        SampleRun::Options options;
        const keys::KeyWriter any = batch_and_rate(keys::kUnknownSize, rate);
        options.declared.assign(any.words.begin(), any.words.end());
        declared.call(batch_and_rate(n, rate), scaled("c"), options);
      }
    QCOMPARE(declared.traces.size(), size_t{3});
    QCOMPARE(replayed(declared, kRateAsTensor).checked.traces_after, size_t{1});
  }

  void a_trace_that_was_asked_for_serves_calls() {
    SampleRun run({"x", "rate"});
    SampleRun::Options asked;
    asked.reason = session::TraceReason::kGetConcreteFunction;
    run.call(batch_and_rate(32, 0.1), scaled("c"), asked);
    for (double rate : {0.1, 0.2, 0.3}) run.call(batch_and_rate(32, rate), scaled("c"));
    const ReplayResult result = replayed(run, kRateAsTensor);
    QCOMPARE(result.checked.traces_before, size_t{2});
    QCOMPARE(result.checked.traces_after, size_t{0});
  }

  void without_raw_keys_nothing_is_checked() {
    SampleRun run({"x", "rate"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, 0.1 * i), scaled("c"));
    run.raw_keys = false;
    const ReplayResult result = replayed(run, kRateAsTensor);
    QCOMPARE(result.checked.method, Checked::Method::kNone);
    QVERIFY(!result.checked.ok);
    QVERIFY(!result.checked.why_not.empty());
    QVERIFY(result.merged.empty());

    SampleRun some({"x", "rate"});
    for (int i = 0; i < 6; ++i) {
      SampleRun::Options options;
      options.record_key = i != 3;
      some.call(batch_and_rate(32, 0.1 * i), scaled("c"), options);
    }
    QCOMPARE(replayed(some, kRateAsTensor).checked.method, Checked::Method::kNone);
  }

  void a_recording_that_does_not_add_up_is_not_believed() {
    SampleRun lost({"x", "rate"});
    for (int i = 0; i < 6; ++i) lost.call(batch_and_rate(32, 0.1 * i), scaled("c"));
    lost.calls.erase(lost.calls.begin() + 2);  // the call of a trace is missing
    QCOMPARE(replayed(lost, kRateAsTensor).checked.method, Checked::Method::kNone);

    SampleRun wrong({"x", "rate"});
    for (int i = 0; i < 6; ++i) wrong.call(batch_and_rate(32, 0.1 * i), scaled("c"));
    wrong.calls[3].trace = wrong.traces[0].id;  // the record says that another trace served
    QCOMPARE(replayed(wrong, kRateAsTensor).checked.method, Checked::Method::kNone);

    SampleRun damaged({"x", "rate"});
    for (int i = 0; i < 6; ++i) damaged.call(batch_and_rate(32, 0.1 * i), scaled("c"));
    damaged.keys[2].words[2] = ~uint64_t{0};
    QCOMPARE(replayed(damaged, kRateAsTensor).checked.method, Checked::Method::kNone);
  }
};

QTEST_APPLESS_MAIN(TestReplay)
#include "test_replay.moc"
