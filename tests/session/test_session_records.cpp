// Every kind of record is written and read back equal, from the log and from the finished file.
#include "engine/base/errors.h"
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

#include <cmath>
#include <limits>

using namespace footlight;
using namespace footlight::session;

namespace {

// Two records are equal when their rows are.
template <class Record>
std::string rows_of(Record record) {
  ByteWriter out;
  encode(out, InSession(), record);
  return out.bytes();
}

RunRecord run() {
  return {"/home/ada/a b.py",        {"--epochs", "", "x\ny"}, "/home/ada",
          "3.11.2 /usr/bin/python3", "footlight 0.1",          "a machine",
          1234567890123456789};
}
FileRecord file() { return {FileId(7), "/home/ada/ü.py", std::string("line 1\n\0line 2\xff", 16)}; }
CodeRecord code() { return {CodeId(3), FileId(7), "C.f.<locals>.g", 10, {{0, 10}, {12, 11}, {40, 15}}}; }
FunctionRecord function() {
  return {FunctionId(5), "C.f", FileId(7), 11, 10, {"self", "x", "lr"}, "tf.function", "reduce_retracing=True",
          FunctionId(1), LocationId(2), ProcessId(0)};
}
ProcessRecord process() {
  return {ProcessId(0), 3, 8, "lovelace", 4711, -5, 2, "jax", "0.10", "footlight-jax 1", {"pjit._cpp_pjit"}};
}
LocationRecord location() { return {LocationId(2), LocationId(1), FileId(7), 12, 3, 9, "C.f", {CodeId(3), 4}}; }
KeyRecord key() { return {KeyId(6), FunctionId(5), {0, ~uint64_t{0}, 77}, {{77, "<Model object>"}}}; }
TrackRecord track() {
  return {TrackId(4), ProcessId(0), TrackId(3), "thread", "loader", ThreadId(2), DeviceNumber(1),
          {CodeId(3), 12}};
}
SpanRecord span(uint64_t n) {
  SpanRecord s{TrackId(4), int64_t(100 * n), int64_t(100 * n + 40),
               "step",     "train",          "{\"n\": " + std::to_string(n) + "}"};
  s.location = LocationId(2);
  s.flow_in = n, s.flow_out = n + 1;
  s.id = SpanId(n);
  s.link = n ? SpanId(n - 1) : SpanId();
  return s;
}
CounterRecord counter(uint64_t n) { return {TrackId(5), int64_t(50 + n), 0.5 * double(n) - 3}; }
TraceRecord trace_with_all() {
  TraceRecord t;
  t.id = TraceId(9);
  t.function = FunctionId(5);
  t.graphs = {{"traced", GraphId(4)}, {"optimised", GraphId(5)}};
  t.number = 3;
  t.reason = TraceReason::kEvicted;
  t.start_ns = 1000, t.end_ns = 2000;
  t.phases = {{"python", "trace", -1, 1000, 1500, ThreadId(2)}, {"autograph", "trace", 0, 1001, 1002, ThreadId(2)}};
  t.signature = "f32[None,8] 'x'";
  t.key = {{"args[0]", "x", "tensor", "float32", "None,8", ""}, {"args[1]['lr']", "lr", "literal", "float", "", "0.1"}};
  t.nearest = TraceId(2);
  t.differing = {"args[0].shape[0]", "args[1]['lr']"};
  t.why = "shape of x and value of lr";
  t.captures = {"w1 float32 (8, 16) variable"};
  t.source = {CodeId(3), 12};
  t.error = "ValueError: no";
  t.kind = TraceKind::kLower;
  t.attempt = 2;
  t.native_id = "0/1_2";
  t.call_key = KeyId(6);
  t.location = LocationId(2);
  t.key.push_back({"L['x']", "", "tensor", "", "", "", KeySide::kAsked, KeyRole::kGuard, "___check_tensors(x)"});
  t.artifacts = {{"output_code", "python", pack(std::string(5000, 'x') + "y")}, {"empty", "text", pack("")}};
  t.misses = {{TraceId(2), "args[0].shape[0]", "32", "16", "the tensor has another size"}};
  return t;
}
GraphRecord graph() {
  GraphRecord g;
  g.id = GraphId(4);
  g.name = "__inference_f_4";
  NodeRecord a{0, "x", "Placeholder", "io", {}, {}, {"float32 (None, 8)"}, "dtype=float32", {}, "", {CodeId(3), 0}};
  NodeRecord b{1,
               "cond",
               "If",
               "control",
               {{0, 0}, {0, 3}},
               {0},
               {"float32 ()", "bool ()"},
               "",
               {{"then_branch", GraphId(8)}, {"else_branch", GraphId()}},
               "0.5",
               {}};
  NodeRecord c;
  c.id = 2;
  c.op = "NoOp";
  c.location = LocationId(2);
  c.origins = {{GraphId(1), NodeId(7)}, {GraphId(2), NodeId()}};
  g.nodes = {a, b, c};
  g.inputs = {0};
  g.outputs = {{1, 1}, {1, 0}};
  return g;
}
ObservationRecord observation() {
  return {ObservationKind::kStateChanged, FunctionId(5), TraceId(9), 44, "global RATE", FileId(7), 12, 3, "a note",
          {{"change", FileId(7), 20}}, {"0.5", "0.25"}, 5000, ObservationId(0)};
}
ComparisonRecord comparison() {
  ComparisonRecord c{FunctionId(5), TraceId(9), 3, {CodeId(3), 8}, true, "all pairs were run", "eagerly: no"};
  ComparisonRun eager{0, false, true, true, 100, 900, 2};
  eager.marks = {{100, Activity::kDispatch},
                 {110, Activity::kKernel, OpId(4), {CodeId(3), 12}, {}, {}, SignatureId(6)}};
  ComparisonRun traced{0, true, true, true, 1000, 1100};
  traced.marks = {{1010, Activity::kKernel, OpId(4), {}, GraphId(3), NodeId(1)}};
  c.runs = {eager, traced, {1, false, false, false, 1200, 1300}};
  c.changes = {{GraphId(3), NodeId(2), "prune", Fate::kNothing, NodeId()},
               {GraphId(3), NodeId(1), "fold_constants", Fate::kConstant, NodeId(3)}};
  c.notes = {"prints", ""};
  c.start_ns = 50, c.end_ns = 1200;
  c.id = ComparisonId(0);
  return c;
}
CallValues call_values() {
  CallValues v{FunctionId(5), TraceId(9), 12, {CodeId(3), 8}, ValuesReason::kFirstNan, true, "", 70, 90};
  TensorValue log;
  log.graph = GraphId(3), log.node = NodeId(1), log.output = 1;
  log.order = 4, log.at = 9, log.first_nan = 0, log.first_infinity = 9, log.runs = 3, log.run = 2;
  log.input_infinity = true;
  log.dtype = "float32", log.shape = "(2, 3)", log.elements = 6, log.negative_infinity = 2, log.zeros = 1;
  log.minimum = -1e-300, log.maximum = 1.5, log.mean = std::numeric_limits<double>::infinity();
  log.bins = {3, 0, uint64_t{1} << 40};
  log.width = 4, log.data.bytes = std::string("\0\1\2\3", 4);
  log.places = {{0, "-Inf", "0"}, {5, "-Inf", ""}};
  TensorValue none;  // no figures: all are NaN
  none.graph = GraphId(3), none.node = NodeId(2);
  v.values = {log, none};
  v.notes = {"a note"};
  v.id = ValuesId(0);
  return v;
}
CheckedCall checked_call() { return {FunctionId(5), TraceId(9), 12, 5, 2, 1, -0.25, 71}; }
GeneratedRecord generated() {
  GeneratedRecord g{FunctionId(5),
                    CodeId(3),
                    "f",
                    FileId(7),
                    "def tf__f(x):\n    pass\n",
                    {10, 0, 12},
                    {{12, 14, "if", "staged", "became cond"}, {15, 15, "while", "fallback", "why"}},
                    GeneratedId(0)};
  return g;
}
CallRecord call(uint64_t n) {
  return {CallId((uint64_t{3} << 40) | n),
          FunctionId(5),
          n % 2 ? TraceId(9) : TraceId(),
          CallOutcome(n % 4),
          ThreadId(n % 7),
          int64_t(5000 + n * 10),
          int64_t(5005 + n * 11),
          {CodeId(3), uint32_t(n % 100)},
          n % 5 ? CallId(n - 1) : CallId(),
          KeyId(n % 3),
          n % 4 ? LocationId() : LocationId(2)};
}
DeviceRecord device(uint64_t n) {
  DeviceRecord d;
  d.kind = n % 3 ? "kernel" : "memcpy";
  d.name = "sm90_gemm_" + std::to_string(n % 5);
  d.start_ns = int64_t(n % 10 ? 6000 + n : 0);
  d.end_ns = int64_t(n % 10 ? 6100 + n : 0);
  d.device = 1, d.context = 2, d.stream = uint32_t(n % 4), d.thread = 4711, d.correlation = uint32_t(n);
  d.op_event = ThreadRings::op_event_id(1, uint32_t(n));
  d.call = n % 2 ? CallId(n) : CallId();
  d.bytes = n << 33;
  if (n % 2) d.graph = GraphId(3), d.node = NodeId(uint32_t(n));
  d.annotation = n % 7 ? "" : "epoch";
  return d;
}
OpColumns events(uint32_t from, uint32_t count) {
  OpColumns out;
  for (uint32_t i = from; i < from + count; ++i) {
    const int64_t start = 1'700'000'000'000'000'000 + int64_t{i} * 250;
    OpEvent e = op_of(OpId(uint16_t(i % 300)), start, start + 100 + i % 50);
    if (i % 2) {
      e.call = CallId(i / 10);
      e.set_node(GraphId(i % 5), NodeId(i % 24));
    } else {
      e.set_source({CodeId(i % 5), i % 64});
    }
    e.signature = i % 3 ? SignatureId(i % 11) : SignatureId();
    e.device = uint8_t(i % 2);
    out.append(uint16_t(i % 3), ThreadRings::op_event_id(uint16_t(i % 3), i), e);
  }
  return out;
}
bool same(const OpColumns& a, const OpColumns& b) {
  return a.start_ns == b.start_ns && a.end_ns == b.end_ns && a.id == b.id && a.call == b.call &&
         a.code == b.code && a.offset == b.offset && a.graph == b.graph && a.node == b.node &&
         a.bytes == b.bytes && a.op == b.op && a.thread == b.thread && a.device == b.device &&
         a.signature == b.signature;
}
OpColumns all_events(const Reader& r) {
  OpColumns out;
  for (size_t i = 0; i < r.op_events().index().size(); ++i) append(out, *r.op_events().chunk(i));
  return out;
}

void write_everything(Writer& w) {
  w.add(process());
  w.add(location());
  w.add(key());
  w.add(track());
  for (uint64_t i = 0; i < 20; ++i) w.add(span(i));
  for (uint64_t i = 0; i < 20; ++i) w.add(counter(i));
  w.add(file());
  w.add(code());
  w.add(function());
  w.add(graph());
  w.add(trace_with_all());
  w.add(generated());
  w.add(observation());
  CallValues values = call_values();
  values.id = ValuesId();
  w.add(values);
  w.add(checked_call());
  ComparisonRecord unnumbered = comparison();
  unnumbered.id = {};
  w.add(unnumbered);
  w.add(DecisionRecord{TraceId(9), FileId(7), 12, "if", "staged", "became cond"});
  w.add(ConsoleRecord{77, ConsoleStream::kTfPrint, "loss 0.5\n"});
  w.add(ConsoleRecord{78, ConsoleStream::kStderr, ""});
  w.add(OpNameRecord{OpId(4), "MatMul", "product"});
  w.add(SignatureRecord{SignatureId(6), OpId(4), "float32[2,3], float32[3,5]", "float32[2,5]", 84,
                        uint64_t{1} << 40, 60});
  w.add(ThreadRecord{ThreadId(2), 4711, "worker"});
  w.add(DeviceNameRecord{DeviceNumber(1), "/gpu:0", "NVIDIA H200"});
  w.add_dropped("op events", "they came faster", 5);
  w.flush();
  w.add_dropped("op events", "they came faster", 7);
  for (uint64_t i = 0; i < 50; ++i) w.add(call(i));
  for (uint64_t i = 0; i < 50; ++i) w.add(device(i));
  w.add_rows(events(0, 1000));
  w.flush();
  w.add_rows(events(1000, 40000));
  w.set_level(RecordingLevel::kStructure);
}

void check_everything(const Reader& r) {
  const Contents& c = r.contents();
  QCOMPARE(rows_of(c.run), rows_of(run()));
  QCOMPARE(c.level, RecordingLevel::kStructure);
  QCOMPARE(c.files.size(), 1u);
  QCOMPARE(rows_of(c.files[0]), rows_of(file()));
  QCOMPARE(rows_of(c.processes.at(0)), rows_of(process()));
  QCOMPARE(rows_of(c.locations.at(0)), rows_of(location()));
  QCOMPARE(rows_of(c.keys.at(0)), rows_of(key()));
  QCOMPARE(rows_of(c.tracks.at(0)), rows_of(track()));
  QCOMPARE(r.spans().rows(), 20u);
  const auto spans = r.spans().chunk(0);
  for (uint64_t i = 0; i < 20; ++i) {
    const SpanRecord &got = (*spans)[i], want = span(i);
    QVERIFY(got.track == want.track && got.start_ns == want.start_ns && got.end_ns == want.end_ns &&
            got.name == want.name && got.category == want.category && got.args == want.args);
    QVERIFY(got.location == want.location && got.flow_in == want.flow_in && got.flow_out == want.flow_out &&
            got.id == want.id && got.link == want.link);
  }
  const auto counters = r.counters().chunk(0);
  QCOMPARE(counters->size(), 20u);
  for (uint64_t i = 0; i < 20; ++i) QCOMPARE((*counters)[i].value, counter(i).value);
  QCOMPARE(r.counters().index()[0].first_ns, 50);
  QCOMPARE(r.counters().index()[0].last_ns, 69);
  QCOMPARE(unpack(c.traces.at(0).artifacts.at(0).data), std::string(5000, 'x') + "y");
  QVERIFY(c.traces[0].artifacts[0].data.bytes.size() < 200);
  QCOMPARE(rows_of(c.codes.at(0)), rows_of(code()));
  QCOMPARE(rows_of(c.functions.at(0)), rows_of(function()));
  QCOMPARE(rows_of(c.traces.at(0)), rows_of(trace_with_all()));
  QCOMPARE(rows_of(c.graphs.at(0)), rows_of(graph()));
  QCOMPARE(rows_of(c.generated.at(0)), rows_of(generated()));
  QCOMPARE(rows_of(c.observations.at(0)), rows_of(observation()));
  QCOMPARE(rows_of(c.comparisons.at(0)), rows_of(comparison()));
  QCOMPARE(c.comparisons[0].runs.at(0).marks.at(1).signature, SignatureId(6));
  QCOMPARE(rows_of(c.values.at(0)), rows_of(call_values()));
  QCOMPARE(c.values[0].values.at(0).minimum, -1e-300);
  QVERIFY(std::isnan(c.values[0].values.at(1).mean));
  QCOMPARE(rows_of(c.checked_calls.at(0)), rows_of(checked_call()));
  QCOMPARE(rows_of(c.decisions.at(0)),
           rows_of(DecisionRecord{TraceId(9), FileId(7), 12, "if", "staged", "became cond"}));
  QCOMPARE(c.console.size(), 2u);
  QCOMPARE(rows_of(c.console[0]), rows_of(ConsoleRecord{77, ConsoleStream::kTfPrint, "loss 0.5\n", ProcessId(0)}));
  QCOMPARE(c.console[1].stream, ConsoleStream::kStderr);
  QCOMPARE(rows_of(c.op_names.at(0)), rows_of(OpNameRecord{OpId(4), "MatMul", "product"}));
  QCOMPARE(rows_of(c.signatures.at(0)), rows_of(SignatureRecord{SignatureId(6), OpId(4), "float32[2,3], float32[3,5]",
                                                                "float32[2,5]", 84, uint64_t{1} << 40, 60}));
  QVERIFY(r.signature(SignatureId(6))->op == OpNumber(OpId(4)));
  QCOMPARE(rows_of(c.threads.at(0)), rows_of(ThreadRecord{ThreadId(2), 4711, "worker", ProcessId(0)}));
  QCOMPARE(rows_of(c.device_names.at(0)),
           rows_of(DeviceNameRecord{DeviceNumber(1), "/gpu:0", "NVIDIA H200", ProcessId(0)}));
  QCOMPARE(c.dropped.size(), 1u);
  QCOMPARE(c.dropped[0].count, 12u);
  const auto calls = r.all_calls();
  QCOMPARE(calls.size(), 50u);
  for (uint64_t i = 0; i < calls.size(); ++i) {
    const CallRecord& got = calls[i];
    const CallRecord want = call(i);
    QVERIFY(got.id == want.id && got.function == want.function && got.trace == want.trace &&
            got.outcome == want.outcome && got.thread == want.thread && got.start_ns == want.start_ns &&
            got.end_ns == want.end_ns && got.source == want.source && got.parent == want.parent &&
            got.key == want.key && got.location == want.location);
  }
  const auto devices = r.all_device_events();
  QCOMPARE(devices.size(), 50u);
  for (uint64_t i = 0; i < devices.size(); ++i) {
    const DeviceRecord& got = devices[i];
    const DeviceRecord want = device(i);
    QVERIFY(got.kind == want.kind && got.name == want.name && got.start_ns == want.start_ns &&
            got.end_ns == want.end_ns);
    QVERIFY(got.device == want.device && got.context == want.context && got.stream == want.stream &&
            got.thread == want.thread);
    QVERIFY(got.correlation == want.correlation && got.op_event == want.op_event && got.call == want.call &&
            got.bytes == want.bytes && got.graph == want.graph && got.node == want.node &&
            got.annotation == want.annotation);
  }
  QCOMPARE(r.op_events().rows(), 41000u);
  QVERIFY(same(all_events(r), events(0, 41000)));
  uint64_t row = 0;
  for (const ChunkInfo& info : r.op_events().index()) {
    QCOMPARE(info.first_row, row);
    row += info.count;
    QVERIFY(info.first_ns <= info.last_ns);
  }
  QCOMPARE(r.damage(), std::string());
  // Look-ups.
  QCOMPARE(r.file(FileId(7)), &c.files[0]);
  QCOMPARE(r.code(CodeId(3)), &c.codes[0]);
  QCOMPARE(r.function(FunctionId(5)), &c.functions[0]);
  QCOMPARE(r.trace(TraceId(9)), &c.traces[0]);
  QCOMPARE(r.graph(GraphId(4)), &c.graphs[0]);
  QCOMPARE(r.op_name(OpId(4)), &c.op_names[0]);
  QCOMPARE(r.trace(TraceId(1)), nullptr);
  QCOMPARE(r.place({CodeId(3), 39}).line, 11);
  QCOMPARE(r.place({CodeId(3), 40}).line, 15);
  QCOMPARE(r.place({CodeId(99), 40}).line, 0);
  QCOMPARE(r.place({}).file.valid(), false);
}

}  // namespace

