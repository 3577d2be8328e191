// The models of the Timeline, without a window: tracks, rates, tables of a range.
#include "tests/app/inspect_sample.h"

#include "app/models/facts.h"
#include "app/models/inspector.h"
#include "app/models/ops_model.h"
#include "app/models/selection.h"
#include "app/models/text.h"
#include "app/models/timeline.h"
#include "tests/session/records.h"

#include <QAbstractItemModelTester>
#include <QRegularExpression>
#include <QTest>

#include <array>
#include <cmath>
#include <map>
#include <random>

using namespace footlight;
using namespace footlight::app;

class TimelineModelsTest : public QObject {
  Q_OBJECT

 private:
  const SampleRun run_ = sample_run();
  const Document& d_ = run_.document;
  const SampleStore store_{run_};

  InspectorContent inspected(const Selection& selection) const { return inspect_with_facts(d_, store_, selection); }
  static RangeStatistics range_of(const Document& document, const SampleStore& store, int64_t from, int64_t to) {
    RangeStatistics made = range_statistics(*store, from, to, {});
    name_rows(document, made);
    return made;
  }

 private Q_SLOTS:
  void timeline_tracks() {
    const query::Picture picture = query::draw(*store_, d_.first_ns(), d_.last_ns() + 1, 4000, {});
    QCOMPARE(picture.tracks.size(), size_t{3});
    QCOMPARE(picture.tracks[0].count, uint64_t{24});
    QCOMPARE(picture.tracks[1].count, uint64_t{96});
    const Overlays overlays = overlays_of(*store_, {});
    QCOMPARE(title_of(picture.tracks[0].key, overlays).title, QStringLiteral("Calls"));
    QCOMPARE(title_of(picture.tracks[2].key, overlays).title, QStringLiteral("Ops, eager"));
    QCOMPARE(nice_step(1.0), 1);
    QCOMPARE(nice_step(1.5), 2);
    QCOMPARE(nice_step(3000), 5000);
  }

  void device_tracks() {
    SampleRun run = sample_run();
    Document& d = run.document;
    session::DeviceRecord kernel = device_work("kernel", "sgemm_32x32_nn", d.first_ns() + 1000, d.first_ns() + 1500,
                                               run.ops.id.front());
    kernel.stream = 7;
    run.device.push_back(kernel);
    kernel.kind = "memcpy";
    run.device.push_back(kernel);
    kernel.kind = "runtime";
    run.device.push_back(kernel);
    const SampleStore store(run);
    std::vector<QString> titles;
    const Overlays overlays = overlays_of(*store, {});
    for (const query::Track* track : store->tracks()) titles.push_back(title_of(track->key(), overlays).title);
    QCOMPARE(titles.size(), size_t{6});
    QCOMPARE(titles[3], QStringLiteral("GPU 0 stream 7"));
    QCOMPARE(titles[4], QStringLiteral("GPU 0 copies"));
    QCOMPARE(titles[5], QStringLiteral("CUDA API"));
    // Device work links to the op that caused it, and the op to its device work.
    const QString device = as_markdown(inspect_with_facts(d, store, Selection::of_device(0)));
    QVERIFY2(device.contains(QStringLiteral("Caused by: `MatMul`")), qPrintable(device));
    QVERIFY(as_markdown(inspect_with_facts(d, store, event_selection(d, store, 0)))
                .contains(QStringLiteral("Caused: `sgemm_32x32_nn`")));
    QVERIFY2(device.contains(QStringLiteral("All of this name: `1 time, 500 ns`")), qPrintable(device));
    // The run has its kernels and copies, and the calls of the interface, each by name.
    Selection whole;
    whole.kind = Selection::Kind::kRun;
    const InspectorContent all = inspect_with_facts(d, store, whole);
    QStringList titles_of_groups;
    for (const InspectorGroup& g : all.groups) titles_of_groups << g.title;
    QVERIFY(titles_of_groups.contains(QStringLiteral("Kernels and copies")));
    QVERIFY(titles_of_groups.contains(QStringLiteral("Calls of the device's API")));
  }

