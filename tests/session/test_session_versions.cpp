// Sessions of every version, including one that does not exist yet: what is known is read; what is not is left
// out, and a message says so.
#include "engine/session/chunk_codec.h"
#include "engine/session/database.h"
#include "engine/session/log.h"
#include "engine/session/reader.h"
#include "engine/session/rows.h"
#include "engine/session/writer.h"
#include "tests/session/records.h"
#include "tests/session/sample_session.h"
#include "tests/source_path.h"

#include <QtTest>

#include <fcntl.h>

using namespace footlight;
using namespace footlight::session;

namespace {

// What version 4 might add to calls: a numeric column and a text column.
struct FutureCall : CallRecord {
  uint64_t joules = 0;
  std::string mood;

  static void describe(auto& f) {
    using R = FutureCall;
    f.column("mood", &R::mood, "");
    f.column("start_ns", &R::start_ns, "");
    f.duration("duration_ns", &R::end_ns, &R::start_ns, "");
    f.column("id", &R::id, "");
    f.column("joules", &R::joules, "");
    f.column("outcome", &R::outcome, "");
    f.column("function", &R::function, "");
  }
};
}  // namespace

template <>
struct footlight::session::RowsOf<std::vector<FutureCall>> { using type = FutureCall; };

namespace {

std::string future_chunk() {
  std::vector<FutureCall> calls(3);
  for (uint32_t i = 0; i < 3; ++i) {
    calls[i].id = CallId(i);
    calls[i].function = FunctionId(0);
    calls[i].start_ns = 100 * i;
    calls[i].end_ns = 100 * i + 7;
    calls[i].joules = 5;
    calls[i].mood = "good";
    calls[i].outcome = i == 2 ? CallOutcome(77) : CallOutcome::kTrace;
  }
  return encode_columns_of(static_cast<uint8_t>(chunk_kind<std::vector<CallRecord>>() + 1), calls, InSession());
}

// Today's layout with additions: a column before another, a table, an enumeration value, columns of chunks.
std::string future_layout() {
  std::string text = layout_text();
  const auto after = [&](const std::string& what, const std::string& more) {
    const size_t at = text.find(what);
    QVERIFY(at != std::string::npos);
    text.insert(at + what.size(), more);
  };
  after("table function\n", " colour\n");
  after("get_concrete_function|variable creation|evicted|relaxed", "|whim");
  after("chunk call_chunk\n", " mood\n joules\n");
  text = "remark: lines that are not known are passed over\n" + text;
  text += "table weather\n time_ns\n temperature\n";
  return text;
}

void frame(std::string& log, ByteWriter& payload) { append_frame(log, payload.bytes()); }

std::string future_log() {
  std::string log(kHeaderSize, '\0');
  const uint32_t version = 4, readable = 3;
  std::copy(kLogMagic.begin(), kLogMagic.end(), log.begin());
  std::memcpy(log.data() + kVersionAt, &version, 4);
  std::memcpy(log.data() + 20, &kHeaderSize, 4);
  std::memcpy(log.data() + kReadableAt, &readable, 4);
  const std::string layout = future_layout();
  ByteWriter say;
  say.u32(0);
  say.text(layout);
  frame(log, say);

  const Layout parsed = parse_layout(layout);
  // Rows refer to tables by index among the tables, not counting the columns of chunks.
  std::vector<Layout::Table> tables = parsed.tables;
  std::erase_if(tables, [](const Layout::Table& t) { return t.chunk; });
  const auto table = [&](const std::string& name) {
    size_t at = 0;
    while (tables[at].name != name) ++at;
    return at;
  };
  ByteWriter out;
  out.u32(layout_number(layout));
  RowEncoder rows(out, InSession());
  // A function, with the new column first: colour, id, name, then nothing.
  rows.begin(table("function"));
  rows.text("red");
  rows.integer(0);
  rows.text("f");
  for (size_t i = 3; i < tables[table("function")].columns.size(); ++i) rows.null();
  rows.begin(table("weather"));
  rows.integer(12);
  out.u8(uint8_t(Value::Type::kReal));
  out.u64(std::bit_cast<uint64_t>(21.5));
  // A trace with an unknown reason.
  rows.begin(table("trace"));
  for (const Layout::Column& c : tables[table("trace")].columns) {
    if (c.name == "id") rows.integer(5);
    else if (c.name == "reason") rows.integer(9);
    else if (c.name == "why") rows.text("it felt like it");
    else rows.null();
  }
  encode_chunk_row(out, chunk_kind<std::vector<CallRecord>>(), {0, 207, 3, 0}, future_chunk());
  frame(log, out);
  return log;
}

void write(const QString& path, const std::string& bytes) {
  QFile f(path);
  QVERIFY(f.open(QIODevice::WriteOnly | QIODevice::Truncate));
  QCOMPARE(f.write(bytes.data(), static_cast<qint64>(bytes.size())), static_cast<qint64>(bytes.size()));
}

void check_future(const Reader& r) {
  QCOMPARE(r.version(), 4);
  QCOMPARE(r.damage(), std::string());
  const std::string left_out = r.left_out();
  for (const char* what : {"a newer Footlight wrote this; left out: ", "column function.colour", "table weather",
                           "column call_chunk.mood", "column call_chunk.joules", "1 values of column trace.reason"})
    QVERIFY2(left_out.find(what) != std::string::npos, (std::string(what) + " in: " + left_out).c_str());
  QCOMPARE(left_out.find("colour"), left_out.rfind("colour"));  // said once
  QCOMPARE(r.contents().functions.size(), 1u);
  QCOMPARE(r.contents().functions[0].name, std::string("f"));
  const TraceRecord* trace = r.trace(TraceId(5));
  QVERIFY(trace);
  QCOMPARE(static_cast<int>(trace->reason), 9);
  QCOMPARE(trace->why, std::string("it felt like it"));
  QVERIFY(!trace->function.valid());
  const auto calls = r.all_calls();
  QCOMPARE(calls.size(), 3u);
  QVERIFY(calls[1].id == CallId(1) && calls[1].start_ns == 100 && calls[1].end_ns == 107);
  QCOMPARE(calls[1].outcome, CallOutcome::kTrace);
  QCOMPARE(static_cast<int>(calls[2].outcome), 77);
  QVERIFY(!calls[2].trace.valid());  // not in the chunk: the default
}

}  // namespace

