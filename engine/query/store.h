// Indexed, chunked stores over a session: queries about op events, calls and device events are answered from small
// indexes, and from the few chunks that contain part of the result. Indexes are built chunk by chunk while the session
// grows. A session is never copied as a whole.
//
// The store and its reader belong to one thread; only Cancel may be used from another.
#pragma once

#include "engine/query/calls.h"
#include "engine/query/counters.h"
#include "engine/query/losses.h"
#include "engine/query/sums.h"
#include "engine/query/track.h"

#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace footlight::query {

// An op that ran. `row` identifies it, and stays the same as the session grows.
struct OpEventRow {
  uint64_t row = 0;
  int64_t start_ns = 0, end_ns = 0;
  uint64_t id = 0;   // DeviceRecord::op_event names it
  CallId call;       // none: eager
  SourceRef source;  // eager: the user's line; traced: the node has it
  GraphId graph;
  NodeId node;       // node of the graph; none: eager
  uint32_t bytes = 0;  // bytes of the outputs; 0: the signature has them
  SignatureId signature;
  session::OpNumber op;
  session::ThreadId thread;
  session::DeviceNumber device;
};

struct DeviceRow {
  uint64_t row = 0;
  session::DeviceRecord record;
};

struct NodeKey {
  GraphId graph;
  uint32_t node = UINT32_MAX;
  friend auto operator<=>(const NodeKey&, const NodeKey&) = default;
};

// Selects op events.
struct OpFilter {
  std::vector<NodeKey> nodes;      // sorted
  std::vector<uint64_t> sources;   // key_of(SourceRef), sorted
  CallId call;
  bool empty() const { return nodes.empty() && sources.empty() && !call.valid(); }
  bool holds(const OpEventRow& op) const;
};

struct Progress {
  uint64_t chunks = 0, of = 0;
  bool complete() const { return chunks >= of; }
};

class Store {
 public:
  explicit Store(const session::Reader& reader);
  const session::Reader& reader() const { return reader_; }

  // Indexes up to `chunks` more chunks; false if there were none.
  bool index(size_t chunks = SIZE_MAX);
  Progress progress() const;
  // Rows of chunks that could not be read: missing from all results.
  uint64_t unreadable_rows() const;
  uint64_t op_rows() const { return op_rows_; }         // indexed so far
  uint64_t device_rows() const { return device_rows_; }
  const Counters& counters() const { return counters_; }
  const Losses& losses() const { return losses_; }      // lost op events
  size_t bytes() const;                                 // memory of the indexes

  CallIndex& calls() { return calls_; }
  const CallIndex& calls() const { return calls_; }

  // --- sums, at once ---------------------------------------------------------------------------------------------
  std::vector<session::OpNumber> ops() const;  // the ops that ran
  Sums of_op(session::OpNumber op) const;
  const LogHistogram* histogram_of(session::OpNumber op) const;
  Sums of_node(NodeKey node) const;
  Sums of_graph(GraphId graph) const;     // sums over all its nodes
  Sums eager_at(SourceRef source) const;  // eager ops outside of calls
  // Ops of a line of a file: nodes added there, and instructions that ran ops there.
  OpFilter at_line(session::FileId file, int line) const;
  OpFilter of_nodes(std::vector<NodeKey> nodes) const;

  // --- rows, from the chunks that hold them ------------------------------------------------------------------------
  std::optional<OpEventRow> op(uint64_t row) const;
  std::optional<OpEventRow> op_with_id(uint64_t id, const Cancel& cancel) const;
  std::optional<DeviceRow> device(uint64_t row) const;
  std::vector<DeviceRow> caused_by(uint64_t op_event, size_t most, const Cancel& cancel) const;
  // Calls visit(OpEventRow) for the ops that match the filter within [from, to), by chunk, until visit returns false.
  template <class Visit>
  void visit(const OpFilter& filter, int64_t from, int64_t to, const Cancel& cancel, Visit&& visit) const;
  Durations durations(const OpFilter& filter, const Cancel& cancel) const;
  Durations durations(session::OpNumber op, const Cancel& cancel) const;

  // --- for pictures (timeline.h) -----------------------------------------------------------------------------------
  std::vector<const Track*> tracks() const;  // in display order
  const Track* track(const TrackKey& key) const;
  // A track's bars in a chunk, by lanes of the chunk.
  using Rows = std::vector<std::vector<Span>>;
  std::shared_ptr<const Rows> lanes_of(const Track& track, uint32_t chunk) const;
  const std::vector<session::ChunkInfo>& index_of(TrackKind kind) const;
  const session::ChunkInfo& chunk_info(TrackKind kind, uint32_t chunk) const;
  std::pair<uint32_t, uint32_t> chunk_of(TrackKind kind, uint64_t row) const;  // the chunk, and the row in it
  TrackKey track_of(const OpEventRow& op) const;
  // The track on which spans of that track are drawn: all iterations of a pipeline's stage share the track of the
  // first, and so do its queues.
  TrackKey track_of_spans(session::TrackId id) const { return {TrackKind::kSpans, shown_track(id), 0}; }
  uint32_t shown_track(session::TrackId id) const;
  static TrackKey track_of(const session::DeviceRecord& record);
  static TrackKey track_of(const session::CallRecord& call) {
    return {TrackKind::kCalls, call.thread.valid() ? call.thread.value : 0, 0};
  }

