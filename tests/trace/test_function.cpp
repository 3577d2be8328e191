// trace::Function with a front end in C++: which trace serves, when variables are made, what is evicted, what is
// recorded, and threads.
#include "engine/base/errors.h"
#include "engine/keys/hooks.h"
#include "engine/session/reader.h"
#include "engine/session/writer.h"
#include "engine/trace/function_recording.h"
#include "tests/base/thrown.h"
#include "tests/trace/script.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

using namespace footlight;
using namespace footlight::test;
using session::TraceReason;

namespace {

Tensor zeros(const Shape& shape) {
  Tensor t = Tensor::empty(DType::kFloat32, shape);
  std::fill_n(t.data<float>(), t.elements(), 0.f);
  return t;
}

std::vector<Tensor> twice(std::span<const Tensor> in) { return {op("AddV2", {in[0], in[0]})}; }

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Records into a session of its own while it lives; calls are read from this thread's ring.
class Recording {
 public:
  Recording() {
    path_ = folder_.filePath("session").toStdString();
    writer_ = session::Writer::create(path_, {}, RecordingLevel::kStructure);
    session::set_active_writer(writer_.get());
    drain();
    calls_.clear();
    recording_number.fetch_add(1);
    recording_level = RecordingLevel::kStructure;
  }
  ~Recording() { stop(); }
  const session::Contents& read() {
    stop();
    reader_ = session::Reader::open(path_);
    return reader_->contents();
  }
  std::vector<session::WaitRecord> waits() {
    read();
    const auto& waits = reader_->events<std::vector<session::WaitRecord>>();
    return waits.index().empty() ? std::vector<session::WaitRecord>{} : *waits.chunk(0);
  }
  std::vector<CallEvent> calls() {
    drain();
    return calls_;
  }

 private:
  void stop() {
    recording_level = RecordingLevel::kOff;
    session::set_active_writer(nullptr);
    if (writer_) writer_->finish({});
    writer_ = nullptr;
  }
  void drain() {
    thread_rings().calls().drain(
        [this](const CallEvent* events, uint32_t count) { calls_.insert(calls_.end(), events, events + count); });
  }
  QTemporaryDir folder_;
  std::string path_;
  std::unique_ptr<session::Writer> writer_;
  std::unique_ptr<session::Reader> reader_;
  std::vector<CallEvent> calls_;
};

}  // namespace

