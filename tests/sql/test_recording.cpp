// SQL over recordings, compared with a plain walk over the rows that were written; what statements may not do; limits.
#include "tests/query/random_session.h"

#include "engine/query/names.h"
#include "engine/query/op_totals.h"
#include "engine/sql/columns.h"
#include "engine/sql/ready_queries.h"
#include "engine/sql/recording.h"
#include "tests/session/records.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

using namespace footlight;
using sql::Value;

using Rows = std::vector<std::vector<Value>>;

class RecordingTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  const query::RandomSession all_{7, 20'000, 3};
  std::unique_ptr<session::Reader> reader_;
  std::unique_ptr<sql::Recording> recording_;

  Rows ask(std::string_view statement, const query::Cancel& cancel = {}) {
    Rows rows;
    recording_->run(statement,
                    {[](std::vector<std::string>) {},
                     [&](std::span<const Value> row) {
                       rows.emplace_back(row.begin(), row.end());
                       return true;
                     }},
                    cancel);
    return rows;
  }
  int64_t number(std::string_view statement) {
    const Rows rows = ask(statement);
    return rows.size() == 1 && rows[0][0].kind == Value::Kind::kInteger ? rows[0][0].integer : INT64_MIN;
  }
  // The message of a statement that is wrong, and where.
  std::pair<std::string, int> wrong(std::string_view statement) {
    try {
      ask(statement);
    } catch (const sql::StatementError& e) {
      return {e.message(), e.offset()};
    }
    return {"it ran", -2};
  }

 private Q_SLOTS:
  void initTestCase() {
    const std::string path = folder_.filePath(QStringLiteral("run.footlight")).toStdString();
    all_.write(path, 9, true);
    reader_ = session::Reader::open(path);
    recording_ = std::make_unique<sql::Recording>(*reader_);
  }

  void it_counts_and_adds_as_a_walk_does() {
    QCOMPARE(number("SELECT count(*) FROM ops"), static_cast<int64_t>(all_.ops.size()));
    QCOMPARE(number("SELECT count(*) FROM calls"), static_cast<int64_t>(all_.calls.size()));
    QCOMPARE(number("SELECT count(*) FROM device"), static_cast<int64_t>(all_.device.size()));
    std::map<std::string, std::pair<int64_t, int64_t>> expected;
    for (const auto& op : all_.ops) {
      auto& [count, ns] = expected["Op" + std::to_string(op.op)];
      ++count;
      ns += op.end - op.start;
    }
    const Rows rows = ask("SELECT op, count(*), sum(duration_ns) FROM ops GROUP BY op ORDER BY op");
    QCOMPARE(rows.size(), expected.size());
    for (const auto& row : rows) {
      QCOMPARE(row[1].integer, expected[row[0].text].first);
      QCOMPARE(row[2].integer, expected[row[0].text].second);
    }
  }

  // Times count from the first event, and a range of them skips chunks.
  void a_range_of_time() {
    const int64_t origin = reader_->first_time();
    const int64_t from = all_.ops[all_.ops.size() / 3].start - origin;
    const int64_t to = all_.ops[all_.ops.size() / 2].start - origin;
    const auto expected = std::count_if(all_.ops.begin(), all_.ops.end(), [&](const auto& op) {
      return op.start - origin >= from && op.start - origin <= to;
    });
    const std::string range = " FROM ops WHERE start_ns >= " + std::to_string(from) + " AND start_ns <= " +
                              std::to_string(to);
    QCOMPARE(number("SELECT count(*)" + range), static_cast<int64_t>(expected));
    QCOMPARE(number("SELECT count(*) FROM ops WHERE start_ns BETWEEN " + std::to_string(from) + " AND " +
                    std::to_string(to)), static_cast<int64_t>(expected));
    QCOMPARE(number("SELECT count(*) FROM ops WHERE +start_ns >= " + std::to_string(from) + " AND +start_ns <= " +
                    std::to_string(to)), static_cast<int64_t>(expected));
    QCOMPARE(number("SELECT count(*) FROM ops WHERE start_ns < 0.5"),
             number("SELECT count(*) FROM ops WHERE start_ns <= 0"));
  }

