// The host recorder: levels, threads, a flood, forks, exits.
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/memory_watch.h"
#include "engine/base/signatures.h"
#include "engine/record/recorder.h"
#include "engine/record/sources.h"
#include "engine/record/spans.h"
#include "engine/session/reader.h"
#include "tests/base/thrown.h"

#include <QtTest>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <set>
#include <thread>

using namespace footlight;
using namespace footlight::session;

// In a forked child, memory of threads that exist only in the parent is not a leak.
static bool in_child = false;
extern "C" int __lsan_is_turned_off() { return in_child; }

namespace {

// As eager code does around an op.
void emit_op(uint16_t op) {
  if (!recording_ops()) return;
  OpEvent e;
  e.start_ns = now_ns();
  e.end_ns = now_ns();
  e.op = OpId(op);
  e.set_source({CodeId(1), op});
  record_op(e);
}

// As a call of a traced function does.
void emit_call() {
  if (!recording_structure()) return;
  CallEvent e;
  e.call = next_call_id();
  e.function = FunctionId(2);
  e.trace = TraceId(3);
  e.outcome = CallOutcome::kTrace;
  e.source = {CodeId(1), 8};
  e.start_ns = now_ns();
  e.end_ns = now_ns();
  record_call(e);
}

uint64_t dropped(const Reader& r, const char* what) {
  uint64_t n = 0;
  for (const DroppedRecord& d : r.contents().dropped)
    if (d.what == what) n += d.count;
  return n;
}

// For processes that record. Not a plain fork: ThreadSanitizer cannot follow threads that are started in one.
int status_of_program(const char* role, const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "test_recorder", "--as", role, path.c_str(), nullptr);
    _exit(98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Records a little, then ends by exit(3), _exit(4) or a signal.
int record_and_end(const std::string& how, const std::string& path) {
  record::start_recording(path, {}, RecordingLevel::kOps);
  emit_op(1);
  if (how == "exit") exit(3);
  emit_call();
  active_writer()->flush();
  if (how == "_exit") _exit(4);
  const int number = std::atoi(how.c_str());
  signal(number, SIG_DFL);
  raise(number);
  return 99;
}

template <class Body>
int status_of(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    in_child = true;
    body();
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

class TestRecorder : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string at(const char* name) { return folder_.filePath(name).toStdString(); }

 private Q_SLOTS:
  void cleanup() {
    record::stop_recording({});
    QCOMPARE(recording_level.load(), RecordingLevel::kOff);
  }

  void levels_decide_what_is_recorded() {
    const std::string path = at("levels.footlight");
    emit_op(1);
    emit_call();
    record::start_recording(path, {}, RecordingLevel::kStructure);
    QVERIFY(record::recording());
    QVERIFY(active_writer());
    emit_op(2);
    emit_call();
    record::set_level(RecordingLevel::kOps);
    emit_op(3);
    emit_call();
    record::set_level(RecordingLevel::kOff);
    emit_op(4);
    emit_call();
    QVERIFY(record::stop_recording({8, 0, 0, "finished"}).one_file);
    QVERIFY(!record::recording());
    QCOMPARE(active_writer(), nullptr);
    auto r = Reader::open(path);
    QCOMPARE(r->op_events().rows(), 1u);
    QVERIFY(r->op_events().chunk(0)->op[0] == OpNumber(OpId(3)));
    QCOMPARE(r->op_events().chunk(0)->source(0), (SourceRef{CodeId(1), 3}));
    QVERIFY(!SignatureId(r->op_events().chunk(0)->signature[0]).valid());
    QCOMPARE(r->contents().level, RecordingLevel::kOff);
    const auto calls = r->all_calls();
    QCOMPARE(calls.size(), 2u);
    QVERIFY(calls[0].id != calls[1].id);
    QCOMPARE(calls[0].function, FunctionId(2));
    QCOMPARE(calls[0].trace, TraceId(3));
    QCOMPARE(calls[0].outcome, CallOutcome::kTrace);
    QVERIFY(r->contents().end);
  }

  void events_of_threads_that_ended_are_kept() {
    const std::string path = at("threads.footlight");
    record::start_recording(path, {}, RecordingLevel::kOps);
    constexpr int kThreads = 4, kEvents = 20'000;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < kEvents; ++i) {
          emit_op(uint16_t(i % 100));
          if (i % 100 == 0) emit_call();
        }
      });
    }
    for (std::thread& t : threads) t.join();
    emit_op(5);
    QVERIFY(record::stop_recording({}).one_file);
    auto r = Reader::open(path);
    QCOMPARE(r->op_events().rows() + dropped(*r, "op events"), uint64_t(kThreads * kEvents + 1));
    QCOMPARE(r->calls().rows() + dropped(*r, "calls"), uint64_t(kThreads * kEvents / 100));
    std::set<ThreadId> numbers;
    std::set<uint64_t> ids;
    std::map<ThreadId, int64_t> last;
    for (size_t c = 0; c < r->op_events().index().size(); ++c) {
      const auto chunk = r->op_events().chunk(c);
      for (size_t i = 0; i < chunk->size(); ++i) {
        numbers.insert(chunk->thread[i]);
        ids.insert(chunk->id[i]);
        QVERIFY(chunk->start_ns[i] >= last[chunk->thread[i]]);  // in order within a thread
        last[chunk->thread[i]] = chunk->start_ns[i];
      }
    }
    QCOMPARE(numbers.size(), size_t(kThreads + 1));
    QCOMPARE(ids.size(), r->op_events().rows());
    std::set<ThreadId> named;
    for (const ThreadRecord& t : r->contents().threads) named.insert(t.number);
    for (const ThreadId n : numbers) QVERIFY(named.contains(n));
  }

  // Everything described before or during the recording is there, under the ids that the events use.
  void signatures_come_with_the_events() {
    const std::string path = at("signatures.footlight");
    const SignatureId early = add_signature(11, {OpId(1), "float32[2]", "float32[]", 8, 4, 2});
    record::start_recording(path, {}, RecordingLevel::kOps);
    const SignatureId late = add_signature(12, {OpId(2), "int32[3]", "int32[3]", 12, 12, 3});
    QVERIFY(add_signature(12, {}) == late);
    QVERIFY(find_signature(11) == early);
    for (const SignatureId id : {early, late}) {
      OpEvent e;
      e.op = OpId(1);
      e.signature = id;
      record_op(e);
    }
    record::stop_recording({});
    auto r = Reader::open(path);
    const auto events = r->op_events().chunk(0);
    QCOMPARE(r->signature(SignatureId(events->signature[0]))->inputs, std::string("float32[2]"));
    QCOMPARE(r->signature(SignatureId(events->signature[1]))->flops, 3u);
  }

  // Device work names the op that caused it before that op is recorded.
  void the_id_of_the_next_event_is_known_before() {
    const std::string path = at("ids.footlight");
    record::start_recording(path, {}, RecordingLevel::kOps);
    std::vector<uint64_t> said;
    for (int i = 0; i < 100; ++i) {
      said.push_back(thread_rings().next_op_event());
      emit_op(1);
    }
    record::stop_recording({});
    auto r = Reader::open(path);
    QCOMPARE(r->op_events().chunk(0)->id, said);
  }

  // Events come faster than they can be written: the rings keep them until then.
  void a_flood_is_recorded() {
    const std::string path = at("flood.footlight");
    record::start_recording(path, {}, RecordingLevel::kOps);
    constexpr uint64_t kEvents = 1'000'000;
    OpEvent e;
    for (uint64_t i = 0; i < kEvents; ++i) {
      e.start_ns = int64_t(i);
      e.end_ns = int64_t(i) + 1;
      record_op(e);
    }
    record::stop_recording({});
    auto r = Reader::open(path);
    QCOMPARE(dropped(*r, "op events"), 0u);
    QCOMPARE(r->op_events().rows(), kEvents);
    uint64_t next = 0, out_of_order = 0;
    for (size_t c = 0; c < r->op_events().index().size(); ++c)
      for (const int64_t start : r->op_events().chunk(c)->start_ns) out_of_order += start != int64_t(next++);
    QCOMPARE(out_of_order, 0u);
  }

  // Past the rings' budget the program goes on, and every loss is counted, with its place among the numbers.
  void a_flood_beyond_the_budget_is_dropped_and_counted() {
    const std::string path = at("beyond.footlight");
    const int64_t budget = ring_bytes_left.exchange(1 << 20);  // one block
    record::start_recording(path, {}, RecordingLevel::kOps);
    constexpr uint64_t kEvents = 1'000'000;
    std::thread([] {
      OpEvent e;
      for (uint64_t i = 0; i < kEvents; ++i) {
        e.start_ns = int64_t(i);
        e.end_ns = int64_t(i) + 1;
        record_op(e);
      }
    }).join();
    record::stop_recording({});
    ring_bytes_left.fetch_add(budget - (1 << 20));
    auto r = Reader::open(path);
    const uint64_t lost = dropped(*r, "op events");
    QVERIFY(lost > 0);
    QCOMPARE(r->op_events().rows() + lost, kEvents);
    QCOMPARE(r->contents().dropped[0].why, std::string("they were recorded faster than they could be written"));
    for (size_t c = 0; c < r->op_events().index().size(); ++c) {
      const auto chunk = r->op_events().chunk(c);
      for (size_t i = 1; i < chunk->size(); ++i)
        QCOMPARE(chunk->id[i] - chunk->id[i - 1], uint64_t(chunk->start_ns[i] - chunk->start_ns[i - 1]));
    }
  }

  void a_full_ring_drops_the_new_and_counts() {
    using SmallRing = Ring<OpEvent, 16>;
    std::atomic<int64_t> budget{2 * (16 * int64_t(sizeof(OpEvent)) + 128)};
    const int64_t before = budget;
    {
      SmallRing ring(budget);
      for (int i = 0; i < 40; ++i) {
        OpEvent e;
        e.start_ns = i;
        ring.push(e);
      }
      QCOMPARE(ring.dropped(), 8u);
      std::vector<uint32_t> numbers;
      const auto take = [&](const OpEvent* events, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) numbers.push_back(events[i].sequence);
      };
      QCOMPARE(ring.drain(take, 5), 5u);
      QCOMPARE(ring.drain(take), 27u);
      ring.push({});
      QCOMPARE(ring.drain(take), 1u);
      QCOMPARE(numbers.size(), 33u);
      for (uint32_t i = 0; i < 32; ++i) QCOMPARE(numbers[i], i);
      QCOMPARE(numbers[32], 40u);  // dropped events have numbers too
    }
    QCOMPARE(budget.load(), before);
  }

  void a_forked_child_leaves_the_session_alone() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("the sanitizer's allocator stays locked in a child that is forked while another thread allocates");