class TestSessionRecords : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_record_comes_back() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a b?#%41.footlight").toStdString();
    auto writer = Writer::create(path, run(), RecordingLevel::kOps);
    write_everything(*writer);
    writer->flush();
    {
      auto reader = Reader::open(path);
      QCOMPARE(reader->state(), State::kLive);
      check_everything(*reader);
    }
    const auto finished = writer->finish({9999, 3, 15, "stopped by the user"});
    QCOMPARE(finished.words, std::string());
    QVERIFY(finished.one_file);
    auto reader = Reader::open(path);
    QCOMPARE(reader->state(), State::kFinished);
    QCOMPARE(reader->version(), static_cast<int>(kVersion));
    check_everything(*reader);
    const EndRecord& end = *reader->contents().end;
    QCOMPARE(end.time_ns, 9999);
    QCOMPARE(end.exit_code, 3);
    QCOMPARE(end.signal, 15);
    QCOMPARE(end.reason, std::string("stopped by the user"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    // 1000 + 40000 events, flushed twice: no more chunks than needed.
    QVERIFY(reader->op_events().index().size() <= 4);
  }

  void a_record_that_comes_again_replaces_the_first() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("s.footlight").toStdString();
    auto writer = Writer::create(path, {}, RecordingLevel::kStructure);
    TraceRecord first = trace_with_all();
    writer->add(first);
    TraceRecord second = trace_with_all();
    second.key.resize(1);
    second.why = "ended";
    writer->add(second);
    writer->set_run(run());
    RunRecord later = run();
    later.arguments = {"one"};
    writer->set_run(later);
    writer->flush();
    const auto check = [&](const Reader& r) {
      QCOMPARE(r.contents().traces.size(), 1u);
      QCOMPARE(rows_of(r.contents().traces[0]), rows_of(second));
      QCOMPARE(rows_of(r.contents().run), rows_of(later));
    };
    check(*Reader::open(path));
    QVERIFY(writer->finish({}).one_file);
    check(*Reader::open(path));
  }

  void files_are_recorded_once_with_their_text() {
    QTemporaryDir folder;
    QFile source(folder.filePath("m.py"));
    QVERIFY(source.open(QIODevice::WriteOnly));
    source.write("x = 1\n");
    source.close();
    const std::string path = folder.filePath("s.footlight").toStdString();
    auto writer = Writer::create(path, {}, RecordingLevel::kStructure);
    const FileId a = writer->file(source.fileName().toStdString());
    const FileId b = writer->file("<string>", "y = 2\n");
    QVERIFY(a != b);
    QCOMPARE(writer->file(source.fileName().toStdString()), a);
    writer->finish({});
    auto reader = Reader::open(path);
    QCOMPARE(reader->contents().files.size(), 2u);
    QCOMPARE(reader->file(a)->text, std::string("x = 1\n"));
    QCOMPARE(reader->file(b)->text, std::string("y = 2\n"));
  }

  // The SQL makes exactly the tables that the descriptions declare.
  void the_sql_has_the_tables_that_are_written() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("s.db").toStdString();
    Database db = Database::create(path);
    db.run(schema_sql().c_str());
    for (const TableSchema& table : schema().tables) {
      std::string columns;
      for (const Column& c : table.columns)
        if (!c.until) columns += (columns.empty() ? "" : ",") + c.name;
      Statement found = db.prepare(
          "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info(?) WHERE name<>'id' OR ?)");
      found.bind(1, Value{Value::Type::kText, 0, table.name});
      found.bind(2, int64_t{!table.name.ends_with("_chunk")});
      QVERIFY(found.step());
      QCOMPARE(std::string(found.column(0).bytes), columns);
    }
    QVERIFY(schema_page().find("op_signature (2)") != std::string::npos);
  }

  void sums_stand_beside_the_chunks() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("s.footlight").toStdString();
    auto writer = Writer::create(path, sample::run_record(), RecordingLevel::kOps);
    sample::write_session(*writer);
    QVERIFY(writer->finish({}).one_file);
    Database db = Database::create(path);
    Statement ops = db.prepare("SELECT sum(count) FROM op_summary");
    QVERIFY(ops.step());
    QCOMPARE(ops.integer(0), 4500);
    Statement calls = db.prepare("SELECT sum(count) FROM call_summary WHERE outcome=1");
    QVERIFY(calls.step());
    QCOMPARE(calls.integer(0), 13);
  }

  // A session recorded by version 1 must always open.
  void opens_version_1() {
    const QString data = test::source_path("tests/session/recordings");
    for (const char* name : {"/version1.footlight", "/version1_log.footlight"}) {
      auto reader = Reader::open((data + name).toStdString());
      QCOMPARE(reader->version(), 1);
      QCOMPARE(reader->contents().functions.size(), 2u);
      QCOMPARE(reader->contents().traces.size(), 13u);
      QCOMPARE(reader->trace(TraceId(2))->why, std::string("value of lr"));
      QCOMPARE(reader->contents().graphs.size(), 37u);
      QCOMPARE(reader->calls().rows(), 54u);
      QCOMPARE(reader->all_calls()[8].outcome, CallOutcome::kTrace);
      QCOMPARE(reader->op_events().rows(), 4500u);
      QCOMPARE(reader->op_events().chunk(0)->size(), reader->op_events().index()[0].count);
      QCOMPARE(reader->place(reader->contents().traces[0].source).line, 31);
      QVERIFY(reader->contents().signatures.empty());
      const auto events = reader->op_events().chunk(0);
      QCOMPARE(events->signature.size(), events->size());
      QVERIFY(!events->signature[0].valid());
      // The single graph and four time columns became a stage and phases.
      QCOMPARE(reader->trace(TraceId(2))->graph(), GraphId(6));
      QCOMPARE(reader->trace(TraceId(0))->phase_ns("autograph"), 1'900'000);
      QCOMPARE(reader->trace(TraceId(2))->phases.size(), 3u);
      QCOMPARE(reader->trace(TraceId(2))->phase_ns("python"), 2'900'000);
      QCOMPARE(reader->trace(TraceId(2))->phase_ns("optimize"), 800'000);
      QVERIFY(*std::max_element(events->bytes.begin(), events->bytes.end()) > 0);
    }
  }

  // Added by version 2: the inputs of ops, and their cost.
  void opens_version_2() {
    const QString data = test::source_path("tests/session/recordings");
    for (const char* name : {"/version2.footlight", "/version2_log.footlight"}) {
      auto reader = Reader::open((data + name).toStdString());
      QCOMPARE(reader->version(), 2);
      QCOMPARE(reader->op_events().rows(), 4500u);
      const auto events = reader->op_events().chunk(0);
      const SignatureRecord* ran_on = reader->signature(events->signature.at(0));
      QVERIFY(ran_on);
      QVERIFY(ran_on->op == events->op[0]);
      QCOMPARE(ran_on->outputs, std::string("float32[1]"));
      QCOMPARE(ran_on->flops, 1u);
    }
  }

  // Columns read before the fault do not count, neither for the reader nor in the sums of a finished file.
  void a_chunk_that_cannot_be_read_counts_for_nothing() {
    const OpColumns in = events(0, 500);
    ByteWriter columns;
    columns.varint(3);
    for (const char* name : {"duration_ns", "op", "start_ns"}) {
      const std::string full = differences(500, [](size_t i) { return uint64_t{7 + i % 2}; });
      columns.text(name);
      columns.u8(uint8_t(Coding::kNumbers));
      columns.text(std::string_view(name) == "op" ? std::string_view(full).substr(0, 200) : full);  // truncated
    }
    const std::string broken = close_chunk(1, 500, columns.bytes());
    OpColumns out = in;
    QVERIFY_EXCEPTION_THROWN(decode_chunk(broken, 500, out), Error);
    QCOMPARE(out.size(), 0u);
    OpDurations durations;
    QVERIFY_EXCEPTION_THROWN(decode_chunk(broken, 500, durations), Error);
    QCOMPARE(durations.op.size(), 0u);

    QTemporaryDir folder;
    const std::string path = folder.filePath("s.footlight").toStdString();
    {
      auto writer = Writer::create(path, {}, RecordingLevel::kOps);
      writer->add_rows(in);
      writer->close();
    }
    std::string frame;
    ByteWriter payload;
    payload.u32(own_layout());
    encode_chunk_row(payload, 0, {1, 2, 500, 0}, broken);
    append_frame(frame, payload.bytes());
    QFile log(QString::fromStdString(path));
    QVERIFY(log.open(QIODevice::Append));
    log.write(frame.data(), static_cast<qint64>(frame.size()));
    log.close();
    finish_log(path, path);
    auto reader = Reader::open(path);
    QCOMPARE(reader->op_events().rows(), 500u);
    QCOMPARE(reader->contents().dropped.at(0).count, 500u);
    Database db = Database::create(path);
    Statement sum = db.prepare("SELECT sum(count) FROM op_summary");
    QVERIFY(sum.step());
    QCOMPARE(sum.integer(0), 500);
  }

  void chunks_of_one_and_of_many() {
    for (const uint32_t n : {1u, 2u, 100u, 65536u}) {
      const OpColumns in = events(5, n);
      OpColumns out;
      decode_chunk(encode_chunk(in), n, out);
      QVERIFY(same(in, out));
    }
  }
};

QTEST_GUILESS_MAIN(TestSessionRecords)
#include "test_session_records.moc"