  // The rate of an op on a device is that of its kernels: its own time is that of the launch.
  void rates_on_devices() {
    SampleRun run;
    Document& d = run.document;
    d.ops = {{"MatMul", "product"}};
    d.device_names = {"/cpu:0", "/gpu:0"};
    d.add(session::SignatureRecord{SignatureId(3), OpId(0), "float32[20,30], float32[30,10]", "float32[20,10]", 3600,
                                   800, 12'000});
    OpEvent e = op_of(OpId(0), 1000, 1500);
    e.signature = SignatureId(3), e.device = 1;
    run.ops.append(0, 1, e);
    run.device.push_back(device_work("kernel", "sgemm", 2000, 14'000, run.ops.id.front()));
    const SampleStore store(run);
    const QString said = as_markdown(inspect_with_facts(d, store, event_selection(d, store, 0)));
    QVERIFY2(said.contains(QStringLiteral("Launch took: `500 ns`")), qPrintable(said));
    QVERIFY(said.contains(QStringLiteral("Kernels took: `12.0 us`")));
    QVERIFY2(said.contains(QStringLiteral("GFLOP/s: `1.00`")), qPrintable(said));
    // The table of ops says the same, and which time it took; an op beside it that ran on the host has its own.
    e.start_ns = 20'000, e.end_ns = 32'000, e.device = 0;
    run.ops.append(0, 2, e);
    const SampleStore both(run);
    OpsModel table;
    for (const auto& [to, rate] : {std::pair{int64_t{19'000}, "1.00"}, {int64_t{40'000}, "1.00"}}) {
      table.set_statistics(range_of(d, both, 0, to));
      QCOMPARE(table.rowCount(), 1);
      QCOMPARE(table.index(0, table.column("GFLOP/s")).data().toString(), QString::fromLatin1(rate));
    }
    QCOMPARE(table.at(0)->kernels, int64_t{12'000});
    QCOMPARE(table.at(0)->computed, int64_t{24'000});
    QCOMPARE(table.at(0)->total, int64_t{12'500});
    const QString tip = table.index(0, table.column("GFLOP/s")).data(Qt::ToolTipRole).toString();
    QCOMPARE(tip, QStringLiteral("In 12.0 us of kernels on the GPU; its launches took 500 ns"));
  }

  // A file may hold any number of comparisons, in any order and over each other.
  void times_of_comparisons_are_joined() {
    SampleRun run = sample_run();
    const int64_t first = run.document.first_ns();
    for (const auto& [from, to] : {std::pair{500, 700}, {100, 300}, {200, 400}, {250, 260}, {400, 450}, {900, 900}}) {
      session::ComparisonRecord c;
      c.start_ns = first + from, c.end_ns = first + to;
      run.comparisons.push_back(c);
    }
    const Overlays overlays = overlays_of(*SampleStore(run), {});
    QCOMPARE(overlays.repeated, (std::vector<std::pair<int64_t, int64_t>>{{first + 100, first + 450},
                                                                          {first + 500, first + 700}}));
    for (const auto& [at, is] :
         {std::pair{99, false}, {100, true}, {450, true}, {451, false}, {600, true}, {701, false}})
      QCOMPARE(overlays.is_repeated(first + at), is);
  }

  void range_table() {
    const RangeStatistics all = range_of(d_, store_, d_.first_ns(), d_.last_ns() + 1);
    QCOMPARE(all.events, uint64_t{102});
    QCOMPARE(all.calls, uint64_t{24});
    QCOMPARE(all.rows.front().name, QStringLiteral("MatMul"));
    QCOMPARE(all.rows.front().family, std::string("product"));
    QCOMPARE(all.rows.front().count, uint64_t{24});
    QCOMPARE(all.rows.front().total, 24 * 15'000);
    QCOMPARE(all.rows.front().median, 15'000);
    QCOMPARE(range_of(d_, store_, 0, 1).events, uint64_t{0});
    // The time that an outer op spends in inner ones is not its own.
    SampleRun run;
    OpEvent outer, inner;
    outer.start_ns = 10, outer.end_ns = 110, outer.op = OpId(0);
    inner.start_ns = 20, inner.end_ns = 60, inner.op = OpId(1);
    run.document.ops = {{"If", "control"}, {"Mul", "elementwise"}};
    run.ops.append(0, 1, inner);
    run.ops.append(0, 2, outer);
    const RangeStatistics nested = range_of(run.document, SampleStore(run), 0, 200);
    QCOMPARE(nested.rows[0].total, 100);
    QCOMPARE(nested.rows[0].self, 60);
    QCOMPARE(nested.shares[RangeStatistics::kOps], 0.5);
    QCOMPARE(range_sentence(nested), QString::fromUtf8("0 calls · 2 op events · of this time 50 % ops, 50 % Python"));
    // What another program did where it recorded nothing is not known.
    run.document.run.engine = "imported: Perfetto";
    QCOMPARE(range_sentence(range_of(run.document, SampleStore(run), 0, 200)),
             QString::fromUtf8("0 calls · 2 op events · of this time 50 % ops, 50 % not recorded"));
  }

  // What follows the tracing of a call is no run of it where the call was made while another function was traced.
  void a_call_inside_tracing_does_not_run() {
    Document d;
    for (const auto& [id, from, to] : {std::array{1, 100, 900}, std::array{2, 300, 400}, std::array{3, 1000, 1100}})
      d.add(trace_of(TraceId(static_cast<uint32_t>(id)), FunctionId(), 0, from, to));
    query::TraceSpan span;
    span.part = query::TracePart::kAfter;
    for (const auto& [id, name] : {std::pair{1U, "Run"}, std::pair{2U, "After tracing"}, std::pair{3U, "Run"}}) {
      span.trace = TraceId(id);
      QCOMPARE(phase_name(d, span), QString::fromUtf8(name));
    }
  }

  // Each percentage is its own share rounded up or down, not what rounding left over from the ones before; all of them
  // add up.
  void percentages_of_a_range() {
    std::mt19937 random(5);
    const auto said = [](const RangeStatistics& s) {
      std::map<QString, int> percents;
      const QString text = range_sentence(s);
      static const QRegularExpression kPart(QStringLiteral("(\\d+) % ([^,]+)"));
      for (auto parts = kPart.globalMatch(text); parts.hasNext();) {
        const QRegularExpressionMatch part = parts.next();
        percents[part.captured(2)] = part.captured(1).toInt();
      }
      return percents;
    };
    RangeStatistics s;
    s.shares[RangeStatistics::kOps] = 0.004;
    s.shares[RangeStatistics::kTracing] = 0.173;
    QCOMPARE(said(s), (std::map<QString, int>{{QStringLiteral("ops"), 1},  // 0.4 % has the largest remainder
                                              {QStringLiteral("tracing"), 17},
                                              {QStringLiteral("Python"), 82}}));
    for (int round = 0; round < 200; ++round) {
      double left = 1;
      for (double& share : s.shares) left -= share = left * 0.3 * static_cast<double>(random() % 1000) / 1000;
      auto percents = said(s);
      int sum = 0;
      for (const auto& [name, percent] : percents) sum += percent;
      QCOMPARE(sum, 100);
      QVERIFY(std::abs(percents[QStringLiteral("tracing")] - 100 * s.shares[RangeStatistics::kTracing]) < 1);
      QVERIFY(std::abs(percents[QStringLiteral("ops")] - 100 * s.shares[RangeStatistics::kOps]) < 1);
      QVERIFY(std::abs(percents[QStringLiteral("Python")] - 100 * left) < 1);
    }
  }

  // The inspector shows an op's inputs and their cost; the table shows the sums.
  void op_costs() {
    SampleRun run;
    Document& d = run.document;
    d.ops = {{"MatMul", "product"}};
    d.add(session::SignatureRecord{SignatureId(3), OpId(0), "float32[20,30], float32[30,10]", "float32[20,10]", 3600,
                                   800, 12'000});
    OpEvent e = op_of(OpId(0), 1000, 2000);
    e.signature = SignatureId(3);
    run.ops.append(0, 1, e);
    e.start_ns = 3000, e.end_ns = 5000;
    run.ops.append(0, 2, e);
    const SampleStore store(run);
    const QString said = as_markdown(inspect_with_facts(d, store, event_selection(d, store, 0)));
    QVERIFY2(said.contains(QStringLiteral("float32[20,30], float32[30,10]")), qPrintable(said));
    QVERIFY(said.contains(QStringLiteral("3.5 KB in, 800 B out")));
    QVERIFY(said.contains(QStringLiteral("12,000")));
    QVERIFY(said.contains(QStringLiteral("12.0")));
    const RangeStatistics all = range_of(d, store, 0, 9000);
    QCOMPARE(all.rows.at(0).flops, uint64_t{24'000});
    QCOMPARE(all.rows.at(0).bytes, uint64_t{8800});
    QCOMPARE(flops_text(24'000), QStringLiteral("24.0 k"));
    QCOMPARE(rate_text(24'000, 3000), QStringLiteral("8.00"));
  }
};

QTEST_GUILESS_MAIN(TimelineModelsTest)
#include "test_timeline_models.moc"