class TestFunction : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void calls_with_one_key_share_a_trace() {
    Script f("f", twice);
    QCOMPARE(f.number({{real(2)}}), 4.f);
    QCOMPARE(f.number({{real(3)}}), 6.f);
    QCOMPARE(f.runs, 1);
    f({{zeros({2})}});
    QCOMPARE(f.number({{real(4)}, 0, 1}), 8.f);
    QCOMPARE(f.runs, 3);
    QCOMPARE(f.number({{real(5)}}), 10.f);
    QCOMPARE(f.runs, 3);
    QCOMPARE(f.function.size(), size_t{3});
    QCOMPARE(f.function.tracing_count(), 3);
  }

  void reduced_retracing_relaxes_against_all_that_is_comparable() {
    Script f("f", twice, {.reduce_retracing = true});
    f({{zeros({3})}});
    f({{zeros({5})}});
    f({{zeros({7})}});
    QCOMPARE(f.runs, 2);
    const auto traces = f.function.traces();
    QCOMPARE(traces[1]->concrete->graph()->node(NodeId(0)).shapes[0], Shape{kUnknownDim});
    QCOMPARE(traces[1]->number, 2);
    f({{zeros({7})}, 0, 1});  // a different literal starts exact again
    QCOMPARE(f.function.traces()[2]->concrete->graph()->node(NodeId(0)).shapes[0], Shape{7});
  }

  void a_general_trace_that_was_asked_for_serves_others() {
    Script f("f", twice, {.reduce_retracing = true});
    bool traced;
    f.get_concrete({{zeros({3})}}, traced);
    QVERIFY(traced);
    const auto general = f.get_concrete({{zeros({4})}}, traced);
    QVERIFY(traced);
    QVERIFY(f.get_concrete({{zeros({9})}}, traced) == general);
    QVERIFY(!traced);
  }

  void variables_are_made_on_the_first_call_only() {
    Tensor handle;
    Script f("f", [&](std::span<const Tensor> in) {
      if (!handle) {
        auto* v = new Variable(DType::kFloat32, Shape());
        const Tensor made = Tensor::resource(v);
        v->assign(trace::note_variable(made, real(10), true));
        handle = made;
      }
      return std::vector{op("AddV2", {read(handle), in[0]})};
    });
    QCOMPARE(f.number({{real(1)}}), 11.f);
    QCOMPARE(f.runs, 2);  // once creating the variable, once without
    QCOMPARE(f.function.tracing_count(), 2);
    QCOMPARE(f.function.size(), size_t{1});
    handle = Tensor();
    const std::optional<Error> late = error_of([&] { f({{zeros({2})}}); });
    QVERIFY(late && late->kind() == ErrorKind::kValue);
    QVERIFY(has(late->message(), "not its first"));
    QCOMPARE(f.function.size(), size_t{1});
  }

  void initial_values_that_depend_on_arguments_are_computed_by_the_graph() {
    Tensor handle;
    Script f("f", [&](std::span<const Tensor> in) {
      if (!handle) {
        const Tensor made = Tensor::resource(new Variable(DType::kFloat32, Shape()));
        if (trace::note_variable(made, op("Mul", {in[0], in[0]}), true)) qFatal("only the graph knows the value");
        handle = made;
      }
      return std::vector{read(handle)};
    });
    QCOMPARE(f.number({{real(3)}}), 9.f);
    QCOMPARE(f.number({{real(5)}}), 9.f);
  }

  void a_trace_that_was_asked_for_gives_variables_their_values_when_it_runs() {
    Tensor handle;
    Script f("f", [&](std::span<const Tensor> in) {
      if (!handle) {
        handle = Tensor::resource(new Variable(DType::kFloat32, Shape()));
        trace::note_variable(handle, op("Neg", {in[0]}), true);
      }
      return std::vector{read(handle)};
    });
    bool traced;
    f.get_concrete({{real(7)}}, traced);
    QVERIFY(!variable_of(handle)->initialized());
    QCOMPARE(f.number({{real(3)}}), -3.f);
    QCOMPARE(f.number({{real(5)}}), -3.f);
    QCOMPARE(f.function.size(), size_t{1});
  }

  void a_function_that_made_no_variable_may_not_make_one_later() {
    bool make = false;
    Script f("f", [&](std::span<const Tensor> in) {
      if (make) trace::note_variable(variable(1), real(1), true);
      return std::vector{in[0]};
    });
    f({{real(1)}});
    make = true;
    QVERIFY(error_of([&] { f({{zeros({3})}}); })->kind() == ErrorKind::kValue);
    make = false;
    f({{zeros({3})}});
    QCOMPARE(f.function.size(), size_t{2});
  }

  void an_error_while_tracing_leaves_the_table_as_it_was() {
    bool broken = false;
    Script f("f", [&](std::span<const Tensor> in) {
      if (broken) throw Error(ErrorKind::kKey, "the body's own");
      return twice(in);
    });
    QCOMPARE(f.number({{real(2)}}), 4.f);
    broken = true;
    const std::optional<Error> error = error_of([&] { f({{zeros({2})}}); });
    QVERIFY(error && error->kind() == ErrorKind::kKey);
    QCOMPARE(error->message(), std::string("the body's own"));
    QVERIFY(!this_thread.builder);
    QVERIFY(!trace::FunctionScope::innermost());
    QCOMPARE(f.function.size(), size_t{1});
    QCOMPARE(f.number({{real(3)}}), 6.f);
    broken = false;
    f({{zeros({2})}});
    QCOMPARE(f.function.size(), size_t{2});
  }

  void endless_recursion_is_an_error() {
    Script* self = nullptr;
    int64_t depth = 0;
    Script f("f", [&](std::span<const Tensor> in) { return std::vector{(*self)({{in[0]}, 0, ++depth})}; });
    self = &f;
    const std::optional<Error> error = error_of([&] { f({{real(1)}}); });
    QVERIFY(error && error->kind() == ErrorKind::kRecursion);
    QCOMPARE(f.function.size(), size_t{0});
  }

  void a_function_may_call_itself_while_it_is_traced() {
    Script* self = nullptr;
    int64_t rest = 5;
    Script f("f", [&](std::span<const Tensor> in) {
      return rest-- > 0 ? std::vector{op("AddV2", {(*self)({{in[0]}, 0, rest}), in[0]})} : std::vector{in[0]};
    });
    self = &f;
    QCOMPARE(f.number({{real(2)}, 0, 5}), 12.f);
    QCOMPARE(f.function.size(), size_t{6});
  }

  // --- eviction ---
  void traces_go_with_the_objects_in_their_keys() {
    Script f("f", twice), g("g", twice);
    f({{real(1)}, 7});
    f({{real(1)}, 8});
    f({{zeros({2})}, 7});
    g({{real(1)}, 7});
    std::weak_ptr<trace::Trace> first = f.function.traces()[0];
    QVERIFY(trace::key_object_is_used(7));
    trace::key_object_died(7);
    QVERIFY(!trace::key_object_is_used(7));
    QVERIFY(first.expired());
    QCOMPARE(f.function.size(), size_t{1});
    QCOMPARE(g.function.size(), size_t{0});
    QCOMPARE(f.number({{real(4)}, 8}), 8.f);
    QCOMPARE(f.runs, 3);
    trace::key_object_died(7);
  }

  void a_function_that_is_gone_is_nobody_s_business() {
    {
      Script f("f", twice);
      f({{real(1)}, 9});
    }
    QVERIFY(!trace::key_object_is_used(9));
    trace::key_object_died(9);
  }

  void a_trace_that_runs_is_freed_when_it_is_done() {
    Script f("f", twice);
    f({{real(1)}, 7});
    std::weak_ptr<trace::Trace> trace = f.function.traces()[0];
    bool alive = false;
    f.while_running = [&] {
      trace::key_object_died(7);
      alive = !trace.expired();
    };
    QCOMPARE(f.number({{real(3)}, 7}), 6.f);
    QVERIFY(alive);
    QVERIFY(trace.expired());
    QCOMPARE(f.function.size(), size_t{0});
  }

  void an_object_may_die_while_a_table_is_searched() {
    static Script* searched;
    Script f("f", [](std::span<const Tensor> in) { return std::vector(in.begin(), in.end()); });
    searched = &f;
    f({{real(1)}, 7});
    keys::KeyWriter key;
    key.context(0);
    key.numbered(keys::Token::kCustom, 3);
    bool traced;
    f.function.find_or_trace({key.words.data(), key.words.size()}, {}, TraceReason::kCall, traced);
    keys::hooks.custom_subtype = [](uint64_t, uint64_t) {
      trace::key_object_died(7);
      if (searched->function.size() != 2) qFatal("evicted in the middle of a search");
      return true;
    };
    key.clear();
    key.context(0);
    key.numbered(keys::Token::kCustom, 4);
    QVERIFY(f.function.find({key.words.data(), key.words.size()}) != nullptr);
    keys::hooks.custom_subtype = nullptr;
    QCOMPARE(f.function.size(), size_t{1});
  }

  void beyond_the_bound_the_one_used_longest_ago_goes() {
    Script f("f", twice, {.most_traces = 3});
    for (int64_t k : {1, 2, 3}) f({{real(1)}, 0, k});
    f({{real(1)}, 0, 1});
    f({{real(1)}, 0, 4});  // 2 is evicted
    QCOMPARE(f.function.size(), size_t{3});
    QCOMPARE(f.runs, 4);
    for (int64_t k : {1, 3, 4}) f({{real(1)}, 0, k});
    QCOMPARE(f.runs, 4);
    f({{real(1)}, 0, 2});
    QCOMPARE(f.runs, 5);
  }

  void thousands_of_dead_keys_leave_nothing() {
    Script f("f", [](std::span<const Tensor> in) { return std::vector{in[0]}; });
    for (uint64_t object = 1000; object < 3000; ++object) f({{real(1)}, object});
    QCOMPARE(f.function.size(), size_t{2000});
    for (uint64_t object = 1000; object < 3000; ++object) trace::key_object_died(object);
    QCOMPARE(f.function.size(), size_t{0});
    QVERIFY(f.function.traces().empty());
    QCOMPARE(f.number({{real(5)}, 1}), 5.f);
  }

  // --- warnings ---
  void frequent_retracing_is_said_once_for_a_line() {
    (void)trace::retracing_after_warnings();
    std::vector<std::string> warnings;
    for (int made = 0; made < 20; ++made) {  // a function created anew in each iteration
      Script f("again", twice, {}, "/home/ada/script.txt:3");
      f({{real(1)}});
      warnings.insert(warnings.end(), f.warnings.begin(), f.warnings.end());
    }
    QCOMPARE(warnings.size(), size_t{1});
    QVERIFY(has(warnings[0], "'again' is retracing often: 5 of the last 5 calls traced it"));
    const std::vector<std::string> later = trace::retracing_after_warnings();
    QCOMPARE(later.size(), size_t{1});
    QVERIFY(has(later[0], "'again' (/home/ada/script.txt:3) was traced 15 more times"));
    QVERIFY(trace::retracing_after_warnings().empty());
  }

  void a_warning_names_what_differs() {
    Script f("f", twice);
    for (int64_t k = 0; k < 6; ++k) f({{real(1)}, 0, k});
    QCOMPARE(f.warnings.size(), size_t{1});
    QVERIFY(has(f.warnings[0], "in the value of"));
  }

  void a_warning_counts_no_calls_that_were_not_made() {
    Script f("f", twice);
    for (int64_t k = 0; k < 5; ++k) {  // traces are the calls 1, 3, 5, 7 and 9
      f({{real(1)}, 0, k});
      f({{real(1)}, 0, k});
    }
    QCOMPARE(f.warnings.size(), size_t{1});
    QVERIFY(has(f.warnings[0], "5 of the last 9 calls traced it"));
  }

  void calls_that_hit_are_no_cause_for_a_warning() {
    Script f("f", twice);
    for (int64_t k = 0; k < 6; ++k)
      for (int hits = 0; hits < 12; ++hits) f({{real(1)}, 0, k});
    QVERIFY(f.warnings.empty());
  }

  void definitions_are_kept_within_bounds() {
    const auto kept = trace::definition_at("f", "kept:1");
    for (int i = 0; i < 5000; ++i) trace::definition_at("f", "place:" + std::to_string(i));
    QVERIFY(trace::definition_at("f", "kept:1") == kept);
    QVERIFY(trace::definition_at("f", "") != trace::definition_at("f", ""));
  }

  // --- recording ---
  void a_session_has_the_function_its_traces_and_calls() {
    Recording recording;
    bool broken = false;
    Script f("step", [&](std::span<const Tensor> in) {
      if (broken) throw Error(ErrorKind::kValue, "no");
      return twice(in);
    }, {.reduce_retracing = true});
    f({{zeros({2})}});
    f({{zeros({2})}});
    f({{zeros({3})}});
    broken = true;
    QVERIFY(error_of([&] { f({{real(1)}, 0, 1}); }));
    f.function.call_eagerly(1, [] { return 0; });
    QVERIFY(error_of([&] { f.function.call_eagerly(1, []() -> int { fail(ErrorKind::kValue, "no"); }); }));

    const std::vector<CallEvent> calls = recording.calls();
    std::vector<CallOutcome> outcomes;
    for (const CallEvent& call : calls) {
      outcomes.push_back(call.outcome);
      QCOMPARE(call.function, f.function.id());
    }
    using enum CallOutcome;
    QCOMPARE(outcomes, (std::vector{kTrace, kHit, kTrace, kFailed, kEager, kFailed}));
    QCOMPARE(calls[0].trace, calls[1].trace);
    QVERIFY(calls[2].trace.valid() && calls[2].trace != calls[0].trace);
    QVERIFY(!calls[3].trace.valid() && !calls[4].trace.valid());

    const session::Contents& contents = recording.read();
    QCOMPARE(contents.functions.size(), size_t{1});
    QCOMPARE(contents.functions[0].name, std::string("step"));
    QCOMPARE(contents.functions[0].line, 4);
    QCOMPARE(contents.functions[0].parameters, (std::vector<std::string>{"x", "object", "literal"}));
    QCOMPARE(contents.traces.size(), size_t{3});
    QCOMPARE(contents.traces[0].reason, TraceReason::kCall);
    QCOMPARE(contents.traces[1].reason, TraceReason::kRelaxed);
    QCOMPARE(contents.traces[1].nearest, contents.traces[0].id);
    QCOMPARE(contents.traces[1].number, 2);
    QCOMPARE(contents.traces[2].error, std::string("no"));
    QCOMPARE(contents.graphs.size(), size_t{2});
    QCOMPARE(contents.traces[0].graph(), contents.graphs[0].id);
  }

  // A program that was compiled before says no time when it is asked for again.
  void what_is_compiled_does_not_depend_on_a_recording() {
    const auto was_compiled = [](trace::Trace& trace) {
      compile::Phases phases;
      trace.concrete->program(&phases);
      return phases.all.end_ns == 0;
    };
    for (const bool recorded : {false, true}) {
      std::optional<Recording> recording;
      if (recorded) recording.emplace();
      Script f("f", twice), inner("inner", twice);
      Script outer("outer", [&](std::span<const Tensor> in) { return std::vector{inner({{in[0]}})}; });
      bool traced = false, compiled_by_now = false;
      f.while_running = [&] { compiled_by_now = was_compiled(*f.function.traces()[0]); };
      f({{real(1)}});
      QVERIFY(compiled_by_now);
      QVERIFY(!was_compiled(*f.get_concrete({{real(1)}, 0, 2}, traced)) && traced);
      Tape tape;
      const Tensor x = real(1);
      tape.watch(x);
      tape.start();
      outer({{x}});
      tape.stop();
      QVERIFY(!was_compiled(*outer.function.traces()[0]));
      QVERIFY(!was_compiled(*inner.function.traces()[0]));
      if (!recording) continue;
      // The recording has the passes of each nevertheless, and no time of the program's for those.
      const session::Contents& contents = recording->read();
      QCOMPARE(contents.traces.size(), size_t{4});
      for (const session::TraceRecord& trace : contents.traces) {
        const auto is_compiling = [](const session::PhaseRecord& phase) { return phase.name == "compile"; };
        QCOMPARE(std::ranges::any_of(trace.phases, is_compiling), trace.id == contents.traces[0].id);
        const auto graph = std::ranges::find(contents.graphs, trace.graph(), &session::GraphRecord::id);
        QVERIFY(graph != contents.graphs.end() && !graph->passes.empty());
      }
    }
  }

  void the_trace_that_makes_variables_is_recorded_as_such() {
    Recording recording;
    bool made = false;
    Script f("f", [&](std::span<const Tensor> in) {
      if (!std::exchange(made, true)) trace::note_variable(variable(1), real(1), true);
      return std::vector{in[0]};
    });
    f({{real(1)}});
    const session::Contents& contents = recording.read();
    QCOMPARE(contents.traces.size(), size_t{2});
    QCOMPARE(contents.traces[0].reason, TraceReason::kVariableCreation);
    QCOMPARE(contents.traces[1].reason, TraceReason::kCall);
  }

  void evictions_are_said_and_are_no_retraces() {
    Recording recording;
    Script f("f", twice, {.most_traces = 2}, "evicting:1");
    f.object_names[7] = "<Model object 7>";
    f({{real(1)}, 7});
    trace::key_object_died(7);
    for (int64_t k : {1, 2, 3, 1}) f({{real(1)}, 0, k});
    for (int64_t k = 10; k < 30; ++k) f({{real(1)}, 0, k});
    trace::record_eviction_totals(*session::active_writer());
    const session::Contents& contents = recording.read();
    QCOMPARE(contents.traces[0].cached, 0u);
    QCOMPARE(contents.traces[1].cached, 0u);  // the first one was dropped with its object
    QCOMPARE(contents.traces[4].cached, 2u);
    QCOMPARE(contents.traces[4].reason, TraceReason::kEvicted);
    QCOMPARE(contents.traces[3].reason, TraceReason::kCall);
    std::string notes;
    for (const session::ConsoleRecord& line : contents.console)
      if (line.stream == session::ConsoleStream::kNote) notes += line.text;
    QVERIFY(has(notes, "trace #1 of function 'f' was evicted: <Model object 7> in its key was deleted"));
    QVERIFY(has(notes, "trace #2 of function 'f' was evicted: the function has 2 traces"));
    QVERIFY(has(notes, "function 'f' (evicting:1): 23 traces were evicted in all"));
  }

  // --- threads ---
  void one_thread_traces_while_the_others_wait_outside_of_the_interpreter() {
    constexpr int kThreads = 6;
    Recording recording;
    Script* self = nullptr;
    Script f("f", [&](std::span<const Tensor> in) {
      // The others can only get here to wait because this thread releases the interpreter, and they do too.
      while (self->waiting < kThreads - 1) {
        const OutsideOfInterpreter outside;
        std::this_thread::yield();
      }
      return twice(in);
    });
    self = &f;
    std::vector<float> results(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        const std::lock_guard lock(interpreter());
        results[static_cast<size_t>(i)] = f.number({{real(static_cast<float>(i))}});
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(f.runs, 1);
    const std::vector<session::WaitRecord> waits = recording.waits();
    QCOMPARE(waits.size(), size_t{kThreads - 1});
    std::set<uint32_t> who;
    for (const session::WaitRecord& wait : waits) {
      QCOMPARE(wait.function, f.function.id());
      QVERIFY(wait.end_ns >= wait.start_ns && wait.start_ns > 0);
      who.insert(wait.thread.value);
    }
    QCOMPARE(who.size(), waits.size());
    for (int i = 0; i < kThreads; ++i) QCOMPARE(results[static_cast<size_t>(i)], 2.f * static_cast<float>(i));
  }
};

QTEST_APPLESS_MAIN(TestFunction)
#include "test_function.moc"