  // Joins find their rows by an index, and give what a walk gives.
  void joins() {
    std::map<uint64_t, uint32_t> function_of_call;
    for (const auto& call : all_.calls) function_of_call[call.id.value] = call.function.value;
    std::map<int64_t, int64_t> expected;
    for (const auto& op : all_.ops)
      if (const auto call = function_of_call.find(op.call.value); op.call.valid() && call != function_of_call.end())
        ++expected[call->second];
    const Rows rows = ask("SELECT calls.function_id, count(*) FROM ops JOIN calls USING (call_id) GROUP BY 1");
    QCOMPARE(rows.size(), expected.size());
    for (const auto& row : rows) QCOMPARE(row[1].integer, expected[row[0].integer]);
    // By a text, and by values of another type than the column's.
    QCOMPARE(number("SELECT count(*) FROM ops JOIN (VALUES ('Op1'), ('Op2'), ('Op3')) ON op = column1"),
             number("SELECT count(*) FROM ops WHERE op IN ('Op1', 'Op2', 'Op3')"));
    QCOMPARE(number("SELECT count(*) FROM calls JOIN (VALUES ('1'), ('2'), (3.0), (NULL)) ON function_id = column1"),
             number("SELECT count(*) FROM calls WHERE function_id IN (1, 2, 3)"));
    QCOMPARE(number("SELECT count(*) FROM calls WHERE function = 'F1' COLLATE NOCASE"),
             number("SELECT count(*) FROM calls WHERE function_id = 1"));
  }

  // Sums by op and by line agree with those of single ops.
  void totals() {
    QCOMPARE(number("SELECT count(*) FROM op_totals LEFT JOIN (SELECT op, count(*) AS n, sum(duration_ns) AS ns, "
                    "max(duration_ns) AS most FROM ops GROUP BY op) USING (op) "
                    "WHERE count IS NOT n OR total_ns IS NOT ns OR max_ns IS NOT most"), int64_t{0});
    QCOMPARE(number("SELECT count(*) FROM op_totals JOIN (SELECT op, median(duration_ns) AS m FROM ops GROUP BY op) "
                    "USING (op) WHERE abs(median_ns - m) >= 1"), int64_t{0});
    QCOMPARE(number("SELECT sum(count) FROM op_totals"), static_cast<int64_t>(all_.ops.size()));
    QCOMPARE(number("SELECT sum(count) FROM line_totals"), static_cast<int64_t>(all_.ops.size()));
    QCOMPARE(number("SELECT count(*) FROM line_totals LEFT JOIN (SELECT source, sum(duration_ns) AS ns FROM ops "
                    "GROUP BY source) USING (source) WHERE source IS NOT NULL AND total_ns IS NOT ns"), int64_t{0});
    const query::Cancel cancel;
    cancel.request();
    QVERIFY_THROWS_EXCEPTION(query::Cancelled, ask("SELECT * FROM op_totals", cancel));
  }

  // Nothing is damaged where a table has too many rows: the statement is what has to change.
  void too_many_rows_are_no_damage() {
    constexpr size_t kEvents = query::kMaxTotalRows + 1;
    const std::string path = folder_.filePath(QStringLiteral("many")).toStdString();
    {
      auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
      session::FileRecord file;
      file.id = session::FileId(1), file.path = "/many.py";
      w->add(file);
      session::CodeRecord code;
      code.id = CodeId(1), code.file = file.id, code.qualname = "f";
      for (uint32_t i = 0; i < kEvents; ++i) code.lines.push_back({i, i + 1});
      w->add(code);
      session::OpColumns columns;
      for (size_t i = 0; i < kEvents; ++i) {
        const int64_t start = 1000 + static_cast<int64_t>(i) * 10;
        OpEvent e = op_of(OpId(1), start, start + 4);
        e.set_source({code.id, static_cast<uint32_t>(i)});
        columns.append(0, i + 1, e);
      }
      w->add_rows(columns);
      w->finish({0, 0, 0, "finished"});
    }
    const auto reader = session::Reader::open(path);
    sql::Recording recording(*reader);
    try {
      recording.run("SELECT * FROM line_totals", {[](std::vector<std::string>) {},
                                                  [](std::span<const Value>) { return true; }}, {});
      QFAIL("it ran");
    } catch (const sql::StatementError& e) {
      QCOMPARE(e.message(), std::string("This table would have more than 200000 rows; group the table ops instead."));
    }
  }

  // Titles and counts of functions are those of a walk over the sources and traces.
  void functions_have_the_text_of_their_def() {
    const std::string path = folder_.filePath(QStringLiteral("defs")).toStdString();
    {
      auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
      session::FileRecord file;
      file.id = session::FileId(1), file.path = "/defs.py";
      for (int i = 1; i <= 50; ++i)
        file.text += "f" + std::to_string(i) + " = lambda x: x + " + std::to_string(i) + "\n";
      w->add(file);
      for (const int line : {40, 3, 50, 17, 3, 60, 0}) {
        static uint32_t id = 0;
        session::FunctionRecord f;
        f.id = FunctionId(++id), f.name = "<lambda>", f.file = file.id, f.line = line;
        w->add(f);
        for (uint32_t t = 0; t < id % 3; ++t) {
          w->add(trace_of(TraceId(id * 10 + t), f.id, 0));
        }
      }
      w->finish({0, 0, 0, "finished"});
    }
    const auto reader = session::Reader::open(path);
    sql::Recording recording(*reader);
    std::vector<std::string> titles;
    std::vector<int64_t> traces;
    recording.run("SELECT title, traces, line FROM functions ORDER BY function_id",
        {[](std::vector<std::string>) {}, [&](std::span<const Value> v) {
           titles.emplace_back(v[0].text);
           traces.push_back(v[1].integer);
           const bool known = v[2].integer > 0 && v[2].integer <= 50;
           const bool says = titles.back().find("x + " + std::to_string(v[2].integer)) != std::string::npos;
           return known == says;
         }}, {});
    QCOMPARE(titles.size(), size_t{7});
    QCOMPARE(traces, (std::vector<int64_t>{1, 2, 0, 1, 2, 0, 1}));
  }