#endif
    const std::string path = at("fork.footlight"), child_path = at("child.footlight");
    record::start_recording(path, {}, RecordingLevel::kOps);
    emit_op(1);
    const int status = status_of([&] {
      if (record::recording() || recording_ops() || active_writer()) _exit(1);
      emit_op(66);
      emit_call();
      if (record::stop_recording({0, 66, 0, "the child"}).words != "") _exit(2);
#ifndef __SANITIZE_THREAD__  // it cannot follow threads started in a fork
      // The child may record a session of its own.
      record::start_recording(child_path, {}, RecordingLevel::kOps);
      emit_op(67);
      if (!record::stop_recording({0, 5, 0, "the child"}).one_file) _exit(3);
#endif
      exit(0);
    });
    QCOMPARE(status, 0);
    // A child that simply goes on and exits.
    QCOMPARE(status_of([] { exit(0); }), 0);
    emit_op(2);
    active_writer()->add(ConsoleRecord{1, ConsoleStream::kStdout, "still here\n"});
    QVERIFY(record::stop_recording({7, 0, 0, "the parent"}).one_file);
    auto r = Reader::open(path);
    QCOMPARE(r->op_events().rows(), 2u);
    QCOMPARE(r->contents().console.size(), 1u);
    QCOMPARE(r->contents().end->reason, std::string("the parent"));
    QCOMPARE(r->damage(), std::string());
