// The repetitions of a call that is compared: pairs of an eager and a traced one in random order, some with marks.
#include "engine/base/activity.h"
#include "engine/base/device_hooks.h"
#include "engine/base/device_pause.h"
#include "engine/base/text.h"
#include "engine/eager/tape.h"
#include "engine/python/calls/library.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/observed/compare.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/function/observed/suppress_side_effects.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/objects.h"
#include "engine/runtime/repeated_elements.h"
#include "engine/session/writer.h"
#include "engine/trace/pass_record.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

namespace footlight::python {
namespace {

using session::ComparisonRecord;
using session::ComparisonRun;

constexpr uint32_t kWarmUp = 3;
constexpr uint32_t kMinPairs = 10;            // pairs without events before the spread may end it
constexpr uint32_t kMinPairsWithEvents = 3;
constexpr size_t kMaxMarksOfRun = 100'000;
constexpr size_t kMaxMarks = 200'000;      // marks that are written
constexpr uint64_t kMaxBytes = uint64_t{2} << 30;  // for variables
constexpr double kKnownWithin = 0.02;
constexpr double kMinSeconds = 0.2;       // before the spread may end it
constexpr double kMaxWarmUp = 0.2;         // share of the time

// A function's definition, as it was.
class KeptDefinition {
 public:
  explicit KeptDefinition(trace::Definition& definition) : at_(definition), before_(definition) {}
  ~KeptDefinition() { at_ = before_; }
  KeptDefinition(const KeptDefinition&) = delete;
  KeptDefinition& operator=(const KeptDefinition&) = delete;

 private:
  trace::Definition& at_;
  const trace::Definition before_;
};

// In its scope nothing is recorded, or every activity of this thread is.
class Marking {
 public:
  explicit Marking(ActivityLog* log)
      : set_(log ? RecordingLevel::kOps : RecordingLevel::kOff), level_(recording_level.exchange(set_)) {
    repeating_call = true;
    this_thread.activity = log;
    stays_out = !log;                       // so that EngineEntry looks
  }
  ~Marking() {
    repeating_call = false;
    this_thread.activity = nullptr;
    stays_out = true;
    RecordingLevel ours = set_;              // unless somebody has changed it meanwhile
    recording_level.compare_exchange_strong(ours, level_);
  }
  Marking(const Marking&) = delete;
  Marking& operator=(const Marking&) = delete;

 private:
  const RecordingLevel set_, level_;
};

class Eagerly {
 public:
  explicit Eagerly(bool eagerly) : before_(std::exchange(functions_run_eagerly, eagerly)) {}
  ~Eagerly() { functions_run_eagerly = before_; }
  Eagerly(const Eagerly&) = delete;
  Eagerly& operator=(const Eagerly&) = delete;