class TestSessionVersions : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString at(const char* name) { return folder_.filePath(name); }

 private Q_SLOTS:
  void a_log_of_version_4_opens() {
    write(at("future"), future_log());
    check_future(*Reader::open(at("future").toStdString()));
    // Recovered by this version of Footlight, it has this version, and says what was dropped.
    finish_log(at("future").toStdString(), at("recovered").toStdString());
    auto r = Reader::open(at("recovered").toStdString());
    QCOMPARE(r->version(), kVersion);
    QCOMPARE(r->left_out(), std::string());
    QCOMPARE(r->all_calls().size(), 3u);
    QCOMPARE(r->contents().dropped.size(), 1u);
    QVERIFY(r->contents().dropped[0].why.find("table weather") != std::string::npos);
  }

  void a_file_of_version_4_opens() {
    auto writer = Writer::create(at("future.footlight").toStdString(), {}, RecordingLevel::kOps);
    writer->add(FunctionRecord{FunctionId(0), "f", FileId(), 1, 1, {}});
    writer->finish({});
    {
      Database db = Database::create(at("future.footlight").toStdString());
      db.run("PRAGMA user_version=4; ALTER TABLE function ADD COLUMN colour; UPDATE function SET colour='red';"
             "CREATE TABLE weather(time_ns, temperature); INSERT INTO weather VALUES(12, 21.5);"
             "INSERT INTO trace(id, reason, why) VALUES(5, 9, 'it felt like it')");
      Statement insert = db.prepare("INSERT INTO call_chunk(first_ns,last_ns,count,data) VALUES(0,207,3,?)");
      const std::string data = future_chunk(), layout = future_layout();
      insert.bind(1, Value{Value::Type::kBlob, 0, data});
      insert.step();
      Statement say = db.prepare("UPDATE meta SET value=? WHERE key='layout'");
      say.bind(1, Value{Value::Type::kText, 0, layout});
      say.step();
    }
    check_future(*Reader::open(at("future.footlight").toStdString()));
  }

  // Files of version 3: from a run that ended, one that closed its log, and one that was killed while writing.
  void opens_version_3() {
    const QString data = test::source_path("tests/session/recordings");
    for (const char* name : {"/version3.footlight", "/version3_log.footlight", "/version3_killed.footlight"}) {
      auto reader = Reader::open((data + name).toStdString());
      QCOMPARE(reader->version(), 3);
      QCOMPARE(reader->left_out(), std::string());
      QCOMPARE(reader->state(), std::string_view(name).ends_with("3.footlight") ? State::kFinished : State::kKilled);
      QCOMPARE(reader->contents().traces.size(), 13u);
      const TraceRecord* trace = reader->trace(TraceId(2));
      QVERIFY(trace && reader->graph(trace->graph()));
      QCOMPARE(trace->phase_ns("python"), 2'900'000);
      QCOMPARE(reader->op_events().rows(), 4500u);
      QCOMPARE(reader->spans().rows(), 1u);
      QCOMPARE(reader->counters().rows(), 2u);
      QCOMPARE(reader->contents().processes.at(0).engine, std::string("footlight"));
      const auto events = reader->op_events().chunk(0);
      size_t in_graphs = 0;
      for (size_t i = 0; i < events->size(); ++i) {
        if (!events->node[i].valid()) continue;
        ++in_graphs;
        const GraphRecord* graph = reader->graph(events->graph[i]);
        QVERIFY(graph && events->node[i].value < graph->nodes.size());
        QCOMPARE(graph->nodes[events->node[i].value].op, reader->op_name(events->op[i])->name);
      }
      QVERIFY(in_graphs > 0);
    }
  }

  // A column is one line in its record: everything else follows from it.
  void the_page_names_every_column() {
    const std::string page = schema_page();
    for (const TableSchema& table : schema().tables)
      for (const Column& column : table.columns)
        if (!column.until && &table - schema().tables.data() < static_cast<ptrdiff_t>(schema().first_chunk_table))
          QVERIFY2(page.find(column.name) != std::string::npos, column.name.c_str());
    QVERIFY(page.find("\ntrace_phase (3): What the time of a trace went into.") != std::string::npos);
    QVERIFY(page.find("0 hit, 1 trace, 2 eager, 3 failed, 4 dispatch miss, 5 compile") != std::string::npos);
  }

  // Two processes use the same counters, but their ids do not collide.
  void ids_of_two_writers_do_not_collide() {
    const std::string path = at("two.footlight").toStdString();
    auto first = Writer::create(path, {}, RecordingLevel::kOps);
    auto second = Writer::attach(path);
    WriterOptions same;
    same.process = first->process();
    auto beside_first = Writer::attach(path, same);
    QCOMPARE(first->process(), ProcessId(0));
    QCOMPARE(second->process(), ProcessId(1));
    QCOMPARE(beside_first->process(), ProcessId(0));
    const auto write = [](Writer& w, const std::string& name) {
      ProcessRecord process;
      process.engine = name;
      w.add(process);
      const FileId file = w.file("/" + name + ".py", "text of " + name);
      w.add(FunctionRecord{FunctionId(0), name, file, 1, 1, {"of " + name}});
      TraceRecord t = trace_of(TraceId(0), FunctionId(0), 0, GraphId(0));
      t.call_key = KeyId(0);
      w.add(t);
      w.add(KeyRecord{KeyId(0), FunctionId(0), {1, 2, ~uint64_t{0}}, {{7, name}}});
      GraphRecord g;
      g.id = GraphId(0);
      g.name = name;
      NodeRecord node;
      node.name = "node of " + name;
      g.nodes = {node};
      w.add(g);
      w.add(SignatureRecord{SignatureId(0), OpId(3), name, "", 0, 0, 0});
      w.add(OpNameRecord{OpId(3), "op of " + name, ""});
      w.add(ThreadRecord{ThreadId(0), 1, name});
      w.add(CallRecord{CallId(0), FunctionId(0), TraceId(0), CallOutcome::kTrace, ThreadId(0), 1, 9, {}, CallId(5),
                       KeyId(0)});
      OpEvent e = op_of(OpId(3), 2, 3, CallId(0));
      e.set_node(GraphId(0), NodeId(0));
      e.signature = SignatureId(0);
      OpColumns ops;
      ops.append(0, ThreadRings::op_event_id(0, 0), e);
      w.add_rows(ops);
      DeviceRecord d = device_work("kernel", "", 0, 0, ThreadRings::op_event_id(0, 0));
      d.call = CallId(0);
      w.add(d);
    };
    write(*first, "one");
    write(*second, "two");
    second->close();
    beside_first->add(ConsoleRecord{5, ConsoleStream::kStdout, "hello\n"});
    beside_first->close();
    const auto check = [](const Reader& r) {
      const Contents& c = r.contents();
      QCOMPARE(c.processes.size(), 2u);
      QCOMPARE(c.functions.size(), 2u);
      QCOMPARE(c.traces.size(), 2u);
      QCOMPARE(c.graphs.size(), 2u);
      QCOMPARE(c.files.size(), 2u);
      QCOMPARE(c.threads.size(), 2u);
      QCOMPARE(c.keys.size(), 2u);
      QCOMPARE(c.console.at(0).process, ProcessId(0));
      const auto calls = r.all_calls();
      QCOMPARE(calls.size(), 2u);
      QVERIFY(calls[0].id != calls[1].id && calls[0].parent != calls[1].parent);
      std::map<uint64_t, CallId> call_of_event;
      for (size_t n = 0; n < r.op_events().index().size(); ++n) {
        const auto events = r.op_events().chunk(n);
        for (size_t i = 0; i < events->size(); ++i) {
          call_of_event[events->id[i]] = events->call[i];
          const GraphRecord* graph = r.graph(events->graph[i]);
          const auto call = std::find_if(calls.begin(), calls.end(), [&](auto& x) { return x.id == events->call[i]; });
          QVERIFY(graph && call != calls.end());
          const FunctionRecord* function = r.function(call->function);
          QVERIFY(function && graph->name == function->name);
          QCOMPARE(function->parameters.at(0), "of " + function->name);
          QCOMPARE(r.file(function->file)->text, "text of " + function->name);
          QCOMPARE(r.trace(call->trace)->graph(), graph->id);
          QCOMPARE(graph->nodes.at(0).name, "node of " + function->name);
          QCOMPARE(r.key(call->key)->names.at(0).name, function->name);
          QCOMPARE(r.key(call->key)->words, (std::vector<uint64_t>{1, 2, ~uint64_t{0}}));
          QCOMPARE(r.trace(call->trace)->call_key, call->key);
          QCOMPARE(r.op_name(events->op[i])->name, "op of " + function->name);
          QCOMPARE(r.signature(events->signature[i])->inputs, function->name);
          QCOMPARE(r.process(function->process)->engine, function->name);
          QVERIFY(call->thread == events->thread[i]);
        }
      }
      QCOMPARE(call_of_event.size(), 2u);
      for (const DeviceRecord& d : r.all_device_events()) QVERIFY(call_of_event.at(d.op_event) == d.call);
    };
    first->flush();
    check(*Reader::open(path));
    QVERIFY(first->finish({}).one_file);
    check(*Reader::open(path));
  }

  void a_session_has_room_for_so_many_processes() {
    const std::string path = at("many.footlight").toStdString();
    auto first = Writer::create(path, {}, RecordingLevel::kOps);
    for (uint32_t i = 1; i < kMaxProcesses; ++i) QCOMPARE(Writer::attach(path)->process(), ProcessId(i));
    QVERIFY_EXCEPTION_THROWN(Writer::attach(path), Error);
  }
};

QTEST_GUILESS_MAIN(TestSessionVersions)
#include "test_session_versions.moc"
