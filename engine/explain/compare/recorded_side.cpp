// Reads a recording window by window: calls, traces, ops and device work as intervals, which are swept at once.
#include "engine/explain/compare/recorded_side.h"

#include "engine/base/errors.h"
#include "engine/explain/compare/recorded_read.h"
#include "engine/explain/words.h"
#include "engine/session/imported.h"

#include <algorithm>

namespace footlight::explain {
namespace {

constexpr uint64_t kWindowOps = 1 << 18;       // that are in memory at once, about
constexpr size_t kMaxRuns = 256;              // calls that a trace is represented by
constexpr size_t kMaxCalls = size_t{1} << 22; // of a function
constexpr size_t kMaxPlaces = 50'000, kMaxEvents = size_t{1} << 22;
constexpr uint64_t kMaxDrawnOps = 20'000;
constexpr size_t kMaxPieces = 40'000, kMaxDrawnSpans = 200;

// The op takes an element from a pipeline: its time is that of the pipeline.
bool takes_input(std::string_view op) { return op.starts_with("IteratorGetNext"); }

// Keeps about `most` elements, evenly spaced.
template <class T>
void thin_out(std::vector<T>& all, size_t most) {
  if (all.size() <= most) return;
  for (size_t i = 0; i < most; ++i) all[i] = all[i * all.size() / most];
  all.resize(most);
}

}  // namespace

RecordedRuns::RecordedRuns(const RecordedSide& side, const GoOn& go_on)
    : side_(side),
      reader_(side.reader),
      go_on_(go_on),
      rest_(session::is_imported(reader_.contents().run.engine) ? Share::kUnexplained : Share::kPython) {
  find_trace_threads();
  if (side.what.kind != Recorded::Kind::kRecording) function_ = function_named(side);
  switch (side.what.kind) {
    case Recorded::Kind::kRecording: take_whole(); break;
    case Recorded::Kind::kFunction: take_function(); break;
    case Recorded::Kind::kTrace: take_trace(); break;
    case Recorded::Kind::kCall: take_call(); break;
  }
  std::map<uint32_t, uint32_t> runs;  // those that are left, numbered anew
  int64_t total = 0;
  for (auto& [thread, spans] : spans_) {
    std::ranges::sort(spans, {}, &Span::start);
    // A call within another one is part of that.
    std::vector<Span> apart;
    for (const Span& s : spans) {
      if (apart.empty() || s.start >= apart.back().end) apart.push_back(s);
      else if (s.run == apart.back().run) apart.back().end = std::max(apart.back().end, s.end);
    }
    spans = std::move(apart);
    for (const Span& s : spans) {
      if (session::kLatestTime - total < s.end - s.start)
        throw Error(ErrorKind::kValue, side_.path + ": its times are damaged");
      total += s.end - s.start;
    }
    for (Span& s : spans) s.run = runs.try_emplace(s.run, static_cast<uint32_t>(runs.size())).first->second;
  }
  if (runs.empty())
    throw Error(ErrorKind::kValue, side_.path + ": the times of " + words_of(side_.what) + " are damaged");
  runs_.resize(runs.size());
  ns_.resize(runs.size());
  ops_of_.resize(runs.size());
  read(spans_, nullptr);
  say_what_is_missing();
}

// --- which stretches of time ---------------------------------------------------------------------------------------

void RecordedRuns::find_trace_threads() {
  std::map<TraceId, session::ThreadId> of_call;  // older files have it only of the calls
  each_record(reader_.calls(), go_on_, [&](const session::CallRecord& c) {
    if (c.outcome == CallOutcome::kTrace) of_call.emplace(c.trace, known(c.thread));
  });
  for (const session::TraceRecord& t : reader_.contents().traces) {
    if (!is_sane(t.start_ns, t.end_ns)) continue;
    const auto call = of_call.find(t.id);
    const session::ThreadId thread = !t.phases.empty() && t.phases.front().thread.valid() ? t.phases.front().thread
                                     : call != of_call.end()                               ? call->second
                                                                                           : session::ThreadId(0);
    traces_[thread].push_back({t.start_ns, t.end_ns, 0});
  }
  for (auto& [thread, list] : traces_) {
    std::ranges::sort(list, [](const Span& a, const Span& b) {
      return std::pair(a.start, b.end) < std::pair(b.start, a.end);
    });
    int64_t end = INT64_MIN;
    std::erase_if(list, [&](const Span& s) { return s.start < std::exchange(end, std::max(end, s.end)); });
  }
}

bool RecordedRuns::in_trace(session::ThreadId thread, int64_t time) const {
  const auto list = traces_.find(known(thread));
  if (list == traces_.end()) return false;
  const auto after = std::ranges::upper_bound(list->second, time, {}, &Span::start);
  return after != list->second.begin() && time < std::prev(after)->end;
}

const char* where_ops_are(const session::Reader& reader) {
  return session::is_imported(reader.contents().run.engine) ? "not recorded" : "part of calls and Python";
}

FunctionId function_named(const RecordedSide& side) {
  constexpr size_t kMaxNames = 8;
  const std::string& wanted = side.what.function;
  const auto names = function_names(side.reader.contents().functions);
  FunctionId by_end;
  size_t ends = 0;
  std::string known;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto& [name, id] = names[i];
    if (name == wanted) return id;
    if (name.substr(name.rfind('.') + 1) == wanted) by_end = id, ++ends;
    if (i < kMaxNames) known += (i ? ", " : "; it has ") + name;
  }
  if (ends == 1) return by_end;
  if (names.size() > kMaxNames) known += " and " + with_commas(names.size() - kMaxNames) + " more";
  throw Error(ErrorKind::kNotFound, side.path + (ends > 1 ? ": has several functions '" : ": has no function '") +
                                        wanted + "'" + known);
}

