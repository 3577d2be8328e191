// Handles cache misses: a tracing lock per function, two traces for calls that create variables, relaxing, eviction.
#include "engine/trace/function.h"

#include "engine/base/clock.h"
#include "engine/base/end_of_sequence.h"
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/eager/tape.h"
#include "engine/session/writer.h"
#include "engine/trace/first_call.h"
#include "engine/trace/function_recording.h"
#include "engine/trace/hooks.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace footlight::trace {
namespace {

using keys::DispatchTable;

// A trace whose key contains a number.
using Holder = std::pair<Function*, int>;
auto& holders() {
  static auto& all = *new std::unordered_map<uint64_t, std::set<Holder>>;
  return all;
}

// The numbers in a key, except the one that does not outlive the function.
template <class Visit>
void visit_numbers(std::span<const uint64_t> key, uint64_t self, Visit&& visit) {
  for (size_t at = 0; at < key.size();) {
    const keys::Item item = keys::read(key, at);
    if (item.number && item.number != self) visit(item.number);
  }
}

// Pins the numbers in the key of a trace in progress, which is not among the holders yet.
class Pinned {
 public:
  explicit Pinned(std::span<const uint64_t> key) : key_(key) {
    visit_numbers(key_, 0, [](uint64_t number) { ++counts()[number]; });
  }
  ~Pinned() {
    visit_numbers(key_, 0, [](uint64_t number) {
      if (--counts()[number] == 0) counts().erase(number);
    });
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  static bool has(uint64_t number) { return counts().contains(number); }

 private:
  static std::unordered_map<uint64_t, int>& counts() {
    static auto& all = *new std::unordered_map<uint64_t, int>;
    return all;
  }
  std::span<const uint64_t> key_;
};

// Depth of nested traces on this thread: each takes about as much C stack as a dozen Python calls.
class Depth {
 public:
  explicit Depth(FrontEnd& front_end) {
    if (this_thread.trace_depth >= kDeepest)
      fail(ErrorKind::kRecursion, "traced function '", front_end.source().name,
           "' keeps calling itself with new arguments: maximum recursion depth exceeded while tracing");
    ++this_thread.trace_depth;
  }
  ~Depth() { --this_thread.trace_depth; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  static constexpr int kDeepest = 300;
};

// Compiles a trace that is called as soon as it is finished, recorded or not. Other traces are compiled when they first
// run, which may be never: a graph around them has its own program, and under a tape another graph runs, which keeps
// what gradients need.
compile::Phases compile_for_call(Concrete& concrete) {
  compile::Phases phases;
  if (this_thread.recorders) return phases;
  try {
    concrete.program(&phases);
  } catch (const Error&) {
    return {};  // the call compiles it again, and reports the line that failed
  }
  return phases;
}

std::string made_by(const FunctionSource& source) {
  return str("function '", source.name, "'",
             source.file.empty() ? "" : str(" (", source.file, ":", source.decorator_line, ")"));
}

}  // namespace

std::vector<std::string> FrontEnd::describe_captures(const Trace& trace) const {
  std::vector<std::string> texts;
  for (const Tensor& capture : trace.concrete->captures()) texts.push_back(describe_capture(capture));
  return texts;
}

std::shared_ptr<Trace> FrontEnd::with_graph(const Trace&, std::shared_ptr<Concrete> concrete) {
  std::shared_ptr<Trace> trace = new_trace();
  trace->concrete = std::move(concrete);
  return trace;
}

std::string FrontEnd::describe(const std::exception_ptr& error) const {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an error";
  }
}

Function::~Function() {
  for (int index : table_.by_age()) release(index);
}

void Function::belong_to(const Function& other, uint64_t self) {
  family_ = other.family_;
  definition_ = other.definition_;
  options_.self = self;
}

FunctionId Function::id() {
  record_function(*this);
  return family_->id;
}

std::shared_ptr<Trace> Function::find(std::span<const uint64_t> key) {
  std::shared_ptr<Trace> found;
  {
    struct Searching {
      explicit Searching(int& count) : count_(count) { ++count_; }
      ~Searching() { --count_; }
      int& count_;
    } searching(searching_);
    const int index = table_.find(key);
    if (index != DispatchTable::kMiss) found = traces_[static_cast<size_t>(index)];
  }
  if (!searching_ && !died_meanwhile_.empty()) {
    std::vector<std::shared_ptr<Trace>> evicted;
    for (uint64_t number : std::exchange(died_meanwhile_, {})) object_died(number, evicted);
  }
  return found;
}

std::shared_ptr<Trace> Function::find_or_trace(std::span<const uint64_t> key, const Arguments& arguments,
                                               session::TraceReason reason, bool& traced) {
  traced = false;
  if (std::shared_ptr<Trace> known = find(key)) return known;
  int64_t waits_since = 0;
  if (!tracing_.try_lock()) {
    waits_since = now_ns();
    front_end_.wait(tracing_);
  }
  const std::lock_guard lock(tracing_, std::adopt_lock);
  if (waits_since) record_wait(*this, waits_since);
  if (std::shared_ptr<Trace> known = find(key)) return known;  // the previous owner of the lock has traced it
  traced = true;
  std::vector<uint64_t> wanted = front_end_.declared(key);
  if (wanted.empty() && options_.reduce_retracing) {
    wanted = table_.relaxed(key);
    if (!std::ranges::equal(wanted, key)) reason = session::TraceReason::kRelaxed;
  }
  if (wanted.empty()) wanted.assign(key.begin(), key.end());
  keys::Key full(wanted, front_end_.parameters(), front_end_.names(wanted));
  if (evicted_keys_.erase(full.hash) && reason != session::TraceReason::kGetConcreteFunction)
    reason = session::TraceReason::kEvicted;
  const Pinned pinned(wanted);
  // Otherwise a graph around this one, or the caller of get_concrete_function, may run it later or more than once.
  const bool called_now = !this_thread.builder && reason != session::TraceReason::kGetConcreteFunction;
  const Made made = make_trace(arguments, full, reason, called_now);
  // The body may have called this function, so another trace may serve by now; add ours anyway.
  add(std::move(full), made.first && !called_now ? made.first : made.trace);
  return made.first ? made.first : made.trace;
}

Function::Made Function::make_trace(const Arguments& arguments, const keys::Key& key,
                                    session::TraceReason reason, bool called_now) {
  const Depth depth(front_end_);
  record_function(*this);
  TraceTimes times{.start = now_ns()};
  const std::shared_ptr<Trace> trace = front_end_.new_trace();
  trace->id = session::new_trace_id();
  const bool first = variables_ == Variables::kMayBeMade;
  GraphBuilder builder(numbered(front_end_.graph_name() + '_'));
  builder.graph()->made_by = made_by(front_end_.source());
  FunctionScope scope(builder, front_end_.source().name, trace->id, variables_);
  TraceRun run{arguments, key.words, builder, *trace};
  try {
    const HideTapes hidden;
    const Building building(&builder);
    builder.finish(front_end_.run_body(run));
  } catch (...) {
    const std::exception_ptr error = front_end_.failure();
    if (scope.made_variables()) variables_ = Variables::kMade;
    times.body = now_ns() - times.start;
    trace->number = ++family_->traces;
    if (recording_structure()) record_trace(*this, *trace, key, reason, times, front_end_.describe(error));
    std::rethrow_exception(error);
  }
  times.body = now_ns() - times.start;
  ++tracing_count_;
  const bool made_variables = scope.made_variables();
  if (first) variables_ = made_variables ? Variables::kMade : Variables::kNone;
  trace->number = ++family_->traces;
  builder.graph()->id = session::new_graph_id();
  trace->concrete = std::make_shared<Concrete>(builder);
  front_end_.finish(run);
  if (called_now && !made_variables && front_end_.runs_as_traced(*trace))
    times.compile = compile_for_call(*trace->concrete);
  record_trace(*this, *trace, key, made_variables ? session::TraceReason::kVariableCreation : reason, times, {});
  if (!made_variables) return {trace, nullptr};
  // Traces twice: with variables being created, and without.
  const bool sets_by_graph = !scope.set_by_graph().empty();
  Made made = make_trace(arguments, key, reason, called_now && !sets_by_graph);
  if (sets_by_graph) made.first = first_call(*trace, *made.trace, scope.set_by_graph(), key, called_now);
  return made;
}

std::shared_ptr<Trace> Function::first_call(const Trace& creating, const Trace& later,
                                            std::span<const Tensor> variables, const keys::Key& key,
                                            bool called_now) {
  TraceTimes times{.start = now_ns()};
  GraphBuilder builder(numbered(front_end_.graph_name() + '_'));
  builder.graph()->made_by = made_by(front_end_.source());
  build_first_call(builder, *creating.concrete, *later.concrete, variables);
  times.body = now_ns() - times.start;
  builder.graph()->id = session::new_graph_id();
  const std::shared_ptr<Trace> trace = front_end_.with_graph(later, std::make_shared<Concrete>(builder));
  trace->id = session::new_trace_id();
  trace->number = ++family_->traces;
  if (called_now && front_end_.runs_as_traced(*trace)) times.compile = compile_for_call(*trace->concrete);
  record_trace(*this, *trace, key, session::TraceReason::kVariableCreation, times, {});
  return trace;
}

void Function::add(keys::Key key, std::shared_ptr<Trace> trace) {
  std::vector<std::shared_ptr<Trace>> evicted;  // freed last: destroying a trace may call back
  while (table_.size() >= options_.most_traces && !searching_)
    evicted.push_back(evict(table_.least_recently_used(), Evicted::kFull, 0));
  const int index = table_.add(std::move(key));
  visit_numbers(table_.key(index).words, options_.self,
                [&](uint64_t number) { holders()[number].insert({this, index}); });
  traces_.resize(table_.index_end());
  traces_[static_cast<size_t>(index)] = std::move(trace);
}

void Function::release(int index) {
  visit_numbers(table_.key(index).words, options_.self, [&](uint64_t number) {
    const auto at = holders().find(number);
    if (at == holders().end()) return;  // the number is in the key twice
    at->second.erase({this, index});
    if (at->second.empty()) holders().erase(at);
  });
}

std::shared_ptr<Trace> Function::evict(int index, Evicted why, uint64_t number) {
  const keys::Key& key = table_.key(index);
  std::shared_ptr<Trace> trace = std::move(traces_[static_cast<size_t>(index)]);
  if (why == Evicted::kFull) {
    if (evicted_keys_.size() >= options_.most_traces) evicted_keys_.clear();
    evicted_keys_.insert(key.hash);
  }
  record_eviction(*this, *trace, why == Evicted::kObjectDied ? &key : nullptr, number, options_.most_traces);
  release(index);
  table_.forget(index);
  traces_.resize(table_.index_end());
  if (traces_.size() * 4 < traces_.capacity()) traces_.shrink_to_fit();
  trace->evicted_ = true;
  if (trace->running_) still_running_.push_back(trace);
  return trace;
}

void Function::free_evicted() {
  std::vector<std::shared_ptr<Trace>> done;
  std::erase_if(still_running_, [&](const std::shared_ptr<Trace>& trace) {
    if (trace->running_) return false;
    done.push_back(trace);
    return true;
  });
}

void Function::object_died(uint64_t number, std::vector<std::shared_ptr<Trace>>& evicted) {
  if (searching_) return died_meanwhile_.push_back(number);
  for (;;) {
    const auto at = holders().find(number);
    if (at == holders().end()) return;
    const auto own = at->second.lower_bound({this, 0});
    if (own == at->second.end() || own->first != this) return;
    evicted.push_back(evict(own->second, Evicted::kObjectDied, number));
  }
}

void key_object_died(uint64_t number) {
  const auto at = holders().find(number);
  if (at == holders().end()) return;
  std::vector<std::shared_ptr<Trace>> evicted;
  std::vector<Function*> functions;
  for (const auto& [function, index] : at->second)
    if (functions.empty() || functions.back() != function) functions.push_back(function);
  for (Function* function : functions) function->object_died(number, evicted);
}

bool key_object_is_used(uint64_t number) { return holders().contains(number) || Pinned::has(number); }

std::vector<std::shared_ptr<Trace>> Function::traces() const {
  std::vector<std::shared_ptr<Trace>> all;
  for (int index : table_.by_age()) all.push_back(traces_[static_cast<size_t>(index)]);
  return all;
}

void Function::note_traced() {
  if (!definition_->note_traced(tracing_count_)) return;
  std::string why;
  if (const std::vector<int>& made = table_.by_age(); made.size() > 1)
    why = keys::phrase(keys::differences(table_.key(made[made.size() - 2]), table_.key(made.back())));
  front_end_.warn(str("function '", front_end_.source().name,
                      "' is retracing often: ", definition_->frequency(),
                      why.empty() ? "" : "; the last trace differs from the one before in the ", why,
                      ". Tracing is expensive: pass changing numbers as tensors, declare changing dimensions "
                      "as None in an input_signature "
                      "or use reduce_retracing=True, and make the function once, outside of loops"));
}

CallOutcome Function::outcome_of_error(const CallRun& call, TraceId trace, CallOutcome good) {
  if (!trace.valid()) return CallOutcome::kFailed;
  try {
    throw;
  } catch (const Error& e) {
    const bool at_end = e.kind() == ErrorKind::kOutOfRange && e.message().starts_with(kEndOfSequence);
    if (!at_end) return CallOutcome::kFailed;
    if (hooks.met_end_of_data) hooks.met_end_of_data(call.start_ns);
    return good;
  } catch (...) {
    return CallOutcome::kFailed;
  }
}

void Function::record(const CallRun& call, TraceId trace, CallOutcome outcome, std::span<const uint64_t> asked) {
  record_call_of(*this, call, trace, outcome, asked);
}

}  // namespace footlight::trace