 private:
  const bool before_;
};

void wait_for_devices() {
  if (const OpenDevices* devices = open_devices.load(std::memory_order_acquire)) {
    const ActivityScope waiting(this_thread.activity, Activity::kWaiting);
    devices->synchronize();
  }
}

// What a mark takes in picoseconds, measured by itself: by how much a small eager op is longer with marks, without the
// work between them that they show as the recorder's own. The median of several rounds.
int64_t time_of_mark(ActivityLog& log) {
  constexpr size_t kRounds = 25;
  const Ref one = Ref::steal(wrap(Tensor::scalar(1.0f)));
  const auto time_of_ops = [&](ActivityLog* marked) {
    log.clear();
    const Marking marking(marked);
    const int64_t start = now_ns();
    for (int i = 0; i < 64; ++i) checked(PyNumber_Add(one.get(), one.get()));
    return now_ns() - start;
  };
  std::array<int64_t, kRounds> rounds;
  for (int64_t& round : rounds) {
    const int64_t plain = time_of_ops(nullptr), marked = time_of_ops(&log);
    const std::vector<ActivityLog::Mark>& marks = log.marks();
    int64_t own = 0, count = 0;
    for (size_t i = 0; i < marks.size(); ++i) {
      if (marks[i].activity != Activity::kRecording) ++count;
      else if (i + 1 < marks.size()) own += marks[i + 1].start_ns - marks[i].start_ns;
    }
    round = (marked - own - plain) * 1000 / std::max<int64_t>(count, 1);
  }
  std::ranges::nth_element(rounds, rounds.begin() + kRounds / 2);
  log.clear();
  return std::max<int64_t>(rounds[kRounds / 2], 0);
}

// How often the processor was taken from this thread, which did not ask for it.
uint64_t interruptions_so_far() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<uint64_t>(usage.ru_nivcsw);
}

void describe(session::ComparisonMark& mark, const OpEvent& op) {
  mark.op = op.op;
  mark.source = op.source();
  mark.graph = op.graph();
  mark.node = op.node();
  mark.signature = op.signature;
}

// A kernel that did the work of several ops becomes a mark for each, with its share of the time. Without room for them
// the kernel belongs to no op.
void take_parts(const ActivityLog::Parts& parts, int64_t end, ComparisonRun& run) {
  if (run.marks.size() + parts.events.size() > kMaxMarksOfRun) return;
  const session::ComparisonMark kernel = run.marks.back();
  run.marks.pop_back();
  double before = 0, whole = 0;
  for (const uint32_t weight : parts.weights) whole += weight;
  for (size_t i = 0; i < parts.events.size(); ++i) {
    session::ComparisonMark& made = run.marks.emplace_back(kernel);
    made.start_ns += static_cast<int64_t>(static_cast<double>(end - kernel.start_ns) * before / whole);
    describe(made, parts.events[i]);
    before += parts.weights[i];
  }
}

void take_marks(const ActivityLog& log, ComparisonRun& run) {
  const std::vector<ActivityLog::Mark>& marks = log.marks();
  run.lost = log.lost();
  run.marks.reserve(marks.size());
  auto split = log.split().begin();
  for (size_t i = 0; i < marks.size(); ++i) {
    session::ComparisonMark& made = run.marks.emplace_back();
    made.start_ns = marks[i].start_ns;
    made.activity = marks[i].activity;
    if (marks[i].op != ActivityLog::kNoOp) describe(made, log.ops()[marks[i].op]);
    if (split == log.split().end() || split->mark != i) continue;
    take_parts(*split->parts, i + 1 < marks.size() ? marks[i + 1].start_ns : run.end_ns, run);
    ++split;
  }
}

// What is known of the differences so far.
struct Differences {
  uint32_t count = 0;
  double mean = 0, squares = 0;
  void add(double value) {
    ++count;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
  }
  // Half of the interval that holds the mean in 19 of 20 cases, as a share of it.
  double known_within() const {
    return count < 2 || mean == 0 ? 1 : 1.96 * std::sqrt(squares / (count - 1) / count) / std::abs(mean);
  }
};

class Repetitions {
 public:
  // `before`: the program as the call found it.
  Repetitions(const WantedComparison& wanted, const CallWords& call, const KeptProgram& before,
              runtime::RepeatedElements& elements, ComparisonRecord& record)
      : wanted_(wanted), call_(call), record_(record), before_(before), elements_(elements), after_(kMaxBytes) {}

  // Restores the program's state, however the comparison ends.
  void run() {
    try {
      repeat_all();
    } catch (...) {
      quietly([&] { after_.put_back(); });
      throw;
    }
    after_.put_back();
  }

