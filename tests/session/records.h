// Records for recordings that tests put together.
#pragma once

#include "engine/session/records.h"

#include <string>
#include <vector>

namespace footlight {

inline session::TraceRecord trace_of(TraceId id, FunctionId function, int number, int64_t start_ns = 0,
                                     int64_t end_ns = 0) {
  session::TraceRecord trace;
  trace.id = id;
  trace.function = function;
  trace.number = number;
  trace.start_ns = start_ns;
  trace.end_ns = end_ns;
  return trace;
}
// A trace with the graph that was traced.
inline session::TraceRecord trace_of(TraceId id, FunctionId function, int number, GraphId graph, int64_t start_ns = 0,
                                     int64_t end_ns = 0) {
  session::TraceRecord trace = trace_of(id, function, number, start_ns, end_ns);
  trace.graphs = {{"traced", graph}};
  return trace;
}

inline session::CallRecord call_of(CallId id, FunctionId function, TraceId trace, CallOutcome outcome,
                                   int64_t start_ns = 0, int64_t end_ns = 0) {
  session::CallRecord call;
  call.id = id;
  call.function = function;
  call.trace = trace;
  call.outcome = outcome;
  call.start_ns = start_ns;
  call.end_ns = end_ns;
  return call;
}

inline OpEvent op_of(OpId op, int64_t start_ns, int64_t end_ns, CallId call = {}) {
  OpEvent event;
  event.op = op;
  event.start_ns = start_ns;
  event.end_ns = end_ns;
  event.call = call;
  return event;
}

inline session::DeviceRecord device_work(const std::string& kind, const std::string& name, int64_t start_ns,
                                         int64_t end_ns, uint64_t op_event = 0) {
  session::DeviceRecord work;
  work.kind = kind;
  work.name = name;
  work.start_ns = start_ns;
  work.end_ns = end_ns;
  work.op_event = op_event;
  return work;
}

inline session::NodeRecord node_of(uint32_t id, const std::string& name, const std::string& op,
                                   const std::vector<uint32_t>& from = {}, SourceRef source = {}) {
  session::NodeRecord node;
  node.id = id;
  node.name = name;
  node.op = op;
  for (const uint32_t input : from) node.inputs.push_back({input, 0});
  node.source = source;
  return node;
}

inline session::LocationRecord location_of(session::LocationId id, session::FileId file, int line,
                                           session::LocationId caller = {}, const std::string& qualname = "") {
  session::LocationRecord location;
  location.id = id;
  location.caller = caller;
  location.file = file;
  location.line = line;
  location.qualname = qualname;
  return location;
}

// Code whose instruction N is on line N, up to the last line.
inline session::CodeRecord code_of(CodeId id, session::FileId file, const std::string& name, uint32_t last_line) {
  session::CodeRecord code{id, file, name, 1, {}};
  for (uint32_t line = 1; line <= last_line; ++line) code.lines.emplace_back(line, line);
  return code;
}

}  // namespace footlight