#ifndef __SANITIZE_THREAD__
    auto child = Reader::open(child_path);
    QCOMPARE(child->op_events().rows(), 1u);
    QVERIFY(child->op_events().chunk(0)->op[0] == OpId(67));
    QCOMPARE(child->contents().end->exit_code, 5);
#endif
  }

  // Forks while other threads record, so that locks are held at that moment.
  void forks_while_others_record() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("the sanitizer's allocator stays locked in a child that is forked while another thread allocates");
#endif
    const std::string path = at("forks.footlight");
    record::start_recording(path, {}, RecordingLevel::kOps);
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> emitted{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        while (!stop) {
          emit_op(3);
          ++emitted;
          std::thread([&] { emit_op(4), ++emitted; }).join();
          active_writer()->add(ConsoleRecord{1, ConsoleStream::kStdout, "x"});
        }
      });
    }
    int bad = 0;
    for (int i = 0; i < 20; ++i)
      bad += status_of([] {
               emit_op(9);
               exit(recording_ops() ? 1 : 0);
             }) != 0;
    stop = true;
    for (std::thread& t : threads) t.join();
    record::stop_recording({});
    QCOMPARE(bad, 0);
    auto r = Reader::open(path);
    QCOMPARE(r->op_events().rows() + dropped(*r, "op events"), emitted.load());
  }

  void exit_without_stopping_ends_the_session() {
    const std::string path = at("exit.footlight");
    QCOMPARE(WEXITSTATUS(status_of_program("exit", path)), 3);
    auto r = Reader::open(path);
    QCOMPARE(r->state(), State::kFinished);
    QCOMPARE(r->op_events().rows(), 1u);
    QCOMPARE(r->contents().end->exit_code, 3);
    QCOMPARE(r->contents().end->reason, std::string("the program called exit"));
  }

  void sudden_ends_keep_what_was_written() {
    const std::string path = at("sudden.footlight");
    for (const int how : {0, SIGSEGV, SIGTERM, SIGKILL}) {
      const int status = status_of_program(how ? std::to_string(how).c_str() : "_exit", path);
      QCOMPARE(how ? WTERMSIG(status) : WEXITSTATUS(status), how ? how : 4);
      auto r = Reader::open(path);
      QCOMPARE(r->state(), State::kKilled);
      QCOMPARE(r->op_events().rows(), 1u);
      QCOMPARE(r->calls().rows(), 1u);
    }
  }

  void the_attached_side_leaves_the_end_to_the_other() {
    const std::string path = at("attached.footlight");
    Writer::create(path, {}, RecordingLevel::kOff)->close();
    record::attach_recording(path, RecordingLevel::kOps);
    emit_op(1);
    record::stop_recording({1, 1, 0, "not mine to say"});
    auto r = Reader::open(path);
    QCOMPARE(r->state(), State::kKilled);
    QCOMPARE(r->op_events().rows(), 1u);
    QCOMPARE(r->contents().level, RecordingLevel::kOps);
    Writer::attach(path)->finish({2, 0, 0, "finished"});
    QCOMPARE(Reader::open(path)->contents().end->reason, std::string("finished"));
  }

  void one_recording_at_a_time() {
    record::start_recording(at("one.footlight"), {}, RecordingLevel::kOps);
    QCOMPARE(kind_thrown([&] { record::start_recording(at("two.footlight"), {}, RecordingLevel::kOps); }),
             ErrorKind::kFailedPrecondition);
    record::stop_recording({});
    // One after the other: events left in the rings do not go to the next session.
    recording_level = RecordingLevel::kOps;
    emit_op(1);
    recording_level = RecordingLevel::kOff;
    record::start_recording(at("three.footlight"), {}, RecordingLevel::kOps);
    emit_op(2);
    record::stop_recording({});
    auto r = Reader::open(at("three.footlight"));
    QCOMPARE(r->op_events().rows(), 1u);
    QVERIFY(r->op_events().chunk(0)->op[0] == OpId(2));
  }

  // A session with no records of the program at first gets the code objects once its level needs them, each once.
  void code_objects_are_recorded_when_the_level_wants_them() {
    const auto add = [](const char* name) {
      CodeRecord code;
      code.qualname = name;
      code.first_line = 3;
      code.lines = {{0, 3}, {8, 4}, {12, 0}, {20, 9}};
      return record::register_code("/no/such/script.py", std::move(code));
    };
    const CodeId before = add("before");
    const std::string path = at("codes.footlight");
    record::start_recording(path, {}, RecordingLevel::kOff);
    const CodeId off = add("off");
    record::set_level(RecordingLevel::kStructure);
    const CodeId on = add("on");
    record::set_level(RecordingLevel::kOff);
    record::set_level(RecordingLevel::kOps);
    record::stop_recording({});
    auto r = Reader::open(path);
    std::map<CodeId, std::string> names;
    for (const CodeRecord& code : r->contents().codes) QVERIFY(names.emplace(code.id, code.qualname).second);
    QCOMPARE(names.size(), size_t{3});
    QCOMPARE(r->code(before)->qualname, std::string("before"));
    QCOMPARE(r->code(off)->qualname, std::string("off"));
    QCOMPARE(r->code(on)->qualname, std::string("on"));

    QCOMPARE(record::place_text({on, 8}), std::string("/no/such/script.py:4, in on"));
    QCOMPARE(record::place_of({on, 10}).line, 4);
    QCOMPARE(record::place_of({on, 14}).line, 3);  // no line of its own: the function's line
    QCOMPARE(record::place_of({on, 100}).line, 9);
    QCOMPARE(record::place_text({}), std::string());
    QCOMPARE(record::place_text({CodeId(12345), 0}), std::string());
    record::add_own_folder("/opt/ours/");
    QVERIFY(record::is_own_file("/opt/ours/deep/file.py"));
    QVERIFY(!record::is_own_file("/opt/oursx/file.py"));
    // The next session gets them from the start.
    record::start_recording(at("next.footlight"), {}, RecordingLevel::kStructure);
    record::stop_recording({});
    QCOMPARE(Reader::open(at("next.footlight"))->contents().codes.size(), size_t{3});
  }

  void spans_and_counters_lie_on_tracks_of_their_session() {
    for (const char* name : {"first.footlight", "second.footlight"}) {  // threads and counters are the same in both
      record::start_recording(at(name), {}, RecordingLevel::kStructure);
      record::add_span("read", "input", 10, 20, "{\"rows\": 3}");
      std::thread([] { record::add_span("elsewhere", "", 15, 30); }).join();
      record::add_counter("loss", 0.5);
      record::add_counter("loss", 0.25);
      record::stop_recording({});
      record::add_span("late", "", 40, 50);
      record::add_counter("late", 1);

      auto r = Reader::open(at(name));
      QCOMPARE(r->spans().rows(), 2u);
      QCOMPARE(r->counters().rows(), 2u);
      std::map<std::string, SpanRecord> spans;
      for (const SpanRecord& span : *r->spans().chunk(0)) spans[span.name] = span;
      const SpanRecord& read = spans.at("read");
      QCOMPARE(read.category, std::string("input"));
      QCOMPARE(read.args, std::string("{\"rows\": 3}"));
      QCOMPARE(read.start_ns, int64_t{10});
      QCOMPARE(read.end_ns, int64_t{20});
      QVERIFY(read.track != spans.at("elsewhere").track);
      const TrackRecord* const here = r->track(read.track);
      const TrackRecord* const there = r->track(spans.at("elsewhere").track);
      QVERIFY(here && there);
      QCOMPARE(here->kind, std::string("thread"));
      QVERIFY(here->thread != there->thread);
      QVERIFY(here->process.valid());
      const auto counters = r->counters().chunk(0);
      QCOMPARE(r->track(counters->at(0).track)->name, std::string("loss"));
      QVERIFY(counters->at(0).track == counters->at(1).track);
      QCOMPARE(counters->at(1).value, 0.25);
    }
  }

  // Changes that a picture would show, and each new peak; on a track of bytes for each device.
  void what_tensors_hold_is_a_counter() {
    constexpr uint64_t kKb = 1 << 10, kMb = 1 << 20;
    MemoryWatch host(0), device(2);
    host.changed(7 * kMb);  // nobody records yet
    record::start_recording(at("memory.footlight"), {}, RecordingLevel::kStructure);
    host.changed(8 * kMb);
    record::set_level(RecordingLevel::kOps);
    for (const uint64_t bytes : {10 * kMb, 10 * kMb + 20 * kKb, 10 * kMb + 80 * kKb, 10 * kMb, 9 * kMb, 64 * kMb,
                                 63 * kMb + 512 * kKb, 64 * kMb + 32 * kKb, 64 * kMb + 64 * kKb, 0 * kMb,
                                 3 * kKb, 5 * kKb, 3 * kKb, 10 * kKb, 7 * kKb, 1 * kKb})
      host.changed(bytes);
    device.changed(3 * kMb);
    record::stop_recording({});
    const auto r = Reader::open(at("memory.footlight"));
    std::map<std::string, std::vector<double>> values;
    for (size_t c = 0; c < r->counters().index().size(); ++c) {
      for (const CounterRecord& record : *r->counters().chunk(c)) {
        const TrackRecord* const track = r->track(record.track);
        QCOMPARE(track->kind, std::string(TrackRecord::kMemory));
        QCOMPARE(track->device.value, track->name == "Memory" ? 0u : 2u);
        values[track->name].push_back(record.value);
      }
    }
    const std::vector<double> wanted{10.0 * kMb, 10.0 * kMb + 80 * kKb, 9.0 * kMb, 64.0 * kMb, 64.0 * kMb + 64 * kKb,
                                     0.0, 5.0 * kKb, 10.0 * kKb, 1.0 * kKb};
    QVERIFY(values["Memory"] == wanted);
    QVERIFY(values["Memory, GPU 1"] == std::vector<double>{3.0 * kMb});
    QCOMPARE(values.size(), size_t{2});
  }

  void engines_add_what_a_session_needs_to_know() {
    static int asked;
    static const auto contribute = [](Writer& writer) {
      ++asked;
      writer.add_dropped("engine", "said hello", 1);
    };
    asked = 0;
    record::start_recording(at("one_engine.footlight"), {}, RecordingLevel::kStructure);
    record::on_recording_started(contribute);  // an engine that is loaded while a recording is running
    QCOMPARE(asked, 1);
    record::stop_recording({});
    record::start_recording(at("and_again.footlight"), {}, RecordingLevel::kStructure);
    QCOMPARE(asked, 2);
    record::stop_recording({});
    for (const char* name : {"one_engine.footlight", "and_again.footlight"})
      QCOMPARE(dropped(*Reader::open(at(name)), "engine"), uint64_t{1});
  }

  void a_program_that_has_ended_records_nothing_more() {
    const std::string path = at("ended.footlight");
    record::start_recording(path, {}, RecordingLevel::kOps);
    emit_op(1);
    record::program_ended();
    QVERIFY(!recording_ops());
    emit_op(2);
    QVERIFY(record::recording());  // the end is still to be written
    record::stop_recording({5, 3, 0, "exited"});
    auto r = Reader::open(path);
    QCOMPARE(r->op_events().rows(), 1u);
    QCOMPARE(r->contents().end->exit_code, 3);
    // A session that another process ends is left to that process.
    const auto owner = Writer::create(at("shared.footlight"), {}, RecordingLevel::kOps);
    owner->rest();
    record::attach_recording(at("shared.footlight"), RecordingLevel::kOps);
    emit_op(1);
    record::program_ended();
    QVERIFY(!record::recording());
    QCOMPARE(Reader::open(at("shared.footlight"))->op_events().rows(), 1u);
  }

  // A program whose shapes never repeat: after some number of signatures, events have none, and the session says so.
  // Must be the last test: all later recordings would read what it leaves in the process.
  void too_many_signatures_are_counted() {
    const std::string path = at("many.footlight");
    record::start_recording(path, {}, RecordingLevel::kStructure);
    uint64_t hash = 1000;
    while (room_for_signatures()) QVERIFY(add_signature(hash++, {}).valid());
    QVERIFY(!add_signature(hash, {}).valid());
    QVERIFY(!add_signature(hash, {}).valid());
    QVERIFY(find_signature(1000).valid());
    record::stop_recording({});
    QCOMPARE(dropped(*Reader::open(path), "shapes of ops"), uint64_t{2});
  }
};

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--as") return record_and_end(argv[2], argv[3]);
  QCoreApplication app(argc, argv);
  TestRecorder test;
  return QTest::qExec(&test, argc, argv);
}
#include "test_recorder.moc"