 private:
  void repeat_all() {
    record_.mark_ps = time_of_mark(log_);
    const int64_t began = now_ns();
    const auto passed = [&] { return static_cast<double>(now_ns() - began) * 1e-9; };
    uint32_t warm_up = kWarmUp;
    for (uint32_t pair = 0; pair < warm_up + wanted_.pairs && record_.error.empty(); ++pair) {
      // The first of all has events, and so has the first one that counts: time may be over after it.
      const bool with_events =
          (pair == 0 || pair % 4 == warm_up % 4) && (pair == 0 || has_room());
      repeat(pair, pair < warm_up, with_events);
      if (!record_.error.empty()) continue;
      if (pair < warm_up) {
        if (pair == 0 && passed() > wanted_.seconds) {
          count_the_first();
          break;
        }
        // A call that is so long is warm after one.
        if (passed() > wanted_.seconds * kMaxWarmUp) warm_up = pair + 1;
        forget_marks();
        continue;
      }
      if (!was_interrupted_) (with_events ? with_events_ : without_) += 1;
      if (without_ >= kMinPairs && with_events_ >= kMinPairsWithEvents && passed() > kMinSeconds &&
          differences_.known_within() < kKnownWithin) {
        record_.stopped = "the difference is known within 2 %";
        break;
      }
      if (passed() > wanted_.seconds) {
        record_.stopped = str(wanted_.seconds, " s were over");
        break;
      }
      if (!has_room() && pair % 4 == (warm_up + 3) % 4) {
        record_.stopped = str("a recording has room for ", with_events_, " recorded pairs");
        break;
      }
    }
    if (record_.stopped.empty()) record_.stopped = record_.error.empty() ? "all pairs were run" : "a repetition failed";
    const uint64_t printed = std::max(printed_[0], printed_[1]);
    if (!elements_.empty())
      record_.notes.push_back(str("Each repetition got the elements again that the call took out of iterators; "
                                  "meanwhile ", elements_.ahead(), " more were taken from the pipelines, which the "
                                  "script got afterwards"));
    if (printed)
      record_.notes.push_back(str("Each eager repetition printed ", printed_[0], " bytes, each traced one ",
                                  printed_[1], "; Footlight dropped that output"));
  }

  // For the marks of another pair.
  bool has_room() const { return marks_ + marks_of_pair_ <= kMaxMarks; }

  void forget_marks() {
    for (size_t i = record_.runs.size() - 2; i < record_.runs.size(); ++i) record_.runs[i].marks = {};
  }

  // One pair took all the time: it is no warm-up then, but all that there is.
  void count_the_first() {
    for (ComparisonRun& run : record_.runs) run.warm_up = false;
    record_.stopped = str(wanted_.seconds, " s were over after one pair, which nothing had warmed up");
  }

  void repeat(uint32_t pair, bool warm_up, bool with_events) {
    const bool traced_first = random_() % 2;
    std::array<ComparisonRun, 2> runs;
    for (const bool traced : {traced_first, !traced_first}) {
      ComparisonRun& run = runs[traced];
      run = {.pair = pair, .traced = traced, .warm_up = warm_up, .with_events = with_events};
      once(run);
      if (!record_.error.empty()) return;
    }
    was_interrupted_ = runs[0].interruptions || runs[1].interruptions;
    if (with_events) {
      marks_of_pair_ = runs[0].marks.size() + runs[1].marks.size();
      if (!warm_up) marks_ += marks_of_pair_;
    } else if (!warm_up && !was_interrupted_) {
      differences_.add(static_cast<double>(runs[1].end_ns - runs[1].start_ns - (runs[0].end_ns - runs[0].start_ns)));
    }
    for (ComparisonRun& run : runs) record_.runs.push_back(std::move(run));
  }

  void once(ComparisonRun& run) {
    after_.put_back();                      // with what the call has made
    before_.put_back();
    elements_.rewind();
    log_.clear();
    FunctionCore& core = core_of(call_.function);
    PyObject* const callable = run.traced ? call_.function : core.python_function.get();
    {
      const Eagerly eagerly(!run.traced);
      const DevicesUnrecorded unrecorded(!run.with_events);
      const runtime::RepeatedElements::Scope giving(elements_, runtime::RepeatedElements::Mode::kGive);
      const Marking marking(run.with_events ? &log_ : nullptr);
      const uint64_t before = interruptions_so_far();
      run.start_ns = now_ns();
      const size_t count = call_.nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET;
      const Ref result = Ref::steal(PyObject_Vectorcall(callable, call_.args, count, call_.kwnames));
      if (result) wait_for_devices();
      run.end_ns = now_ns();
      run.interruptions = interruptions_so_far() - before;
      if (!result) failed(run.traced);
    }
    take_marks(log_, run);
    printed_[run.traced] = std::max(printed_[run.traced], quiet_.take_printed());
  }

