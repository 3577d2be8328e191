// Follows recorded locations where there are any, else the calls of traced functions.
#include "app/models/callers.h"

#include "engine/session/users_line.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kMaxFrames = 64;

class Stack {
 public:
  explicit Stack(const query::Store& store) : store_(store), reader_(store.reader()) {}

  void add_locations(session::LocationId id) {
    const session::LocationRecord* inner = nullptr;
    for (const auto* l = reader_.location(id); l && frames.size() < kMaxFrames; l = reader_.location(l->caller)) {
      const SourcePlace place = place_of(*l);
      const session::CodeRecord* code = reader_.code(l->source.code);
      const std::string name = l->qualname.empty() && code ? code->qualname : l->qualname;
      if (!inner || !session::is_own_block(code, reader_.code(inner->source.code))) push({name, place});
      inner = l;
    }
  }

  void add_source(SourceRef source) {
    const session::CodeRecord* code = reader_.code(source.code);
    if (code) push({code->qualname, place_of(source)});
  }

  // The line of the call, of the call in which that was made, and so on.
  void add_call(const std::optional<session::CallRecord>& first) {
    for (auto call = first; call && frames.size() < kMaxFrames; call = store_.calls().find(call->parent)) {
      if (call->location.valid()) return add_locations(call->location);
      add_source(call->source);
      if (call->parent == call->id) return;
    }
  }

  // The stack of the call that made a trace; of older recordings the calls around it, or the line.
  void add_trace(TraceId id) {
    const session::TraceRecord* trace = reader_.trace(id);
    if (trace && trace->location.valid()) return add_locations(trace->location);
    for (const auto& [row, call] : store_.calls().traced()) {
      if (call.trace == id) return add_call(call);
    }
    if (trace) add_source(trace->source);
  }

  void add_function(FunctionId id) {
    if (const session::FunctionRecord* f = reader_.function(id)) push({f->name, {f->file, f->line}});
  }

  void push(CallerFrame frame) {
    if (frame.place && (frames.empty() || frames.back() != frame)) frames.push_back(std::move(frame));
  }

  SourcePlace place_of(const session::LocationRecord& l) const {
    const SourcePlace place{l.file, l.line};
    return place ? place : place_of(l.source);
  }

  std::vector<CallerFrame> frames;

 private:
  SourcePlace place_of(SourceRef source) const {
    const session::Reader::SourcePlace place = reader_.place(source);
    return {place.file, place.line};
  }
  const query::Store& store_;
  const session::Reader& reader_;
};

// Finds a location with callers for the line, in the stack of a node of the trace's graph; invalid if no stack has it.
session::LocationId location_in_trace(const Stack& stack, const session::Reader& reader, SourcePlace place,
                                      TraceId wanted) {
  const session::TraceRecord* trace = reader.trace(wanted);
  const session::GraphRecord* graph = trace ? reader.graph(trace->graph()) : nullptr;
  if (!graph) return {};
  for (const session::NodeRecord& node : graph->nodes) {
    const session::LocationRecord* l = reader.location(node.location);
    for (size_t depth = 0; l && depth < kMaxFrames; l = reader.location(l->caller), ++depth)
      if (l->caller.valid() && stack.place_of(*l) == place) return l->id;
  }
  return {};
}

void add_line(Stack& stack, const session::Reader& reader, SourcePlace place, TraceId wanted) {
  if (const auto in_trace = location_in_trace(stack, reader, place, wanted); in_trace.valid())
    return stack.add_locations(in_trace);
  const auto& locations = reader.contents().locations;
  const auto known = std::find_if(locations.begin(), locations.end(), [&](const session::LocationRecord& l) {
    return l.caller.valid() && stack.place_of(l) == place;
  });
  if (known != locations.end()) return stack.add_locations(known->id);
  // A line of converted code runs in the function under which it was converted.
  for (const session::GeneratedRecord& g : reader.contents().generated) {
    if (g.file != place.file) continue;
    if (std::find(g.line_map.begin(), g.line_map.end(), place.line) == g.line_map.end()) continue;
    stack.push({g.name, place});
    const session::FunctionRecord* f = reader.function(g.function);
    if (f && f->name.substr(f->name.rfind('.') + 1) != g.name) stack.add_function(g.function);
    const session::TraceRecord* trace = reader.trace(wanted);
    if (trace && trace->function == g.function) return stack.add_trace(wanted);
    for (const session::TraceRecord& t : reader.contents().traces) {
      if (t.function == g.function) return stack.add_trace(t.id);
    }
    return;
  }
}

}  // namespace

std::vector<CallerFrame> find_callers(const query::Store& store, const Selection& s) {
  const session::Reader& reader = store.reader();
  Stack stack(store);
  switch (s.kind) {
    case Selection::Kind::kNode: {
      const session::GraphRecord* graph = reader.graph(s.graph);
      if (!graph || s.node >= graph->nodes.size()) break;
      const session::NodeRecord& node = graph->nodes[s.node];
      const session::Reader::SourcePlace place = reader.place(node.source);
      if (node.location.valid()) stack.add_locations(node.location);
      else if (place.line > 0) add_line(stack, reader, {place.file, place.line}, s.trace);
      break;
    }
    case Selection::Kind::kLine:
    case Selection::Kind::kGenerated:
      if (s.place) add_line(stack, reader, s.place, s.trace);
      break;
    case Selection::Kind::kTrace: stack.add_trace(s.trace); break;
    case Selection::Kind::kCall: stack.add_call(store.calls().find(s.call)); break;
    default: break;
  }
  // One frame is the place itself.
  return stack.frames.size() > 1 || s.kind == Selection::Kind::kTrace ? std::move(stack.frames)
                                                                      : std::vector<CallerFrame>{};
}

}  // namespace footlight::app
