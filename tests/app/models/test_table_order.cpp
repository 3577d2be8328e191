// In which order the tables put their rows: numbers as numbers, whatever their cells say.
#include "tests/app/compare_fixture.h"

#include "app/models/compare_table.h"
#include "app/models/kernels_model.h"
#include "app/models/ops_model.h"
#include "app/models/trace_groups.h"
#include "app/models/traces_model.h"
#include "tests/session/records.h"

#include <QTest>

using namespace footlight;
using namespace footlight::app;

class TableOrderTest : public QObject {
  Q_OBJECT

  // By its heading, without unit and arrow.
  static int column(const QAbstractItemModel& table, const char* name) {
    for (int c = 0; c < table.columnCount(); ++c) {
      const QString heading = table.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
      if (heading.section(QLatin1Char(','), 0, 0).section(QChar(0x2191), 0, 0).section(QChar(0x2193), 0, 0).trimmed() ==
          QLatin1String(name))
        return c;
    }
    qFatal("There is no column %s", name);
  }
  static QString cells(const QAbstractItemModel& table, int column) {
    QStringList texts;
    for (int r = 0; r < table.rowCount(); ++r) texts << table.index(r, column).data().toString();
    return texts.join(QLatin1Char(' '));
  }
  // The first cells of the rows, sorted by a column.
  static QString sorted(QAbstractItemModel& table, const char* by, Qt::SortOrder order = Qt::AscendingOrder) {
    table.sort(column(table, by), order);
    return cells(table, 0);
  }
  static void is_sorted(QAbstractItemModel& table, const char* by, const char* up, const char* down) {
    QCOMPARE(sorted(table, by), QString::fromUtf8(up));
    QCOMPARE(sorted(table, by, Qt::DescendingOrder), QString::fromUtf8(down));
  }

