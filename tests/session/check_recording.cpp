// check_recording FILE...: checks what recordings say about op events. Every node that an event names
// exists and has the event's op; every event in a graph names a call; a call runs the nodes of its trace's
// graph once, and every call of a trace runs the same ones; of two ops of a thread one has ended before the other
// begins, except inside of ops that call Python. Prints what is wrong, with exit status 1.
#include "engine/base/errors.h"
#include "engine/session/reader.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

using namespace footlight;
using namespace footlight::session;

namespace {

int wrong = 0;

void say(const char* path, const std::string& what) {
  if (++wrong <= 20) std::printf("%s: %s\n", path, what.c_str());
}

// A pipeline runs functions of elements, and a variable its first value, as parts of something else.
bool runs_without_a_call(const GraphRecord* graph) {
  return graph && (graph->name.starts_with("__inference_Dataset_") || graph->name.starts_with("initial_value"));
}

void check(const char* path) {
  const auto r = Reader::open(path);
  std::map<CallId, CallRecord> calls;
  for (const CallRecord& c : r->all_calls()) {
    calls[c.id] = c;
    if (c.key.valid() && !r->key(c.key)) say(path, "a call names a key that is not there");
  }
  for (const auto& [id, c] : calls)
    if (c.parent.valid() && calls.contains(c.parent) && calls.at(c.parent).start_ns > c.start_ns)
      say(path, "a call began before the one that it was made in");
  std::map<CallId, std::multiset<uint32_t>> ran;  // nodes of the graph of the call's trace
  // Passes may have made another op for a node: it has the node's source.
  std::set<std::tuple<std::string, CodeId, uint32_t>> made;
  for (const GraphRecord& graph : r->contents().graphs)
    for (const NewNode& node : graph.new_nodes) made.insert({node.op, node.source.code, node.source.offset});
  struct Ran { int64_t start, end; std::string op; };
  std::map<uint64_t, std::vector<Ran>> on_thread;
  uint64_t events = 0, in_graphs = 0;
  for (size_t n = 0; n < r->op_events().index().size(); ++n) {
    const auto chunk = r->op_events().chunk(n);
    for (size_t i = 0; i < chunk->size(); ++i) {
      ++events;
      const OpNameRecord* op = r->op_name(chunk->op[i]);
      if (!op) say(path, "an event of an unknown op");
      else if (op->name.find("PyFunc") == std::string::npos)
        on_thread[chunk->thread[i].value].push_back({chunk->start_ns[i], chunk->end_ns[i], op->name});
      if (!chunk->node[i].valid()) continue;
      ++in_graphs;
      const std::string name = op ? op->name : "?";
      const GraphRecord* graph = r->graph(chunk->graph[i]);
      if (!graph) {
        say(path, name + " ran in a graph that is not there");
      } else if (chunk->node[i].value >= graph->nodes.size()) {
        say(path, name + " ran as a node that " + graph->name + " does not have");
      } else if (const NodeRecord& node = graph->nodes[chunk->node[i].value];
                 node.op != name && !made.contains({name, node.source.code, node.source.offset})) {
        say(path, name + " ran as node " + node.name + " of " + graph->name + ", which is a " + node.op);
      }
      const auto call = calls.find(chunk->call[i]);
      if (!chunk->call[i].valid() && !runs_without_a_call(graph))
        say(path, name + " ran in " + (graph ? graph->name : "?") + " outside of any call");
      if (call == calls.end()) continue;
      const TraceRecord* trace = r->trace(call->second.trace);
      if (trace && trace->graph() == chunk->graph[i]) ran[call->first].insert(chunk->node[i].value);
    }
  }
  for (auto& [thread, ops] : on_thread) {
    std::sort(ops.begin(), ops.end(),
              [](const Ran& a, const Ran& b) { return std::tie(a.start, a.end) < std::tie(b.start, b.end); });
    for (size_t i = 1; i < ops.size(); ++i)
      if (ops[i].start < ops[i - 1].end)
        say(path, ops[i].op + " began while " + ops[i - 1].op + " ran on the same thread");
  }
  std::map<TraceId, std::multiset<uint32_t>> by_trace;
  for (const auto& [id, nodes] : ran) {
    const CallRecord& call = calls.at(id);
    if (call.outcome == CallOutcome::kFailed) continue;
    const auto [it, added] = by_trace.try_emplace(call.trace, nodes);
    if (!added && it->second != nodes) say(path, "two calls of a trace ran different nodes of its graph");
    if (added && std::set(nodes.begin(), nodes.end()).size() != nodes.size())
      say(path, "a call ran a node of its trace's graph twice");
  }
  std::printf("%s: %llu events, %llu in graphs, %zu calls\n", path, static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(in_graphs), calls.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      check(argv[i]);
    } catch (const Error& e) {
      say(argv[i], e.message());
    }
  }
  return wrong ? 1 : 0;
}
