// Queries the store for the runtime facts of a selection.
#include "app/models/facts.h"

#include "engine/query/sums.h"

namespace footlight::app {
namespace {
constexpr size_t kMaxCaused = 1000;
constexpr uint64_t kMinForHistogram = 4;

bool is_line(const Selection& s) {
  return (s.kind == Selection::Kind::kLine || s.kind == Selection::Kind::kGenerated) && s.place;
}

bool lies_at(const query::Store& store, uint64_t key, SourcePlace place) {
  const session::Reader::SourcePlace there = store.reader().place(query::source_of(key));
  return there.file == place.file && there.line == place.line;
}
}  // namespace

bool needs_facts(const Selection& s) {
  return s.kind == Selection::Kind::kEvent || s.kind == Selection::Kind::kCall || s.kind == Selection::Kind::kDevice;
}

query::OpFilter filter_of(const query::Store& store, const Selection& s) {
  if (s.kind == Selection::Kind::kNode) return store.of_nodes({{s.graph, s.node}});
  return is_line(s) ? store.at_line(s.place.file, s.place.line) : query::OpFilter{};
}

std::vector<query::NodeKey> nodes_below(const Document& document, const Selection& s) {
  std::vector<query::NodeKey> nodes;
  const session::NodeRecord* node = s.kind == Selection::Kind::kNode ? document.node(s.graph, s.node) : nullptr;
  if (!node) return nodes;
  std::vector<GraphId> called;
  for (const auto& [role, id] : node->functions) called.push_back(id);
  for (const GraphId id : document.graphs_below(std::move(called)))
    if (const session::GraphRecord* graph = document.graph(id))
      for (const session::NodeRecord& inside : graph->nodes) nodes.push_back({id, inside.id});
  return nodes;
}

SelectionFacts find_facts(const query::Store& store, const Selection& s, const query::Cancel& cancel,
                          const std::vector<query::NodeKey>& below) {
  SelectionFacts facts;
  facts.of = s;
  facts.callers = find_callers(store, s);
  switch (s.kind) {
    case Selection::Kind::kNode:
      facts.ran = store.of_node({s.graph, s.node});
      for (const query::NodeKey& node : below) facts.below.add(store.of_node(node));
      break;
    case Selection::Kind::kLine:
    case Selection::Kind::kGenerated: {
      if (!is_line(s)) break;
      for (const uint64_t source : store.at_line(s.place.file, s.place.line).sources)
        facts.ran.add(store.eager_at(query::source_of(source)));
      const std::vector<uint64_t>& sources = store.calls().sources().keys();
      for (size_t i = 0; i < sources.size(); ++i) {
        if (lies_at(store, sources[i], s.place)) facts.calls += store.calls().of_source_at(i);
      }
      break;
    }
    case Selection::Kind::kTrace:
      facts.hits = store.calls().hits_of_trace(s.trace);
      facts.layers = find_layers(store, {}, s.trace, cancel);
      break;
    case Selection::Kind::kFunction: {
      facts.hits = store.calls().hits_of_function(s.function);
      facts.layers = find_layers(store, s.function, {}, cancel);
      const auto& waits = store.reader().events<std::vector<session::WaitRecord>>();
      for (size_t chunk = 0; chunk < waits.index().size(); ++chunk) {
        cancel.check();
        for (const session::WaitRecord& wait : *waits.chunk(chunk)) {
          if (wait.function != s.function) continue;
          ++facts.waits;
          facts.waited_ns += wait.end_ns - wait.start_ns;
        }
      }
      break;
    }
    case Selection::Kind::kCall: {
      facts.call = store.calls().find(s.call);
      if (!facts.call) break;
      facts.call_position = store.calls().position(*facts.call, cancel);
      query::OpFilter filter;
      filter.call = s.call;
      facts.ran = store.durations(filter, cancel).sums();
      break;
    }
    case Selection::Kind::kEvent:
      facts.op = store.op(s.row);
      if (!facts.op) break;
      facts.call = store.calls().find(facts.op->call);
      facts.caused = store.caused_by(facts.op->id, kMaxCaused, cancel);
      facts.op_sums = store.of_op(facts.op->op);
      if (const query::LogHistogram* all = store.histogram_of(facts.op->op);
          all && facts.op_sums.count >= kMinForHistogram)
        facts.histogram = all->steps();
      break;
    case Selection::Kind::kDevice:
      facts.device = store.device(s.row);
      if (facts.device) {
        facts.device_sums = query::device_sums(store.reader(), cancel);
        std::erase_if(facts.device_sums, [&](const query::DeviceSum& sum) {
          return sum.name != facts.device->record.name || sum.kind != facts.device->record.kind;
        });
      }
      if (!facts.device || !facts.device->record.op_event) break;
      facts.cause = store.op_with_id(facts.device->record.op_event, cancel);
      if (facts.cause) facts.cause_call = store.calls().find(facts.cause->call);
      break;
    case Selection::Kind::kRun:
      if (store.device_rows()) facts.device_sums = query::device_sums(store.reader(), cancel);
      break;
    default: break;
  }
  return facts;
}

int64_t node_median(const query::Store& store, const Selection& s, const query::Cancel& cancel) {
  query::Durations all = store.durations(filter_of(store, s), cancel);
  return all.count() ? all.median() : -1;
}

std::optional<query::Placed> find_bar(const query::Store& store, const Selection& s, const query::Cancel& cancel) {
  switch (s.kind) {
    case Selection::Kind::kEvent: return query::place(store, query::TrackKind::kTracedOps, s.row);
    case Selection::Kind::kDevice: return query::place(store, query::TrackKind::kKernels, s.row);
    case Selection::Kind::kCall: {
      const auto row = store.calls().row(s.call);
      return row ? query::place(store, query::TrackKind::kCalls, *row) : std::nullopt;
    }
    case Selection::Kind::kTrace:
      for (const auto& [row, call] : store.calls().traced()) {
        if (call.trace == s.trace) return query::place(store, query::TrackKind::kCalls, row);
      }
      return {};
    case Selection::Kind::kNode:
    case Selection::Kind::kLine:
    case Selection::Kind::kGenerated: {
      auto first = query::placed(store, filter_of(store, s), INT64_MIN, INT64_MAX, 1, cancel);
      if (first.empty()) return {};
      return std::move(first.front());
    }
    default: return {};
  }
}

BarFacts find_bar_facts(const query::Store& store, const query::Placed& bar) {
  BarFacts facts;
  if (bar.track.kind == query::TrackKind::kTracedOps || bar.track.kind == query::TrackKind::kEagerOps)
    facts.op = store.op(bar.bar.row);
  facts.call = store.calls().find(bar.bar.call);
  return facts;
}

}  // namespace footlight::app