void RecordedRuns::add_span(session::ThreadId thread, int64_t start, int64_t end, uint32_t run) {
  if (is_sane(start, end)) spans_[known(thread)].push_back({start, end, run});
}

void RecordedRuns::take_whole() {
  const session::Contents& c = reader_.contents();
  const int64_t from = c.run.started_ns > 0 ? c.run.started_ns : reader_.first_time();
  const int64_t to = c.end && c.end->time_ns > 0 ? c.end->time_ns : reader_.last_time();
  if (!is_sane(from, to) || from == to)
    throw Error(ErrorKind::kNotFound, side_.path + ": holds nothing that took time");
  // Without the repetitions that a comparison made of a call.
  std::vector<std::pair<int64_t, int64_t>> compared;
  for (const session::ComparisonRecord& r : c.comparisons)
    if (is_sane(r.start_ns, r.end_ns)) compared.emplace_back(r.start_ns, r.end_ns);
  std::ranges::sort(compared);
  int64_t at = from;
  for (const auto& [start, end] : compared) {
    if (start > at) add_span(main_thread(), at, std::min(start, to), 0);
    at = std::clamp(end, at, to);
  }
  if (at < to) add_span(main_thread(), at, to, 0);
  if (!compared.empty()) notes_.push_back(side_.path + ": the repetitions that Compare made are not counted");
  calls_ = reader_.calls().rows();
}

// The one with the number of its process; else the one that recorded first.
session::ThreadId RecordedRuns::main_thread() const {
  const session::Contents& c = reader_.contents();
  for (const session::ThreadRecord& t : c.threads)
    if (!c.processes.empty() && t.system_id && t.system_id == c.processes.front().pid) return t.number;
  session::ThreadId first;
  int64_t earliest = INT64_MAX;
  const auto see = [&](session::ThreadId thread, int64_t start) {
    if (start < earliest) earliest = start, first = thread;
  };
  if (!reader_.calls().index().empty())
    for (const session::CallRecord& call : *reader_.calls().chunk(0)) see(call.thread, call.start_ns);
  if (!reader_.op_events().index().empty()) {
    const auto ops = reader_.op_events().chunk(0);
    for (size_t i = 0; i < ops->size(); ++i) see(ops->thread[i], ops->start_ns[i]);
  }
  return known(first);
}

void RecordedRuns::take_function() {
  each_record(reader_.calls(), go_on_, [&](const session::CallRecord& c) {
    if (c.function != function_ || in_trace(c.thread, c.start_ns)) return;
    if (++calls_ > kMaxCalls)
      throw Error(ErrorKind::kValue, words_of(side_.what) + ": has too many calls; compare a trace of it");
    add_span(c.thread, c.start_ns, c.end_ns, 0);
  });
  if (spans_.empty())
    throw Error(ErrorKind::kNotFound, side_.path + ": no call of " + words_of(side_.what) + " was recorded");
}

