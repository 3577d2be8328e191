// Writes functions, traces, graphs, calls and evictions into the session.
#include "engine/trace/function_recording.h"

#include "engine/base/activity.h"
#include "engine/base/call_stack.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/graph/describe.h"
#include "engine/keys/nearness.h"
#include "engine/session/writer.h"
#include "engine/trace/call_sites.h"
#include "engine/trace/graph_record.h"

#include <bit>

namespace footlight::trace {
namespace {

constexpr size_t kMaxSeen = 1024;

session::Writer* recording_writer() { return recording_structure() ? session::active_writer() : nullptr; }

void note(session::Writer& writer, const std::string& words) {
  writer.add(session::ConsoleRecord{now_ns(), session::ConsoleStream::kNote, words + '\n'});
}

// The numbers of captures, because a graph does not contain the variable or tensor behind an input.
std::vector<uint32_t> capture_numbers(Family& family, const Concrete& concrete) {
  std::vector<uint32_t> numbers;
  for (const Tensor& capture : concrete.captures()) {
    const bool resource = capture.dtype() == DType::kResource && !capture.is_symbolic();
    const void* what = resource ? static_cast<const void*>(capture.resource_object()) : capture.body();
    numbers.push_back(family.captured.try_emplace(what, static_cast<uint32_t>(family.captured.size())).first->second);
  }
  return numbers;
}

// Finds the nearest recorded trace; the latest of several.
void find_nearest(const Family& family, const keys::Key& key, session::TraceRecord& record) {
  std::vector<keys::Difference> differing;
  for (auto seen = family.seen.rbegin(); seen != family.seen.rend(); ++seen) {
    std::vector<keys::Difference> found = keys::differences(seen->key, key);
    if (record.nearest.valid() && !keys::is_nearer(found, differing)) continue;
    record.nearest = seen->trace;
    differing = std::move(found);
  }
  for (const keys::Difference& d : differing) record.differing.push_back(d.path);
  if (record.nearest.valid()) record.why = keys::phrase(differing);
}

// Adds the time that the recorder itself has taken of the trace so far.
void add_recording_phase(session::TraceRecord& record, int64_t since_ns) {
  record.phases.push_back({"record", "recorder", -1, since_ns, now_ns()});
}

// Adds the times of the compilation, and of the optimizer's passes on each graph.
void add_compile_phases(const compile::Phases& phases, session::TraceRecord& record) {
  if (!phases.all.end_ns) return;
  const auto parent = static_cast<int32_t>(record.phases.size());
  record.phases.push_back({"compile", "trace", -1, phases.all.start_ns, phases.all.end_ns});
  for (const compile::TimeRange& pass : phases.optimize)
    record.phases.push_back({"optimize", "trace", parent, pass.start_ns, pass.end_ns});
}

// The program that the trace runs, or would run. A recording shows the passes on every graph, but must not decide
// whether a trace is compiled: if it is not, the recorder compiles a program for itself.
compile::ProgramPtr program_of(Concrete& concrete, const compile::Phases& phases) {
  return phases.all.end_ns ? concrete.shared_program() : concrete.make_program();
}

}  // namespace

void record_eviction_totals(session::Writer& writer) {
  for (const std::string& sentence : unreported_evictions()) note(writer, sentence);
}

std::string describe_capture(const Tensor& t) {
  return str(describe(t.dtype(), t.shape()), t.is_symbolic() ? " tensor of the enclosing function" : " tensor");
}

void record_function(Function& function) {
  Family& family = function.family();
  if (!family.id.valid()) family.id = session::new_function_id();
  const uint32_t recording = recording_number.load(std::memory_order_relaxed);
  session::Writer* writer = family.recorded == recording ? nullptr : recording_writer();
  if (!writer) return;
  family.recorded = recording;
  const FunctionSource& source = function.front_end().source();
  session::FunctionRecord record;
  record.id = family.id;
  record.name = source.name;
  record.kind = record.name.starts_with("Dataset_") ? "dataset" : "tf.function";
  if (!source.file.empty()) record.file = writer->file(source.file);
  record.line = source.line;
  record.decorator_line = source.decorator_line;
  record.parameters = function.front_end().parameters();
  record.made_ns = family.made_ns;
  writer->add(std::move(record));
}

void record_trace(Function& function, Trace& trace, const keys::Key& key, session::TraceReason reason,
                  const TraceTimes& times, const std::string& error) {
  session::Writer* writer = recording_writer();
  if (!writer) return;
  Family& family = function.family();
  const int64_t recording_since = now_ns();
  session::TraceRecord record;
  record.id = trace.id;
  record.function = family.id;
  record.number = trace.number;
  record.reason = reason;
  record.start_ns = times.start;
  record.phases.push_back({"python", "trace", -1, times.start, times.start + times.body});
  for (const auto& [from, to] : trace.conversions) record.phases.push_back({"autograph", "trace", 0, from, to});
  if (trace.concrete) {
    const int64_t until = times.compile.all.end_ns ? times.compile.all.start_ns : recording_since;
    record.phases.push_back({"concrete", "trace", -1, times.start + times.body, until});
  }
  record.signature = keys::summary(key);
  record.cached = static_cast<uint32_t>(function.size());
  record.key = keys::describe(key);
  trace.key = record.call_key = function.keys().id_of(family.id, key.words, [&](auto) { return key.names; });
  find_nearest(family, key, record);
  record.source = caller_source();
  record.location = record_call_site(*writer);
  record.error = error;
  if (trace.concrete) {
    record.graphs = {{"traced", trace.concrete->graph()->id}};
    record.captures = function.front_end().describe_captures(trace);
    record.captured = capture_numbers(family, *trace.concrete);
    add_compile_phases(times.compile, record);
    try {
      record_graphs(*program_of(*trace.concrete, times.compile));
    } catch (const Error&) {
      // Only compiling fails here: the call says so, if it needs a program. The trace is recorded without its passes.
    }
    add_recording_phase(record, recording_since);
  } else {
    add_recording_phase(record, recording_since);
  }
  record.end_ns = now_ns();
  const session::ThreadId thread(thread_rings().number());
  for (session::PhaseRecord& phase : record.phases) phase.thread = thread;
  writer->add(std::move(record));
  if (!error.empty()) return;
  if (family.seen.size() == kMaxSeen) family.seen.erase(family.seen.begin(), family.seen.begin() + kMaxSeen / 4);
  family.seen.push_back({key, trace.id});
}

void record_wait(Function& function, int64_t start_ns) {
  if (session::Writer* writer = recording_writer())
    writer->add(session::WaitRecord{function.family().id, session::ThreadId(thread_rings().number()), start_ns,
                                    now_ns(), caller_source()});
}

namespace {
struct TracedAhead {
  TraceId trace;
  int64_t start_ns = 0;
};
thread_local TracedAhead traced_ahead;
}  // namespace

void note_traced_ahead(TraceId trace, int64_t start_ns) { traced_ahead = {trace, start_ns}; }

void record_call_of(Function& function, const CallRun& call, TraceId trace, CallOutcome outcome,
                    std::span<const uint64_t> asked) {
  if (this_thread.activity) return;  // repetitions of a compared call are not part of the program
  record_function(function);
  CallEvent event;
  event.start_ns = call.start_ns;
  event.end_ns = now_ns();
  event.call = call.id;
  event.parent = call.parent;
  event.key = call.key;
  if (!asked.empty())
    event.key = function.keys().id_of(function.family().id, asked,
                                      [&](auto words) { return function.front_end().names(words); });
  event.source = caller_source();
  event.function = function.family().id;
  event.trace = trace;
  event.outcome = outcome;
  if (traced_ahead.trace.valid() && traced_ahead.trace == trace) [[unlikely]] {
    if (outcome == CallOutcome::kHit) event.outcome = CallOutcome::kTrace;
    event.start_ns = std::exchange(traced_ahead, {}).start_ns;
  }
  record_call(event);
}

void record_eviction(Function& function, const Trace& trace, const keys::Key* key, uint64_t object, size_t most) {
  Definition& definition = function.definition();
  const uint64_t count = ++definition.evicted;
  session::Writer* writer = recording_writer();
  // Records the first few, later ones only now and then; the end of the run has the total.
  if (!writer || (count > 16 && !std::has_single_bit(count))) return;
  definition.evictions_reported = count;
  std::string why;
  if (key) {
    const auto name = key->names ? key->names->find(object) : keys::Names::const_iterator();
    const bool known = key->names && name != key->names->end();
    why = str(known ? name->second.name : "an object", " in its key was deleted");
  } else {
    why = str("the function has ", most, " traces, and this one was used longest ago");
  }
  note(*writer, str("trace #", trace.number, " of function '", function.front_end().source().name,
                    "' was evicted: ", why, count > 1 ? str(" (", count, " evicted so far)") : ""));
}

}  // namespace footlight::trace