  // Chunks of op events that may match the filter, ascending.
  std::vector<uint32_t> chunks_of(const OpFilter& filter) const;
  std::vector<uint32_t> chunks_of_ops(const std::vector<uint64_t>& ops) const;  // indexed by OpNumber
  bool op_chunk_readable(uint32_t chunk) const { return op_chunks_[chunk].readable; }
  size_t op_chunks() const { return op_chunks_.size(); }
  OpEventRow op_row(const session::OpColumns& events, uint64_t first_row, size_t i) const;
  const session::OpStore& op_store() const { return reader_.op_events(); }

 private:
  // The part of a filter that can be checked without making an event's row.
  class FilterMatcher {
   public:
    explicit FilterMatcher(const OpFilter& filter);
    bool matches(const session::OpColumns& events, size_t i) const;

   private:
    const OpFilter& filter_;
    std::vector<uint32_t> nodes_;  // nodes of any graph, sorted
  };
  struct OpChunk {
    uint64_t first_call = UINT64_MAX, last_call = 0;
    uint64_t first_id = UINT64_MAX, last_id = 0;
    bool readable = true;
  };
  struct DeviceChunk {
    uint64_t first_event = UINT64_MAX, last_event = 0;  // op events that caused device work
  };
  struct Entry {
    Sums sums;
    Postings chunks;
  };
  struct OpEntry {
    Sums sums;
    LogHistogram histogram;
    Postings chunks;
  };
  const OpEntry* entry_of(session::OpNumber op) const;
  void index_calls();
  void index_ops();
  void index_device();
  void index_spans();
  void index_counters();
  GraphId graph_of(const session::OpColumns& events, size_t i) const;
  Track& track_for(const TrackKey& key);
  // The bars of a chunk, by track.
  std::map<TrackKey, std::vector<Span>> spans_of(TrackKind kind, uint32_t chunk) const;
  static uint64_t key_of_node(NodeKey node) { return uint64_t{node.graph.value} << 32 | node.node; }

  const session::Reader& reader_;
  CallIndex calls_;
  std::vector<OpChunk> op_chunks_;
  std::vector<DeviceChunk> device_chunks_;
  size_t span_chunks_ = 0, counter_chunks_ = 0;
  uint64_t op_rows_ = 0, device_rows_ = 0, unreadable_ = 0;
  Losses losses_;
  Counters counters_;
  std::vector<OpEntry> ops_;
  KeyTable op_keys_, node_keys_, source_keys_;
  std::vector<Entry> nodes_, sources_;
  std::map<TrackKey, std::unique_ptr<Track>> tracks_;
  // The first track of each stage, by what its tracks have in common; and of each other track of it.
  struct StageKey {
    session::ProcessId process;
    std::string kind, name;
    uint64_t source = 0;
    uint32_t parent = 0;
    friend auto operator<=>(const StageKey&, const StageKey&) = default;
  };
  mutable std::map<StageKey, uint32_t> stages_;
  mutable std::unordered_map<uint32_t, uint32_t> shown_tracks_;
  mutable size_t tracks_known_ = 0;
  // The graph of the last call looked up, for sessions whose events do not name theirs.
  mutable CallId last_call_;
  mutable GraphId last_graph_;
  // The last chunks that were laid out.
  struct LaidOut {
    TrackKind kind;
    uint32_t chunk;
    std::map<TrackKey, std::shared_ptr<const Rows>> tracks;
  };
  static constexpr size_t kLaidOut = 24;
  mutable std::list<LaidOut> laid_out_;
};

template <class Visit>
void Store::visit(const OpFilter& filter, int64_t from, int64_t to, const Cancel& cancel, Visit&& visit) const {
  const FilterMatcher matcher(filter);
  for (const uint32_t chunk : chunks_of(filter)) {
    const session::ChunkInfo& info = op_store().index()[chunk];
    if (info.first_ns >= to || info.last_ns < from) continue;
    cancel.check();
    const auto events = op_store().chunk(chunk);
    for (size_t i = 0; i < events->size(); ++i) {
      if (!matcher.matches(*events, i) || events->start_ns[i] >= to || events->end_ns[i] < from) continue;
      const OpEventRow row = op_row(*events, info.first_row, i);
      if (filter.holds(row) && !visit(row)) return;
    }
  }
}

}  // namespace footlight::query