void RecordedRuns::take_trace() {
  for (const session::TraceRecord& t : reader_.contents().traces)
    if (t.function == function_ && static_cast<uint64_t>(t.number) == side_.what.number &&
        t.kind == session::TraceKind::kTrace)
      trace_ = &t;
  if (!trace_) throw Error(ErrorKind::kNotFound, side_.path + ": has no trace " + words_of(side_.what));
  struct Call { session::ThreadId thread; int64_t start, end; };
  std::vector<Call> hits, others;
  uint64_t served = 0;
  each_record(reader_.calls(), go_on_, [&](const session::CallRecord& c) {
    if (c.trace != trace_->id || c.outcome == CallOutcome::kFailed) return;
    if (c.outcome == CallOutcome::kTrace) {
      // What it did when it had its trace is a call like the others.
      if (c.end_ns > trace_->end_ns && !in_trace(c.thread, trace_->end_ns))
        others.push_back({c.thread, std::max(c.start_ns, trace_->end_ns), c.end_ns});
    } else if (!in_trace(c.thread, c.start_ns) && ++served <= kMaxCalls) {
      hits.push_back({c.thread, c.start_ns, c.end_ns});
    }
  });
  if (hits.empty() && others.empty())
    throw Error(ErrorKind::kNotFound, side_.path + ": " + words_of(side_.what) +
                                          " served no recorded call, so there is no time to compare");
  if (hits.empty()) {
    notes_.push_back(words_of(side_.what) + " served only the call that made it: what that call did afterwards counts");
    hits = others;
    served = hits.size();
  }
  thin_out(hits, kMaxRuns);
  if (hits.size() < served)
    notes_.push_back(with_commas(hits.size()) + " of the " + with_commas(served) + " calls that " +
                     words_of(side_.what) + " served were taken, evenly");
  calls_ = hits.size();
  for (size_t i = 0; i < hits.size(); ++i)
    add_span(hits[i].thread, hits[i].start, hits[i].end, static_cast<uint32_t>(i));
}

void RecordedRuns::take_call() {
  struct Call { int64_t start; uint64_t row; session::CallRecord record; };
  std::vector<std::pair<int64_t, uint64_t>> starts;  // with the row, as calls are numbered everywhere
  uint64_t row = 0;
  const auto each_call = [&](auto&& visit) {
    row = 0;
    each_record(reader_.calls(), go_on_, [&](const session::CallRecord& c) {
      if (c.function == function_) visit(c, row);
      ++row;
    });
  };
  each_call([&](const session::CallRecord& c, uint64_t at) {
    if (starts.size() >= 4 * kMaxCalls)
      throw Error(ErrorKind::kValue, words_of(side_.what) + ": the function has too many calls");
    starts.emplace_back(c.start_ns, at);
  });
  if (side_.what.number > starts.size())
    throw Error(ErrorKind::kNotFound, side_.path + ": has no call " + words_of(side_.what) + "; " +
                                          side_.what.function + " was called " + with_commas(starts.size()) +
                                          (starts.size() == 1 ? " time" : " times"));
  const auto wanted = starts.begin() + static_cast<ptrdiff_t>(side_.what.number - 1);
  std::ranges::nth_element(starts, wanted);
  const auto [start, at_row] = *wanted;
  each_call([&](const session::CallRecord& c, uint64_t at) {
    if (at != at_row) return;
    add_span(c.thread, c.start_ns, c.end_ns, 0);
    trace_ = reader_.trace(c.trace);
    source_ = c.source;
    if (c.outcome == CallOutcome::kFailed) notes_.push_back(words_of(side_.what) + " failed");
    if (c.outcome == CallOutcome::kEager) notes_.push_back(words_of(side_.what) + " ran eagerly, as it was asked to");
  });
  calls_ = 1;
}

void RecordedRuns::say_what_is_missing() {
  const session::Contents& c = reader_.contents();
  if (c.level != RecordingLevel::kOps && places_.empty())
    notes_.push_back(side_.path + " was recorded without ops: their time is " + where_ops_are(reader_));
  uint64_t lost = 0;
  for (const session::DroppedRecord& d : c.dropped)
    if (d.what.starts_with("op")) lost += d.count;
  if (lost) notes_.push_back(with_commas(lost) + " ops of " + side_.path + " were not recorded");
  if (elsewhere_)
    notes_.push_back(with_commas(elsewhere_) + (elsewhere_ == 1 ? " op" : " ops") + " on other threads of " +
                     side_.path + " ran meanwhile and are not counted");
  if (helped_)
    notes_.push_back(with_commas(helped_) + (helped_ == 1 ? " op" : " ops") + " of calls in " + side_.path +
                     " ran on other threads: they are counted, without their time");
}

// --- what happened in them -----------------------------------------------------------------------------------------