  static Document traces() {
    Document d;
    d.add(session::FunctionRecord{FunctionId(1), "step", session::FileId(1), 2, 1, {"p"}});
    struct One {
      int number;
      const char *type, *value;
      size_t nodes;
      uint64_t calls;
      int64_t start, end;
    };
    for (const One& one : {One{1, "int", "10", 7, 2, 0, 5'000}, One{2, "int", "9", 3, 30, 0, 900},
                           One{3, "str", "'b'", 1, 4, 0, 12'000'000}, One{4, "float", "2.5", 12, 0, 100, 0},
                           One{5, "float", "0.03333333333333333", 5, 3, 0, 800},
                           One{10, "str", "'A'", 0, 1, 0, 700}}) {
      session::TraceRecord t =
          trace_of(TraceId(static_cast<uint32_t>(one.number)), FunctionId(1), one.number, one.start, one.end);
      t.key = {{"args[0]", "p", "literal", one.type, "", one.value}};
      if (one.nodes) {
        session::GraphRecord graph;
        graph.id = GraphId(t.id.value);
        graph.nodes.resize(one.nodes);
        t.graphs = {{"traced", graph.id}};
        d.add(graph);
      }
      d.add(t);
      query::CallSums sums;
      sums.calls = one.calls;
      d.set_calls(t.id, sums);
    }
    return d;
  }

 private Q_SLOTS:
  void traces_by_what_their_cells_stand_for() {
    const Document d = traces();
    TracesModel model;
    model.set_function(&d, FunctionId(1));
    SortedTraces rows(&model);
    is_sorted(rows, "Trace", "#1 #2 #3 #4 #5 #10", "#10 #5 #4 #3 #2 #1");
    // Texts come after numbers. A number of which the cell shows the first digits is one.
    QCOMPARE(model.index(4, column(model, "p")).data().toString(), QString::fromUtf8("0.0333…"));
    is_sorted(rows, "p", "#5 #4 #2 #1 #10 #3", "#3 #10 #1 #2 #4 #5");
    is_sorted(rows, "Nodes", "#3 #2 #5 #1 #4 #10", "#10 #4 #1 #5 #2 #3");
    is_sorted(rows, "Calls", "#4 #10 #1 #5 #3 #2", "#2 #3 #5 #1 #10 #4");
    is_sorted(rows, "Tracing", "#4 #10 #5 #2 #1 #3", "#3 #1 #2 #5 #10 #4");
    rows.set_filter(QStringLiteral("'A"));
    QCOMPARE(cells(rows, 0), QStringLiteral("#10"));
  }

  void groups_of_traces() {
    std::vector<TraceGroup> groups(3);
    groups[0].name = QStringLiteral("b"), groups[0].calls = 10, groups[0].trace_ns = 70'000;
    groups[1].name = QStringLiteral("A"), groups[1].calls = 9, groups[1].trace_ns = 500'000;
    groups[2].name = QStringLiteral("c"), groups[2].calls = 2, groups[2].trace_ns = 6'000;
    TraceGroupsModel model;
    model.set_groups(QStringLiteral("what"), QStringLiteral("values"), groups);
    SortedRows rows(&model);
    is_sorted(rows, "what", "A b c", "c b A");
    is_sorted(rows, "Calls", "c A b", "b A c");
    is_sorted(rows, "Tracing", "c b A", "A b c");
    QVERIFY(cells(model, column(model, "Calls")) == QStringLiteral("10 9 2"));
    for (int c = 0; c < model.columnCount(); ++c)
      QVERIFY(model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString() != QStringLiteral("Eager"));
    groups[2].eager = 1;  // a column that only some functions have
    model.set_groups(QStringLiteral("what"), QStringLiteral("values"), groups);
    is_sorted(rows, "Eager", "b A c", "c b A");
  }

  void ops() {
    RangeStatistics statistics;
    statistics.rows.resize(3);
    const char* const names[] = {"Relu", "matmul", "Add"};
    const char* const families[] = {"nn", "math", "Math"};
    for (size_t i = 0; i < 3; ++i) {
      OpStatistics& row = statistics.rows[i];
      row.key = i;
      row.name = QLatin1String(names[i]);
      row.family = families[i];
    }
    statistics.rows[0].total = 10, statistics.rows[1].total = 3'000, statistics.rows[2].total = 200;
    statistics.rows[0].p95 = 9, statistics.rows[1].p95 = 10, statistics.rows[2].p95 = 100;
    statistics.rows[0].flops = 100, statistics.rows[1].flops = 1'000, statistics.rows[2].flops = 900;
    for (OpStatistics& row : statistics.rows) row.computed = row.total;
    OpsModel model;
    QCOMPARE(column(model, "Total"), model.column("Total"));  // before it has rows
    model.set_statistics(statistics);
    QCOMPARE(cells(model, 0), QStringLiteral("matmul Add Relu"));  // the longest first, unless somebody sorts
    is_sorted(model, "Op", "Add matmul Relu", "Relu matmul Add");
    is_sorted(model, "Family", "Add matmul Relu", "Relu matmul Add");
    is_sorted(model, "Share", "Relu Add matmul", "matmul Add Relu");
    is_sorted(model, "P95", "Relu matmul Add", "Add matmul Relu");
    is_sorted(model, "GFLOP/s", "matmul Add Relu", "Relu Add matmul");
    const int count = column(model, "Count");
    for (const ushort arrow : {0x2193, 0x2191}) {
      model.sort_by(count);
      QVERIFY(model.headerData(count, Qt::Horizontal, Qt::DisplayRole).toString().endsWith(QChar(arrow)));
    }
    // What stands for a row goes with it.
    const QPersistentModelIndex add = model.index(model.row_of(2), 0);
    QCOMPARE(add.row(), 2);
    model.sort(column(model, "Op"), Qt::AscendingOrder);
    QCOMPARE(add.row(), 0);
    model.set_filter(QStringLiteral("MATH u"));
    QCOMPARE(cells(model, 0), QStringLiteral("matmul"));
  }

  void work_of_devices_before_the_calls_that_asked_for_it() {
    const auto sum = [](const char* kind, const char* name, int64_t total) {
      query::DeviceSum one;
      one.kind = kind, one.name = name, one.count = 1, one.total_ns = one.whole_ns = total;
      one.on_device = one.kind != "runtime";
      return one;
    };
    KernelsModel model;
    model.set({sum("kernel", "gemm", 300), sum("kernel", "Add", 100), sum("runtime", "launch", 5'000),
               sum("runtime", "free", 50)});
    QCOMPARE(cells(model, 0), QStringLiteral("gemm Add launch free"));
    is_sorted(model, "Total", "free Add gemm launch", "gemm Add launch free");
    is_sorted(model, "Share", "free launch Add gemm", "gemm Add launch free");
    is_sorted(model, "Mean", "free Add gemm launch", "launch gemm Add free");
    is_sorted(model, "Kernel or call", "Add free gemm launch", "launch gemm free Add");
    is_sorted(model, "Kind", "launch free gemm Add", "gemm Add launch free");
  }

  void rows_of_a_comparison() {
    const Document d = compared_document();
    CompareTable table;
    table.set_comparison(&d, d.comparisons[0]);
    const int rows = static_cast<int>(table.shown_rows());
    for (const char* name : {"Line", "Eager ops", "Graph nodes", "Difference us", "Group", "Why"}) {
      const int c = column(table, name);
      const bool is_number = table.headerData(c, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
      const auto compare = [&](int a, int b) {
        const QString x = table.index(a, c).data().toString(), y = table.index(b, c).data().toString();
        if (!is_number) return x.localeAwareCompare(y);
        return x.toDouble() < y.toDouble() ? -1 : x.toDouble() > y.toDouble();
      };
      table.sort(c, Qt::AscendingOrder);
      for (int r = 1; r < rows; ++r) QVERIFY2(compare(r - 1, r) <= 0, name);
      table.sort(c, Qt::DescendingOrder);
      for (int r = 1; r < rows; ++r) QVERIFY2(compare(r - 1, r) >= 0, name);
    }
  }
};

QTEST_GUILESS_MAIN(TableOrderTest)
#include "test_table_order.moc"