  void failed(bool traced) {
    record_.error = (traced ? "traced: " : "eagerly: ") + exception_text();
  }

  const WantedComparison& wanted_;
  const CallWords& call_;
  ComparisonRecord& record_;
  const KeptProgram& before_;
  runtime::RepeatedElements& elements_;
  const KeptProgram after_;
  SuppressSideEffects quiet_;
  ActivityLog log_{kMaxMarksOfRun};
  std::minstd_rand random_{static_cast<uint32_t>(now_ns())};
  Differences differences_;
  uint32_t with_events_ = 0, without_ = 0;  // pairs that nobody interrupted
  bool was_interrupted_ = false;            // the last pair
  size_t marks_ = 0, marks_of_pair_ = 0;
  std::array<uint64_t, 2> printed_{};
};

// What is known of the graph before it runs again.
void describe_graph(FunctionCore& core, BoundCall& bound, ComparisonRecord& record, session::Writer& writer) {
  record.trace = bound.entry().id;
  record.changes = trace::pass_changes(bound.entry().concrete->program());
  for (const std::string& change : outside_changes(core.python_function.get()))
    record.notes.push_back("Every eager repetition repeats an effect outside of the graph: " + change);
  for (const std::string& note : record.notes)
    writer.add(session::ConsoleRecord{now_ns(), session::ConsoleStream::kNote,
                                      str("comparing ", core.qualified_name, ": ", note, "\n")});
}

void compare_into(ComparisonRecord& record, const WantedComparison& wanted, const CallWords& call,
                  const KeptProgram* before, runtime::RepeatedElements& elements, session::Writer& writer) {
  FunctionCore& core = core_of(call.function);
  BoundCall bound(call);
  describe_graph(core, bound, record, writer);
  if (elements.is_cut())
    throw Error(ErrorKind::kResourceExhausted,
                "The call took more elements out of iterators than are kept, so it was not repeated");
  if (before) {
    const KeptDefinition kept(core.function.definition());
    const HideTapes hidden;
    Repetitions(wanted, call, *before, elements, record).run();
  }
  if (bound.entry().concrete->program().schedule.state() == compile::ParallelSchedule::State::kParallel)
    record.notes.push_back("Some ops of the graph run side by side; recorded repetitions run them one after the other");
}

}  // namespace

Ref compare_call(const WantedComparison& wanted, vectorcallfunc plain, const CallWords& call) {
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  std::optional<KeptProgram> before;
  ComparisonRecord record;
  try {
    if (writer) before.emplace(kMaxBytes);
  } catch (const Error& e) {
    record.error = e.message();
  } catch (const PythonErrorSet&) {
    record.error = exception_text();
  }
  // The program's own call comes first, as if nothing was compared: it traces, and its calls and times are its own.
  runtime::RepeatedElements elements;
  Ref result;
  {
    const runtime::RepeatedElements::Scope keeping(elements, runtime::RepeatedElements::Mode::kKeep);
    result = checked(plain(call.function, call.args, call.nargsf, call.kwnames));
  }
  if (!writer || session::active_writer() != writer) return result;
  record.function = core_of(call.function).function.id();
  record.call = wanted.call.number();
  record.source = current_source();
  try {
    wait_for_devices();  // what the program still runs is no part of the repetitions
  } catch (const Error&) {
    // the program meets that error where it reads the value
  }
  record.start_ns = now_ns();
  if (const OpenDevices* devices = open_devices.load(std::memory_order_acquire)) record.simulated = devices->simulated;
  // That call has its result, which is not to be lost by what follows.
  try {
    compare_into(record, wanted, call, before ? &*before : nullptr, elements, *writer);
  } catch (const Error& e) {
    record.error = e.message();
  } catch (const PythonErrorSet&) {
    record.error = exception_text();
  }
  record.end_ns = now_ns();
  // Who reads the log while it grows finds the devices' work before the comparison that it belongs to.
  if (void (*deliver)() = recorder_hooks.deliver_devices.load()) deliver();
  if (session::active_writer() == writer) writer->add(std::move(record));
  return result;
}

}  // namespace footlight::python