// Where one window ends and the next begins: chunks that begin in it hold about as many ops as fit.
std::vector<int64_t> RecordedRuns::cuts() const {
  std::vector<std::pair<int64_t, uint64_t>> chunks;
  for (const session::ChunkInfo& c : reader_.op_events().index()) chunks.emplace_back(c.first_ns, c.count);
  std::ranges::sort(chunks);
  std::vector<int64_t> found;
  uint64_t ops = 0;
  for (const auto& [first, count] : chunks) {
    if (ops && ops + count > kWindowOps) found.push_back(first), ops = 0;
    ops += count;
  }
  found.push_back(INT64_MAX);
  return found;
}

void RecordedRuns::read(const Spans& spans, Drawing* drawing) {
  int64_t from = INT64_MIN, shown_at = 0;
  std::map<session::ThreadId, size_t> next;
  std::map<const Span*, int64_t> offsets;
  if (drawing)
    for (const auto& [thread, list] : spans)
      for (const Span& s : list) offsets[&s] = shown_at, shown_at += s.end - s.start;
  for (const int64_t to : cuts()) {
    Stretches stretches;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (const auto& [thread, list] : spans) {
      for (size_t& i = next[thread]; i < list.size() && list[i].start < to; ++i) {
        const Span& s = list[i];
        const Span part{std::max(s.start, from), std::min(s.end, to), s.run};
        Stretch& made = stretches[thread].emplace_back();
        made.span = part;
        made.goes_on = part.start > s.start;
        if (drawing) made.shown_at = offsets[&s] + part.start - s.start;
        first = std::min(first, part.start);
        last = std::max(last, part.end);
        if (s.end > to) break;               // goes on in the next window
      }
    }
    if (!stretches.empty()) read_window(stretches, first, last, drawing);
    from = to;
  }
}

void RecordedRuns::read_window(Stretches& stretches, int64_t from, int64_t to, Drawing* drawing) {
  for (auto& [thread, list] : stretches)
    for (Stretch& s : list) s.host.push_back({s.span.start, s.span.end, rest_, -1});
  add_calls(stretches, from, to);
  add_traces(stretches, from, to);
  add_machine_code(stretches, from, to);
  if (!drawing || drawing->ops) add_ops(stretches, from, to, drawing);
  add_input(stretches, from, to);
  add_devices(stretches, from, to);
  for (const auto& [thread, list] : stretches) {
    for (const Stretch& s : list) {
      if (drawing) draw(s, *drawing);
      else give(s);
    }
  }
}

int32_t RecordedRuns::number_of(FunctionId function) {
  const auto [at, fresh] = numbers_.try_emplace(function, static_cast<int32_t>(named_.size()));
  if (fresh) named_.push_back(function);
  return -2 - at->second;
}

void RecordedRuns::add_calls(Stretches& stretches, int64_t from, int64_t to) {
  each_record(reader_.calls(), from, to, go_on_, [&](const session::CallRecord& c) {
    if (c.outcome == CallOutcome::kEager || !is_sane(c.start_ns, c.end_ns)) return;
    each_overlapped(stretches, c.thread, c.start_ns, c.end_ns, [&](Stretch& s) {
      s.host.push_back({c.start_ns, c.end_ns, Share::kDispatch, number_of(c.function)});
      if (run_of_call_.size() < kMaxEvents) run_of_call_.try_emplace(c.id, s.span.run);
    });
  });
}

void RecordedRuns::add_traces(Stretches& stretches, int64_t from, int64_t to) {
  for (const auto& [thread, list] : traces_)
    for (const Span& t : list)
      if (t.start < to && t.end > from)
        each_overlapped(stretches, thread, t.start, t.end,
                        [&](Stretch& s) { s.host.push_back({t.start, t.end, Share::kTracing, -1}); });
}