  void every_table_can_be_read() {
    QCOMPARE(recording_->tables().size(), sql::table_descriptions().size());
    std::set<std::string> names;
    for (const sql::TableDescription& table : sql::table_descriptions()) {
      QVERIFY(names.insert(table.name).second);
      QVERIFY(!table.meaning.empty());
      for (const sql::Column& c : table.columns) QVERIFY2(!c.meaning.empty(), (table.name + '.' + c.name).c_str());
      ask("SELECT * FROM " + table.name);
      QCOMPARE(number("SELECT count(*) FROM columns WHERE table_name = '" + table.name + "'"),
               static_cast<int64_t>(table.columns.size()));
    }
  }

  void the_ready_queries_run() {
    QVERIFY(sql::ready_queries().size() >= 10);
    for (const sql::ReadyQuery& query : sql::ready_queries()) {
      QCOMPARE(sql::ready_query(query.name), &query);
      ask(query.statement);
    }
    QVERIFY(!ask(sql::ready_query("functions")->statement).empty());
    QVERIFY(!ask(sql::ready_query("slowest-nodes")->statement).empty());
  }

  void medians() {
    const Rows row = ask("SELECT median(column1), percentile(column1, 25), percentile(column1, 100) FROM "
                         "(VALUES (4), (1), (NULL), (3), (2), (10))");
    QCOMPARE(row[0][0].real, 3.0);
    QCOMPARE(row[0][1].real, 2.0);
    QCOMPARE(row[0][2].real, 10.0);
    QCOMPARE(ask("SELECT median(duration_ns) FROM ops WHERE op = 'nothing'")[0][0].kind, Value::Kind::kNull);
    QVERIFY(wrong("SELECT percentile(1, 101)").first.find("from 0 to 100") != std::string::npos);
  }

  // Nothing but reading the recording.
  void what_is_refused() {
    const std::string other = folder_.filePath(QStringLiteral("other.db")).toStdString();
    for (const std::string& statement :
         {std::string("CREATE TABLE t (x)"), std::string("DELETE FROM ops"), std::string("UPDATE ops SET op = 1"),
          std::string("INSERT INTO calls VALUES (1)"), "ATTACH '" + other + "' AS other", "VACUUM INTO '" + other + "'",
          std::string("PRAGMA writable_schema = 1"), std::string("SELECT load_extension('x')"), std::string("BEGIN"),
          std::string("DROP TABLE ops"), std::string("SELECT * FROM pragma_database_list"),
          std::string("CREATE TEMP TABLE t AS SELECT * FROM ops")}) {
      const auto [message, offset] = wrong(statement);
      QVERIFY2(message != "it ran", statement.c_str());
    }
    QVERIFY(!QFile::exists(folder_.filePath(QStringLiteral("other.db"))));
    QVERIFY(wrong("DELETE FROM ops").first.find("SELECT") != std::string::npos);
    QCOMPARE(wrong("SELECT 1; SELECT 2").first, std::string("Only one statement runs at a time: end it where the first "
                                                             "one ends."));
    QCOMPARE(ask("SELECT 1; -- and no more").size(), size_t{1});
    QCOMPARE(wrong("  ").first, std::string("Write a SELECT statement."));
  }

  // An error names its place, and what was probably meant.
  void errors() {
    auto [message, offset] = wrong("SELECT functoin FROM calls");
    QCOMPARE(message, std::string("There is no column functoin; did you mean function?"));
    QCOMPARE(offset, 7);
    std::tie(message, offset) = wrong("SELECT * FROM cals");
    QCOMPARE(message, std::string("There is no table cals; did you mean calls?"));
    std::tie(message, offset) = wrong("SELECT FROM calls");
    QCOMPARE(offset, 7);
    QVERIFY2(message.find("FROM") != std::string::npos, message.c_str());
  }

