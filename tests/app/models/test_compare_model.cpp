// What the Compare tab shows, without a window: units, bars, table, lanes, plans, exports.
#include "app/models/compare_export.h"
#include "app/models/compare_facts.h"
#include "app/models/compare_lanes.h"
#include "app/models/compare_plan.h"
#include "app/models/compare_table.h"
#include "app/models/compare_waterfall.h"
#include "tests/app/compare_fixture.h"

#include <QSet>
#include <QTest>

#include <cmath>

using namespace footlight;
using namespace footlight::app;

class CompareModelTest : public QObject {
  Q_OBJECT

  const Document document_ = compared_document();
  const explain::Comparison& host() { return *document_.comparisons[0]; }
  const explain::Comparison& device() { return *document_.comparisons[1]; }
  static QString cell(const CompareTable& t, int row, const char* column) {
    return t.data(t.index(row, t.column(column)), Qt::DisplayRole).toString();
  }
  // The sum of a column without its last row.
  static double sum(const CompareTable& t, const char* column) {
    double all = 0;
    for (int r = 0; r + 1 < t.rowCount(); ++r) all += cell(t, r, column).toDouble();
    return all;
  }

 private Q_SLOTS:
  void units_fit_the_largest() {
    QCOMPARE(unit_for(999).name, QStringLiteral("ns"));
    QCOMPARE(unit_for(-40'000).name, QStringLiteral("us"));
    QCOMPARE(unit_for(2e6).name, QStringLiteral("ms"));
    QCOMPARE(column_text(31, unit_for(38'400, 31)), QStringLiteral("0.031"));
    QCOMPARE(column_text(310, unit_for(38'400, 310)), QStringLiteral("0.31"));
    QCOMPARE(column_text(310, unit_for(900, 31)), QStringLiteral("310"));
    QCOMPARE(column_text(412'340, unit_for(412'340)), QStringLiteral("412.3"));
    QCOMPARE(column_text(1'234, unit_for(9'000)), QStringLiteral("1.23"));
    QCOMPARE(change_text(-118'000, unit_for(412'340)), QStringLiteral("-118"));
    QCOMPARE(change_text(400, unit_for(38'400)), QStringLiteral("+0.40"));
    QCOMPARE(change_text(-1, unit_for(38'400)), QStringLiteral("0"));
    QCOMPARE(column_change_text(-1, unit_for(38'400)), QStringLiteral("0.0"));
    QCOMPARE(time_words(38'400), QStringLiteral("38.4 us"));
    QCOMPARE(time_words(640), QStringLiteral("640 ns"));
  }

  void bars_join_the_totals() {
    for (const bool opened : {false, true}) {
      const Waterfall w = waterfall_of(host(), opened);
      QCOMPARE(w.bars.front().to, 40'000.0);
      QCOMPARE(w.bars.back().to, 16'000.0);
      for (size_t i = 1; i + 1 < w.bars.size(); ++i) {
        QCOMPARE(w.bars[i].from, w.bars[i - 1].to);
        QCOMPARE(w.bars[i].change(), w.bars[i].part.difference.mean);
        QVERIFY(w.bars[i].low <= w.bars[i].to && w.bars[i].to <= w.bars[i].high);
      }
      // The last part ends where the traced total stands.
      QVERIFY(std::abs(w.bars[w.bars.size() - 2].to - 16'000) < 1e-6);
      QVERIFY(w.highest >= 40'000 && w.lowest <= 0);
    }
    const Waterfall closed = waterfall_of(host(), false), opened = waterfall_of(host(), true);
    QCOMPARE(opened.bars.size(), closed.bars.size() + 2);  // three small parts instead of one bar
    QCOMPARE(closed.bars[1].value, QStringLiteral("-13.0"));
    QVERIFY(closed.bars[1].meaning.startsWith(QStringLiteral("Python code runs, outside of the engine")));
  }

  void a_row_finds_its_bar() {
    const Waterfall closed = waterfall_of(host(), false), opened = waterfall_of(host(), true);
    const auto name = [](const Waterfall& w, explain::Group group) {
      const int bar = bar_of_group(w, group);
      return bar < 0 ? QString() : w.bars[static_cast<size_t>(bar)].name;
    };
    QCOMPARE(name(closed, explain::Group::kFused), QStringLiteral("Fused"));
    QCOMPARE(name(closed, explain::Group::kOnlyTraced), QStringLiteral("Small parts"));
    QCOMPARE(name(opened, explain::Group::kOnlyTraced), QStringLiteral("Only traced"));
    QCOMPARE(name(closed, explain::Group::kHoisted), QString());
  }

  void the_table_adds_up_to_the_totals() {
    CompareTable table;
    table.set_comparison(&document_, document_.comparisons[0]);
    QCOMPARE(table.rowCount(), 7);
    const int last = table.rowCount() - 1;
    for (const QString& filter : {QString(), QStringLiteral("fused"), QStringLiteral("nothing has this")}) {
      table.set_filter(filter);
      const int total = table.rowCount() - 1;
      QCOMPARE(cell(table, total, "Eager time"), QStringLiteral("40.00"));
      QCOMPARE(cell(table, total, "Traced time"), QStringLiteral("16.00"));
      QCOMPARE(cell(table, total, "Difference"), QStringLiteral("-24.00"));
      QVERIFY(std::abs(sum(table, "Eager time") - 40) < 0.06 * total);
      QVERIFY(std::abs(sum(table, "Traced time") - 16) < 0.06 * total);
      QVERIFY(std::abs(sum(table, "Difference") + 24) < 0.06 * total);
    }
    table.set_filter(QStringLiteral("FUSED"));
    QCOMPARE(table.shown_rows(), size_t{1});
    QCOMPARE(table.row_at(0), 1);
    QCOMPARE(table.shown_of(0), -1);
    table.set_filter({});
    QCOMPARE(cell(table, last, "Eager ops"), QStringLiteral("Total"));
  }

  void lines_of_several_files_have_their_names() {
    Document document;
    document.add(session::FileRecord{session::FileId(0), "/home/me/train.py", "x\ny\n"});
    document.add(session::FileRecord{session::FileId(1), "/home/me/model.py", "x\ny\n"});
    auto made = std::make_shared<explain::Comparison>(*document_.comparisons[0]);
    for (size_t i = 0; i < made->rows.size(); ++i) made->rows[i].at = {session::FileId(0), static_cast<int>(i) + 1};
    CompareTable table;
    table.set_comparison(&document, made);
    QCOMPARE(cell(table, 1, "Line"), QStringLiteral("2"));
    made->rows[0].at.file = session::FileId(1);
    table.set_comparison(&document, made);
    QCOMPARE(cell(table, 0, "Line"), QStringLiteral("model.py:1"));
    QCOMPARE(cell(table, 1, "Line"), QStringLiteral("train.py:2"));
  }

  void rows_are_sorted_and_sums_stay_last() {
    CompareTable table;
    table.set_comparison(&document_, document_.comparisons[0]);
    table.sort(table.column("Difference"), Qt::AscendingOrder);
    QCOMPARE(table.row_at(0), 1);  // saves 6 us
    QCOMPARE(table.row_at(1), 2);  // saves 2 us
    table.sort(table.column("Eager time"), Qt::DescendingOrder);
    QCOMPARE(table.row_at(0), 0);
    QCOMPARE(table.row_at(5), -1);
    QCOMPARE(cell(table, 6, "Eager ops"), QStringLiteral("Total"));
    table.sort(-1, Qt::AscendingOrder);
    for (int i = 0; i < 5; ++i) QCOMPARE(table.row_at(i), i);
  }

  void pieces_are_found_by_time_and_row() {
    CompareLanes lanes;
    lanes.set_comparison(document_.comparisons[1]);
    QCOMPARE(lanes.lanes().size(), size_t{6});
    QCOMPARE(lanes.longest(), int64_t{40'000});
    for (size_t i = 1; i < 6; ++i) QVERIFY(lanes.lanes()[i].top > lanes.lanes()[i - 1].bottom());
    // 6 us into the eager run MatMul runs on the host.
    const PieceAt at = lanes.at(lanes.lanes()[0].top + 3, 6'000, 0);
    QCOMPARE(lanes.piece(at).label, std::string("MatMul"));
    QCOMPARE(lanes.piece(lanes.step(at, 1)).label, std::string("Relu"));   // Python between them is passed over
    QCOMPARE(lanes.step(at, -1), at);
    QVERIFY(!lanes.at(lanes.height() + 50, 6'000, 0).valid());
    // On host, in a call and on a stream, in both runs.
    QCOMPARE(lanes.of_row(0).size(), size_t{6});
    QCOMPARE(lanes.of_row(1).size(), size_t{3});
    QVERIFY(lanes.of_row(-1).empty());
    // Of these, lines join the kernels: those on streams where there are any.
    for (const bool traced : {false, true}) {
      const std::vector<PieceAt> kernels = lanes.kernels_of(lanes.of_row(0), traced);
      QCOMPARE(kernels.size(), size_t{1});
      QCOMPARE(kernels[0].traced, traced);
      QCOMPARE(lanes.name_of(*lanes.placed(kernels[0])).left(6), QStringLiteral("stream"));
    }
    QCOMPARE(lanes.lane(*lanes.placed(lanes.beside(at, 1))).name, std::string("CUDA API, 2 launches"));
    QCOMPARE(lanes.name_of(lanes.lanes()[2]), QStringLiteral("stream 7, busy 19 %"));
    for (const PlacedLane& lane : lanes.lanes())
      if (lanes.lane(lane).kind == explain::Lane::Kind::kHost)
        QVERIFY2(!lanes.name_of(lane).contains(QStringLiteral("busy")), qPrintable(lanes.name_of(lane)));
    const PieceAt kernel = lanes.of_row(0)[2];
    QCOMPARE(lanes.gap_words(lanes.piece(kernel)), QStringLiteral("4.00 us before it went into launches"));
  }

  void every_piece_is_between_its_own_times() {
    CompareLanes lanes;
    lanes.set_comparison(document_.comparisons[0]);
    for (const PlacedLane& lane : lanes.lanes()) {
      const auto& pieces = lanes.lane(lane).pieces;
      for (size_t i = 0; i < pieces.size(); ++i) {
        const auto [first, last] = lanes.between(lane, pieces[i].start + 1, pieces[i].end - 1);
        QCOMPARE(first, i);
        QCOMPARE(last, i + 1);
      }
    }
  }

  void a_plan_is_told_to_the_recorder_and_to_people() {
    const ComparePlan plan{QStringLiteral("Model.train_step"), 3, 20, 5};
    QCOMPARE(words_of(plan).join(QLatin1Char(' ')),
             QStringLiteral("--compare Model.train_step:3 --compare-pairs 20 --compare-seconds 5"));
    const QString text = promise_of(plan, document_);
    QVERIFY(text.startsWith(QStringLiteral("Footlight runs train.py --epochs 6 again")));
    QVERIFY(text.contains(QStringLiteral("time number 3")));
    QVERIFY(text.contains(QStringLiteral("20 times")));
    QCOMPARE(calls_to_choose(document_, FunctionId(1)), qulonglong{24});
    QCOMPARE(calls_to_choose(document_, FunctionId(99)), qulonglong{1});
  }

  void effects_outside_are_listed() {
    Document d = compared_document();
    QVERIFY(effects_of(d, FunctionId(1)).isEmpty());
    session::ObservationRecord o;
    o.kind = session::ObservationKind::kSideEffect;
    o.function = FunctionId(1);
    o.path = "losses";
    o.file = session::FileId(1);
    o.line = 8;
    d.observations.push_back(o);
    d.observations.push_back(o);
    o.kind = session::ObservationKind::kRandomRead;
    d.observations.push_back(o);
    QCOMPARE(effects_of(d, FunctionId(1)), QStringList{QStringLiteral("changes losses (train.py:8)")});
    QVERIFY(effects_of(d, FunctionId(2)).isEmpty());
  }

  void facts_say_the_row() {
    const RowFacts facts = facts_of_row(document_, host(), host().rows[1]);
    QStringList lines;
    for (const CompareFact& f : facts.facts) lines << f.label + QStringLiteral(": ") + f.value;
    QVERIFY(lines.contains(QStringLiteral("Eager: 2 ops, 7.80 us")));
    QVERIFY(lines.contains(QStringLiteral("Traced: 1 kernel, 1.80 us")));
    QVERIFY(lines.contains(QStringLiteral("Saved: 6.00 us")));
    QVERIFY(lines.contains(QStringLiteral("Share: 25 % of 24.0 us")));
    QVERIFY(lines.contains(QString::fromUtf8("Bytes: 6.0 KB → 4.0 KB")));
    QVERIFY(lines.contains(QStringLiteral("Source: train.py:6")));
    QCOMPARE(facts.badge, QStringLiteral("fused"));
  }

  void what_is_simulated_or_unexplained_is_said() {
    QVERIFY(!title_of(host()).contains(QStringLiteral("simulated")));
    QVERIFY(title_of(device()).contains(QStringLiteral("GPU 0: rehearsal (simulated)")));
    QVERIFY(sentence_with_notes(device()).contains(QStringLiteral("7 % of the traced time is unexplained: 1.12 us")));
    QVERIFY(sentence_with_notes(device()).contains(QStringLiteral("prints; what")));
    QVERIFY(sentence_with_notes(host()).contains(QString::fromStdString(explain::worth_of(host()))));
    QVERIFY(!explain::worth_of(host()).empty());
    QVERIFY(!sentence_with_notes(host()).contains(QStringLiteral("unexplained")));
    explain::Comparison failed;
    failed.error = "with ValueError: no";
    QVERIFY(sentence_with_notes(failed).contains(QStringLiteral("ValueError: no")));
  }

  void exports_hold_what_is_shown() {
    CompareTable table;
    table.set_comparison(&document_, document_.comparisons[0]);
    const QStringList csv = csv_of(table).split(QStringLiteral("\r\n"));
    QCOMPARE(csv.size(), 9);  // head, five rows, two sums, the end
    QCOMPARE(csv[0], QStringLiteral("Line,Eager ops,Eager us,Graph nodes,Traced us,Difference us,Group,Why"));
    QCOMPARE(csv[2], QStringLiteral("6,\"Relu, Sum\",7.80,Relu,1.80,-6.00,fused,"
                                    "\"pass fuse_elementwise, one \"\"kernel\"\"\""));
    const QStringList lines = markdown_of(table).split(QLatin1Char('\n'));
    QCOMPARE(lines[1], QStringLiteral("|---:|---|---:|---|---:|---:|---|---|"));
    QCOMPARE(lines[2], QStringLiteral("| 6 | MatMul | 9.40 | MatMul | 9.10 | -0.30 | same |  |"));
  }
};

QTEST_GUILESS_MAIN(CompareModelTest)
#include "test_compare_model.moc"