int32_t RecordedRuns::place_of(const session::OpColumns& e, size_t i) {
  const bool node = e.node[i].valid();
  const bool has_source = node || e.code[i].valid();
  const Key key{node ? uint64_t{e.graph[i].value} << 32 | e.node[i].value
                     : uint64_t{e.code[i].value} << 32 | e.offset[i],
                uint64_t{e.op[i].value} | uint64_t{node} << 16 | uint64_t{has_source ? 0 : e.location[i].value} << 32};
  const auto [at, fresh] = known_.try_emplace(key, -1);
  if (!fresh || places_.size() >= kMaxPlaces) return at->second;
  PlaceRan made;
  SourceRef source = e.source(i);
  session::LocationId location = e.location[i];
  made.in_graph = node || e.call[i].valid();
  const session::GraphRecord* graph = node ? reader_.graph(e.graph[i]) : nullptr;
  if (graph && e.node[i].value < graph->nodes.size()) {
    const session::NodeRecord& record = graph->nodes[e.node[i].value];
    source = record.source;
    location = record.location;
    made.op = record.op;
    made.names.push_back(record.name);
    made.nodes.push_back({e.graph[i], e.node[i]});
  } else if (const session::OpNameRecord* name = reader_.op_name(e.op[i])) {
    made.op = name->name;
  }
  session::Reader::SourcePlace place = reader_.place(source);
  if (const auto* l = source.code.valid() ? nullptr : reader_.location(location)) {
    place = {l->file, l->line};
    made.function = l->qualname;
  }
  if (const session::CodeRecord* code = reader_.code(source.code)) made.function = code->qualname;
  made.at = {place.file, place.line};
  at->second = static_cast<int32_t>(places_.size());
  places_.push_back(std::move(made));
  return at->second;
}

void RecordedRuns::count(const session::OpColumns& e, size_t i, int32_t place) {
  if (place < 0) return;
  PlaceRan& ran = places_[static_cast<size_t>(place)];
  ++ran.ran;
  ran.first = std::min(ran.first, order_++);
  if (const session::SignatureRecord* signature = reader_.signature(e.signature[i])) {
    ran.bytes += signature->input_bytes + signature->output_bytes;
    ran.flops += signature->flops;
  }
}

void RecordedRuns::add_ops(Stretches& stretches, int64_t from, int64_t to, bool drawing) {
  const bool devices = reader_.device_events().rows() > 0;
  each_chunk(reader_.op_events(), from, to, go_on_, [&](const session::OpColumns& e) {
    for (size_t i = 0; i < e.size(); ++i) {
      const int64_t start = e.start_ns[i], end = std::max(start, e.end_ns[i]);
      if (start >= to || end < from || !is_sane(start, end)) continue;
      if (!stretches.contains(known(e.thread[i]))) {
        // Threads of the engine help with the graph of a call.
        if (const auto of = run_of_call_.find(e.call[i]); e.call[i].valid() && of != run_of_call_.end()) {
          if (drawing || start < from) continue;
          ++helped_;
          ++ops_of_[of->second];
          const bool launches = e.device[i].valid() && e.device[i].value != 0;
          const int32_t place = place_of(e, i);
          if (launches && place_of_event_.size() < kMaxEvents) place_of_event_[e.id[i]] = place;
          count(e, i, place);
          continue;
        }
        elsewhere_ += !drawing;
        // Devices work for all threads of a whole recording, and what they did belongs to a line, too.
        const bool launches = e.device[i].valid() && e.device[i].value != 0;
        if (drawing || !launches || side_.what.kind != Recorded::Kind::kRecording || start < from ||
            place_of_event_.size() >= kMaxEvents)
          continue;
        const int32_t place = place_of(e, i);
        place_of_event_[e.id[i]] = place;
        if (place < 0) continue;
        PlaceRan& ran = places_[static_cast<size_t>(place)];
        ++ran.ran;
        ran.first = std::min(ran.first, order_++);
        continue;
      }
      if (in_trace(e.thread[i], start)) continue;  // a part of tracing
      each_overlapped(stretches, e.thread[i], start, end + (end == start), [&](Stretch& s) {
        const int32_t place = place_of(e, i);
        const bool host = !e.device[i].valid() || e.device[i].value == 0;
        const bool input = place >= 0 && takes_input(places_[static_cast<size_t>(place)].op);
        s.host.push_back({start, end, input ? Share::kInput : host ? Share::kHostKernel : Share::kLaunch, place});
        if (start < s.span.start || drawing) return;
        ++ops_of_[s.span.run];
        if (devices && !host && place_of_event_.size() < kMaxEvents) place_of_event_[e.id[i]] = place;
        count(e, i, place);
      });
    }
  });
}

int32_t RecordedRuns::place_of(const session::DeviceRecord& event) const {
  const auto at = place_of_event_.find(event.op_event);
  return event.op_event && at != place_of_event_.end() ? at->second : -1;
}