  void a_statement_is_cancelled() {
    const query::Cancel cancel;
    std::atomic<bool> ended = false;
    std::thread other([&] {
      try {
        ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", cancel);
      } catch (const query::Cancelled&) {
        ended = true;
      }
    });
    cancel.request();
    other.join();
    QVERIFY(ended);
  }

  // Rows stop when no more are wanted; what sorts, groups or indexes without end is stopped.
  void limits() {
    int taken = 0;
    recording_->run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
                    {[](std::vector<std::string>) {}, [&](std::span<const Value>) { return ++taken < 10; }});
    QCOMPARE(taken, 10);
    sql::Recording small(*reader_, {.memory = 4 << 20, .text = 1 << 20});
    const auto fails = [&](const char* statement) {
      try {
        small.run(statement, {[](std::vector<std::string>) {}, [](std::span<const Value>) { return true; }});
      } catch (const sql::StatementError& e) {
        return e.message();
      }
      return std::string("it ran");
    };
    for (const char* statement :
         {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY i DESC",
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT median(i) FROM n"}) {
      const std::string message = fails(statement);
      QVERIFY2(message.find("memory") != std::string::npos, message.c_str());
    }
    QVERIFY(fails("SELECT zeroblob(100000000)").find("larger") != std::string::npos);
    std::vector<int> list;
    for (int i = 0; i < 3; ++i) sql::add_row(list, i, 3);
    QVERIFY_THROWS_EXCEPTION(Error, sql::add_row(list, 3, 3));
    QCOMPARE(list.size(), size_t{3});
  }

  // A lambda is its text, as the window shows it; where that is not known, its place.
  void titles_of_functions() {
    session::FunctionRecord f;
    const auto title = [&](const char* name, const char* line) {
      f.name = name;
      return query::function_title(f, line, "train.py:14");
    };
    QCOMPARE(title("Model.step", "  lambda x: 1"), std::string("Model.step"));
    QCOMPARE(title("Dataset_map_scale", "data = data.map(scale)"), std::string("Dataset_map_scale"));
    QCOMPARE(title("Dataset_map_lambda", "data = data.map(lambda x, y: (x / 255., y)).batch(8)"),
             std::string("lambda x, y: (x / 255., y)"));
    QCOMPARE(title("f.<locals>.<lambda>", "g = tf.function(lambda a: a + ')')  # doubled"),
             std::string("lambda a: a + ')'"));
    QCOMPARE(title("<lambda>", "both = (lambda: 1), (lambda: 2)"), std::string("lambda at train.py:14"));
    QVERIFY(title("<lambda>", ("lambda x: " + std::string(80, 'x')).c_str()).ends_with(" …"));
    QCOMPARE(ask("SELECT title FROM functions").size(), size_t(number("SELECT count(*) FROM functions")));
  }

  // Numbers of a damaged file do not overflow.
  void times_that_cannot_be() {
    const std::string path = folder_.filePath(QStringLiteral("times.footlight")).toStdString();
    {
      auto writer = session::Writer::create(path, {}, RecordingLevel::kOps);
      all_.write_records(*writer);
      session::CallRecord call = all_.calls.front();
      call.start_ns = INT64_MIN + 1, call.end_ns = INT64_MAX;
      writer->add_rows(std::vector<session::CallRecord>{call});
      writer->finish({1, 0, 0, "finished"});
    }
    const auto reader = session::Reader::open(path);
    sql::Recording odd(*reader);
    int rows = 0;
    odd.run("SELECT start_ns, duration_ns FROM calls WHERE start_ns IS NULL OR start_ns < 5",
            {[](std::vector<std::string>) {}, [&](std::span<const Value>) { return ++rows < 100; }});
    QCOMPARE(rows, 1);
  }

  // A log that is still written gives what is there, and more when it is refreshed.
  void a_recording_that_grows() {
    const std::string path = folder_.filePath(QStringLiteral("grows.footlight")).toStdString();
    auto writer = session::Writer::create(path, {}, RecordingLevel::kOps);
    all_.write_records(*writer);
    all_.write_rows(*writer, 0, 0.5);
    writer->flush();
    const auto reader = session::Reader::open(path);
    sql::Recording live(*reader);
    const auto count = [&] {
      int64_t rows = 0;
      live.run("SELECT count(*) FROM ops", {[](std::vector<std::string>) {}, [&](std::span<const Value> row) {
                                              rows = row[0].integer;
                                              return true;
                                            }});
      return rows;
    };
    QCOMPARE(count(), static_cast<int64_t>(all_.ops.size() / 2));
    all_.write_rows(*writer, 0.5, 1);
    writer->flush();
    reader->refresh();
    QCOMPARE(count(), static_cast<int64_t>(all_.ops.size()));
    writer->close();
  }
};

QTEST_GUILESS_MAIN(RecordingTest)
#include "test_recording.moc"