void RecordedRuns::add_devices(Stretches& stretches, int64_t from, int64_t to) {
  std::map<uint32_t, session::ThreadId> threads;
  for (const session::ThreadRecord& t : reader_.contents().threads) threads.emplace(t.system_id, t.number);
  each_record(reader_.device_events(), from, to, go_on_, [&](const session::DeviceRecord& e) {
    if (!is_sane(e.start_ns, e.end_ns) || e.start_ns >= to || e.end_ns <= from || e.kind == "overhead") return;
    const auto caller = is_on_host(e) ? threads.find(e.thread) : threads.end();
    for (auto& [thread, list] : stretches) {
      if (caller != threads.end() && known(caller->second) != thread) continue;
      each_overlapped(stretches, thread, e.start_ns, e.end_ns, [&](Stretch& s) {
        s.devices.push_back({e.start_ns, e.end_ns, share_of(e), place_of(e)});
        DrawnWork& work = s.work.emplace_back();
        work.piece.label = e.name;
        work.stream = e.stream;
        work.correlation = e.correlation;
        work.call = is_on_host(e);
      });
    }
  });
}

void RecordedRuns::give(const Stretch& s) {
  std::vector<Interval> all = s.host;
  all.insert(all.end(), s.devices.begin(), s.devices.end());
  SideRuns::One& run = runs_[s.span.run];
  std::vector<int64_t>& ns = ns_[s.span.run];
  run.total += s.span.end - s.span.start;
  for (const Interval& one : stretches(all, s.span.start, s.span.end)) {
    run.shares[static_cast<size_t>(one.share)] += one.end - one.start;
    if (one.share == Share::kDispatch) run.call += one.end - one.start;
    if (one.what < 0 || (one.share != Share::kHostKernel && one.share != Share::kDeviceKernel)) continue;
    if (ns.size() < places_.size()) ns.resize(places_.size());
    ns[static_cast<size_t>(one.what)] += one.end - one.start;
  }
}

// --- the picture ---------------------------------------------------------------------------------------------------

void RecordedRuns::draw(const Stretch& s, Drawing& drawing) const {
  const int64_t zero = s.span.start - s.shown_at;
  const auto piece_of = [&](const Interval& one) {
    Piece piece{.start = std::max(one.start, s.span.start) - zero,
                .end = std::min(one.end, s.span.end) - zero,
                .share = one.share,
                .label = one.share == Share::kUnexplained ? kNotRecorded : name_of(one.share)};
    if (one.what >= 0) {
      const PlaceRan& place = places_[static_cast<size_t>(one.what)];
      piece.label = place.op;
      piece.at = place.at;
      piece.row = (*drawing.row_of)(static_cast<size_t>(one.what));
    } else if (one.what < -1 && !drawing.ops) {
      const session::FunctionRecord* f = reader_.function(named_[static_cast<size_t>(-2 - one.what)]);
      if (f) piece.label = f->name;
    }
    return piece;
  };
  bool goes_on = s.goes_on;
  for (const Interval& one : stretches(s.host, s.span.start, s.span.end)) {
    if (drawing.host.size() >= kMaxPieces) break;
    Piece piece = piece_of(one);
    Piece* const last = goes_on && !drawing.host.empty() ? &drawing.host.back() : nullptr;
    goes_on = false;
    if (last && last->end == piece.start && last->label == piece.label && last->row == piece.row) last->end = piece.end;
    else drawing.host.push_back(std::move(piece));
  }
  for (size_t i = 0; i < s.devices.size() && drawing.work.size() < kMaxPieces; ++i) {
    DrawnWork work = s.work[i];
    const std::string label = std::move(work.piece.label);
    work.piece = piece_of(s.devices[i]);
    work.piece.label = label;
    drawing.work.push_back(std::move(work));
  }
}

Picture RecordedRuns::picture(size_t run, const RowOf& row_of) {
  Spans shown;
  size_t count = 0;
  int64_t total = 0;
  for (const auto& [thread, list] : spans_) {
    for (const Span& s : list) {
      if (s.run != run || ++count > kMaxDrawnSpans) continue;
      shown[thread].push_back(s);
      total += s.end - s.start;
    }
  }
  Drawing drawing;
  drawing.ops = ops_of_[run] <= kMaxDrawnOps;
  drawing.row_of = &row_of;
  read(shown, &drawing);
  drawing.picture = lanes_of(total, std::move(drawing.host), std::move(drawing.work));
  std::string& name = drawing.picture.lanes.front().name;
  if (!drawing.ops) name += ", calls only";
  if (count > kMaxDrawnSpans) name += ", first " + std::to_string(kMaxDrawnSpans) + " calls";
  return std::move(drawing.picture);
}

}  // namespace footlight::explain
