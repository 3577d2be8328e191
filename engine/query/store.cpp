// Fills the indexes and answers queries from them.
#include "engine/query/store.h"

#include "engine/base/end_of_sequence.h"
#include "engine/base/errors.h"
#include "engine/query/names.h"

#include <algorithm>

namespace footlight::query {
namespace {

template <class Key, class Of>
bool holds_sorted(const std::vector<Key>& all, const Of& one) {
  return std::binary_search(all.begin(), all.end(), one);
}

// A hostile file may hold any times; here, nothing ends before it starts.
int64_t end_of(int64_t start, int64_t end) { return std::max(start, end); }

// Chunks that may hold what is looked for: thousands of nodes name the same ones again and again.
class ChunkSet {
 public:
  explicit ChunkSet(size_t chunks) : has_(chunks) {}
  void add(uint32_t chunk) {
    if (chunk < has_.size()) has_[chunk] = true;
  }
  void add(const Postings& chunks) {
    chunks.visit([this](uint32_t chunk, uint32_t) { add(chunk); });
  }
  std::vector<uint32_t> ascending() const {
    std::vector<uint32_t> all;
    for (size_t c = 0; c < has_.size(); ++c)
      if (has_[c]) all.push_back(static_cast<uint32_t>(c));
    return all;
  }

 private:
  std::vector<bool> has_;
};

}  // namespace

bool OpFilter::holds(const OpEventRow& op) const {
  if (call.valid() && op.call == call) return true;
  if (op.node.valid()) return holds_sorted(nodes, NodeKey{op.graph, op.node.value});
  return op.source.code.valid() && holds_sorted(sources, key_of(op.source));
}

Store::FilterMatcher::FilterMatcher(const OpFilter& filter) : filter_(filter) {
  for (const NodeKey& key : filter.nodes) nodes_.push_back(key.node);
  std::sort(nodes_.begin(), nodes_.end());
}

bool Store::FilterMatcher::matches(const session::OpColumns& e, size_t i) const {
  if (filter_.call.valid() && e.call[i] == filter_.call) return true;
  if (e.node[i].valid()) return holds_sorted(nodes_, e.node[i].value);
  return e.code[i].valid() && holds_sorted(filter_.sources, key_of(e.source(i)));
}

Store::Store(const session::Reader& reader) : reader_(reader), calls_(reader.calls()) {}

Progress Store::progress() const {
  return {calls_.taken() + device_chunks_.size() + span_chunks_ + counter_chunks_ + op_chunks_.size(),
          reader_.calls().index().size() + reader_.device_events().index().size() +
              reader_.spans().index().size() + reader_.counters().index().size() + reader_.op_events().index().size()};
}

uint64_t Store::unreadable_rows() const { return unreadable_ + calls_.unreadable_rows(); }

bool Store::index(size_t chunks) {
  bool any = false;
  // Calls first: in older sessions, the graph of an op event is found through its call.
  for (; chunks > 0; --chunks, any = true) {
    if (!calls_.complete()) {
      index_calls();
    } else if (device_chunks_.size() < reader_.device_events().index().size()) {
      index_device();
    } else if (span_chunks_ < reader_.spans().index().size()) {
      index_spans();
    } else if (counter_chunks_ < reader_.counters().index().size()) {
      index_counters();
    } else if (op_chunks_.size() < reader_.op_events().index().size()) {
      index_ops();
    } else {
      break;
    }
  }
  return any;
}

Track& Store::track_for(const TrackKey& key) {
  auto& track = tracks_[key];
  if (!track) track = std::make_unique<Track>(key);
  return *track;
}

void Store::index_calls() {
  const auto number = static_cast<uint32_t>(calls_.taken());
  if (!calls_.take_next()) return;
  for (auto& [key, spans] : spans_of(TrackKind::kCalls, number)) track_for(key).add(number, std::move(spans));
}

void Store::index_device() {
  const auto number = static_cast<uint32_t>(device_chunks_.size());
  const session::ChunkInfo& info = reader_.device_events().index()[number];
  DeviceChunk entry;
  device_rows_ += info.count;
  try {
    const auto chunk = reader_.device_events().chunk(number);
    for (const session::DeviceRecord& d : *chunk) {
      if (!d.op_event) continue;
      entry.first_event = std::min(entry.first_event, d.op_event);
      entry.last_event = std::max(entry.last_event, d.op_event);
    }
    for (auto& [key, spans] : spans_of(TrackKind::kKernels, number)) track_for(key).add(number, std::move(spans));
  } catch (const Error&) {
    unreadable_ += info.count;
  }
  device_chunks_.push_back(entry);
}

void Store::index_spans() {
  const auto number = static_cast<uint32_t>(span_chunks_++);
  try {
    for (auto& [key, spans] : spans_of(TrackKind::kSpans, number)) track_for(key).add(number, std::move(spans));
  } catch (const Error&) {
    unreadable_ += reader_.spans().index()[number].count;
  }
}

void Store::index_counters() {
  const auto number = static_cast<uint32_t>(counter_chunks_++);
  try {
    counters_.add(*reader_.counters().chunk(number), number, [this](session::TrackId id) { return shown_track(id); });
  } catch (const Error&) {
    unreadable_ += reader_.counters().index()[number].count;
  }
}

void Store::index_ops() {
  const auto number = static_cast<uint32_t>(op_chunks_.size());
  const session::ChunkInfo& info = op_store().index()[number];
  OpChunk entry;
  op_rows_ += info.count;
  try {
    const auto chunk = op_store().chunk(number);
    const session::OpColumns& e = *chunk;
    for (size_t i = 0; i < e.size(); ++i) {
      const int64_t took = end_of(e.start_ns[i], e.end_ns[i]) - e.start_ns[i];
      if (e.call[i].valid()) {
        entry.first_call = std::min(entry.first_call, e.call[i].value);
        entry.last_call = std::max(entry.last_call, e.call[i].value);
      }
      entry.first_id = std::min(entry.first_id, e.id[i]);
      entry.last_id = std::max(entry.last_id, e.id[i]);
      losses_.add(e.thread[i].value, e.id[i], e.start_ns[i], e.end_ns[i]);
      const uint32_t at = op_keys_.add(e.op[i].value);
      if (ops_.size() <= at) ops_.resize(at + 1);
      OpEntry& op = ops_[at];
      op.sums.add(took);
      op.histogram.add(took);
      op.chunks.add(number);
      if (e.node[i].valid()) {
        const uint32_t at = node_keys_.add(key_of_node({graph_of(e, i), e.node[i].value}));
        if (nodes_.size() <= at) nodes_.resize(at + 1);
        nodes_[at].sums.add(took);
        nodes_[at].chunks.add(number);
      } else if (e.code[i].valid()) {
        const uint32_t at = source_keys_.add(key_of(e.source(i)));
        if (sources_.size() <= at) sources_.resize(at + 1);
        if (!e.call[i].valid()) sources_[at].sums.add(took);
        sources_[at].chunks.add(number);
      }
    }
    for (auto& [key, spans] : spans_of(TrackKind::kTracedOps, number)) track_for(key).add(number, std::move(spans));
  } catch (const Error&) {
    unreadable_ += info.count;
    entry = {};
    entry.readable = false;
  }
  op_chunks_.push_back(entry);
}

GraphId Store::graph_of(const session::OpColumns& events, size_t i) const {
  if (events.graph[i].valid()) return events.graph[i];
  // Events before version 3 do not name their graph: it is that of the call's trace.
  const CallId call = events.call[i];
  if (!call.valid()) return {};
  if (call != last_call_) {
    const auto record = calls_.find(call);
    const session::TraceRecord* trace = record ? reader_.trace(record->trace) : nullptr;
    last_call_ = call;
    last_graph_ = trace ? trace->graph() : GraphId{};
  }
  return last_graph_;
}

OpEventRow Store::op_row(const session::OpColumns& e, uint64_t first_row, size_t i) const {
  OpEventRow r;
  r.row = first_row + i;
  r.start_ns = e.start_ns[i];
  r.end_ns = end_of(e.start_ns[i], e.end_ns[i]);
  r.id = e.id[i];
  r.call = e.call[i];
  r.source = e.source(i);
  r.node = e.node[i];
  if (r.node.valid()) r.graph = graph_of(e, i);
  r.bytes = e.bytes[i];
  r.signature = e.signature[i];
  r.op = e.op[i];
  r.thread = e.thread[i];
  r.device = e.device[i];
  return r;
}

const Store::OpEntry* Store::entry_of(session::OpNumber op) const {
  const uint32_t at = op_keys_.find(op.value);
  return at == KeyTable::kNone ? nullptr : &ops_[at];
}

std::vector<session::OpNumber> Store::ops() const {
  std::vector<session::OpNumber> all;
  for (const uint64_t key : op_keys_.keys()) {
    session::OpNumber op;
    op.value = static_cast<uint32_t>(key);
    all.push_back(op);
  }
  return all;
}

Sums Store::of_op(session::OpNumber op) const {
  const OpEntry* entry = entry_of(op);
  return entry ? entry->sums : Sums{};
}

const LogHistogram* Store::histogram_of(session::OpNumber op) const {
  const OpEntry* entry = entry_of(op);
  return entry ? &entry->histogram : nullptr;
}

Sums Store::of_node(NodeKey node) const {
  const uint32_t at = node_keys_.find(key_of_node(node));
  return at == KeyTable::kNone ? Sums{} : nodes_[at].sums;
}

Sums Store::of_graph(GraphId graph) const {
  Sums all;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (node_keys_.keys()[i] >> 32 == graph.value) all.add(nodes_[i].sums);
  }
  return all;
}

Sums Store::eager_at(SourceRef source) const {
  const uint32_t at = source_keys_.find(key_of(source));
  return at == KeyTable::kNone ? Sums{} : sources_[at].sums;
}

OpFilter Store::at_line(session::FileId file, int line) const {
  OpFilter filter;
  const auto there = [&](SourceRef source) {
    const session::Reader::SourcePlace place = reader_.place(source);
    return place.line == line && place.file == file && line > 0;
  };
  const session::GraphRecord* graph = nullptr;
  for (const uint64_t key : node_keys_.keys()) {
    const GraphId id(static_cast<uint32_t>(key >> 32));
    const auto node = static_cast<uint32_t>(key);
    if (!graph || graph->id != id) graph = reader_.graph(id);
    if (graph && node < graph->nodes.size() && there(graph->nodes[node].source)) filter.nodes.push_back({id, node});
  }
  for (const uint64_t key : source_keys_.keys()) {
    if (there(source_of(key))) filter.sources.push_back(key);
  }
  std::sort(filter.nodes.begin(), filter.nodes.end());
  std::sort(filter.sources.begin(), filter.sources.end());
  return filter;
}

OpFilter Store::of_nodes(std::vector<NodeKey> nodes) const {
  OpFilter filter;
  filter.nodes = std::move(nodes);
  std::sort(filter.nodes.begin(), filter.nodes.end());
  return filter;
}

std::vector<uint32_t> Store::chunks_of(const OpFilter& filter) const {
  ChunkSet chunks(op_chunks_.size());
  const auto take = [&](const KeyTable& keys, const std::vector<Entry>& entries, uint64_t key) {
    const uint32_t at = keys.find(key);
    if (at != KeyTable::kNone) chunks.add(entries[at].chunks);
  };
  for (const NodeKey& node : filter.nodes) take(node_keys_, nodes_, key_of_node(node));
  for (const uint64_t source : filter.sources) take(source_keys_, sources_, source);
  if (filter.call.valid()) {
    for (uint32_t c = 0; c < op_chunks_.size(); ++c) {
      if (op_chunks_[c].first_call <= filter.call.value && filter.call.value <= op_chunks_[c].last_call) chunks.add(c);
    }
  }
  return chunks.ascending();
}

std::vector<uint32_t> Store::chunks_of_ops(const std::vector<uint64_t>& ops) const {
  ChunkSet chunks(op_chunks_.size());
  for (const uint64_t op : ops) {
    const uint32_t at = op_keys_.find(op);
    if (at != KeyTable::kNone) chunks.add(ops_[at].chunks);
  }
  return chunks.ascending();
}

std::pair<uint32_t, uint32_t> Store::chunk_of(TrackKind kind, uint64_t row) const {
  const std::vector<session::ChunkInfo>& index = index_of(kind);
  const auto after = std::upper_bound(index.begin(), index.end(), row,
                                      [](uint64_t r, const session::ChunkInfo& c) { return r < c.first_row; });
  if (after == index.begin()) return {UINT32_MAX, 0};
  const session::ChunkInfo& info = *std::prev(after);
  if (row - info.first_row >= info.count) return {UINT32_MAX, 0};
  return {static_cast<uint32_t>(after - index.begin() - 1), static_cast<uint32_t>(row - info.first_row)};
}

const std::vector<session::ChunkInfo>& Store::index_of(TrackKind kind) const {
  if (kind == TrackKind::kCalls) return reader_.calls().index();
  if (kind == TrackKind::kSpans) return reader_.spans().index();
  return is_device(kind) ? reader_.device_events().index() : op_store().index();
}

const session::ChunkInfo& Store::chunk_info(TrackKind kind, uint32_t chunk) const { return index_of(kind)[chunk]; }

std::optional<OpEventRow> Store::op(uint64_t row) const {
  const auto [chunk, in_chunk] = chunk_of(TrackKind::kTracedOps, row);
  if (chunk >= op_chunks_.size() || !op_chunks_[chunk].readable) return {};
  return op_row(*op_store().chunk(chunk), op_store().index()[chunk].first_row, in_chunk);
}

std::optional<OpEventRow> Store::op_with_id(uint64_t id, const Cancel& cancel) const {
  for (uint32_t c = 0; c < op_chunks_.size(); ++c) {
    if (id < op_chunks_[c].first_id || id > op_chunks_[c].last_id) continue;
    cancel.check();
    const auto events = op_store().chunk(c);
    const auto at = std::find(events->id.begin(), events->id.end(), id);
    if (at != events->id.end())
      return op_row(*events, op_store().index()[c].first_row, static_cast<size_t>(at - events->id.begin()));
  }
  return {};
}

std::optional<DeviceRow> Store::device(uint64_t row) const {
  const auto [chunk, in_chunk] = chunk_of(TrackKind::kKernels, row);
  if (chunk >= device_chunks_.size()) return {};
  return DeviceRow{row, (*reader_.device_events().chunk(chunk))[in_chunk]};
}

std::vector<DeviceRow> Store::caused_by(uint64_t op_event, size_t most, const Cancel& cancel) const {
  std::vector<DeviceRow> found;
  if (!op_event) return found;
  for (uint32_t c = 0; c < device_chunks_.size() && found.size() < most; ++c) {
    if (op_event < device_chunks_[c].first_event || op_event > device_chunks_[c].last_event) continue;
    cancel.check();
    const auto events = reader_.device_events().chunk(c);
    const uint64_t first = reader_.device_events().index()[c].first_row;
    for (size_t i = 0; i < events->size() && found.size() < most; ++i) {
      if ((*events)[i].op_event == op_event) found.push_back({first + i, (*events)[i]});
    }
  }
  return found;
}

Durations Store::durations(const OpFilter& filter, const Cancel& cancel) const {
  Durations all;
  visit(filter, INT64_MIN, INT64_MAX, cancel, [&](const OpEventRow& op) {
    all.add(op.end_ns - op.start_ns);
    return true;
  });
  return all;
}

Durations Store::durations(session::OpNumber op, const Cancel& cancel) const {
  Durations all;
  const OpEntry* entry = entry_of(op);
  if (!entry) return all;
  for (const uint32_t chunk : entry->chunks.chunks()) {
    cancel.check();
    const auto e = op_store().chunk(chunk);
    for (size_t i = 0; i < e->size(); ++i) {
      if (e->op[i] == op) all.add(end_of(e->start_ns[i], e->end_ns[i]) - e->start_ns[i]);
    }
  }
  return all;
}

// --- tracks ----------------------------------------------------------------------------------------------------------

TrackKey Store::track_of(const OpEventRow& op) const {
  return {op.node.valid() ? TrackKind::kTracedOps : TrackKind::kEagerOps, op.thread.value, 0};
}

// Devices are numbered by each process.
static uint32_t device_of(const session::DeviceRecord& d) {
  const uint32_t process = d.op_event       ? static_cast<uint32_t>(d.op_event >> session::kProcessShift<uint64_t>)
                           : d.call.valid() ? process_of(d.call)
                                            : process_of(d.graph);
  return process ? (d.device & 0xFFFFFF) | process << 24 : d.device;
}

TrackKey Store::track_of(const session::DeviceRecord& d) {
  if (d.kind == "runtime" || d.kind == "driver" || d.kind == "overhead" || d.kind == "sync")
    return {TrackKind::kApi, device_of(d) & ~uint32_t{0xFFFFFF}};
  if (d.kind == "memcpy" || d.kind == "memset") return {TrackKind::kCopies, device_of(d)};
  return {TrackKind::kKernels, device_of(d), d.stream};
}

uint32_t Store::shown_track(session::TrackId id) const {
  const std::vector<session::TrackRecord>& all = reader_.contents().tracks;
  for (; tracks_known_ < all.size(); ++tracks_known_) {
    const session::TrackRecord& t = all[tracks_known_];
    if (t.kind != session::TrackRecord::kStage && t.kind != session::TrackRecord::kQueue) continue;
    // Consumers begin before those that they take from, so a parent is known.
    const auto parent = shown_tracks_.find(t.parent.value);
    const StageKey key{t.process, t.kind, t.name, key_of(t.source),
                       parent == shown_tracks_.end() ? t.parent.value : parent->second};
    shown_tracks_.emplace(t.id.value, stages_.try_emplace(key, t.id.value).first->second);
  }
  const auto shown = shown_tracks_.find(id.value);
  return shown == shown_tracks_.end() ? id.value : shown->second;
}

std::map<TrackKey, std::vector<Span>> Store::spans_of(TrackKind kind, uint32_t number) const {
  std::map<TrackKey, std::vector<Span>> made;
  if (kind == TrackKind::kCalls) {
    const auto chunk = reader_.calls().chunk(number);
    for (uint32_t i = 0; i < chunk->size(); ++i) {
      const session::CallRecord& c = (*chunk)[i];
      made[track_of(c)].push_back({c.start_ns, end_of(c.start_ns, c.end_ns), i, static_cast<uint16_t>(c.outcome)});
    }
  } else if (kind == TrackKind::kSpans) {
    const auto chunk = reader_.spans().chunk(number);
    for (uint32_t i = 0; i < chunk->size(); ++i) {
      const session::SpanRecord& s = (*chunk)[i];
      if (s.category == session::SpanRecord::kMachineCode) continue;  // a phase of its call: trace_spans.h
      if (s.category == kEndOfData) continue;                        // it has no length
      made[track_of_spans(s.track)].push_back(
          {s.start_ns, end_of(s.start_ns, s.end_ns), i, static_cast<uint16_t>(s.category == "wait" ? kWaitLook : 0)});
    }
  } else if (is_device(kind)) {
    const auto chunk = reader_.device_events().chunk(number);
    for (uint32_t i = 0; i < chunk->size(); ++i) {
      const session::DeviceRecord& d = (*chunk)[i];
      made[track_of(d)].push_back({d.start_ns, end_of(d.start_ns, d.end_ns), i, 0});
    }
  } else {
    const auto chunk = op_store().chunk(number);
    const session::OpColumns& e = *chunk;
    // Neighbours are mostly on the same thread.
    TrackKey last;
    std::vector<Span>* spans = nullptr;
    for (uint32_t i = 0; i < e.size(); ++i) {
      const TrackKey key{e.node[i].valid() ? TrackKind::kTracedOps : TrackKind::kEagerOps, e.thread[i].value, 0};
      if (!spans || key != last) spans = &made[key], last = key;
      spans->push_back({e.start_ns[i], end_of(e.start_ns[i], e.end_ns[i]), i, static_cast<uint16_t>(e.op[i].value)});
    }
  }
  return made;
}

// In order: for each thread calls, traced ops, eager ops; then spans; kernels of each stream, copies, the API.
std::vector<const Track*> Store::tracks() const {
  std::vector<const Track*> all;
  for (const auto& [key, track] : tracks_) {
    if (track->count()) all.push_back(track.get());
  }
  const auto rank = [](const TrackKey& k) {
    const int group = k.kind <= TrackKind::kEagerOps ? 0 : static_cast<int>(k.kind);
    return std::tuple(process_of(k), group, k.number, k.stream, k.kind);
  };
  std::sort(all.begin(), all.end(), [&](const Track* a, const Track* b) { return rank(a->key()) < rank(b->key()); });
  return all;
}

const Track* Store::track(const TrackKey& key) const {
  const auto it = tracks_.find(key);
  return it == tracks_.end() ? nullptr : it->second.get();
}

std::shared_ptr<const Store::Rows> Store::lanes_of(const Track& track, uint32_t chunk) const {
  // One entry serves all tracks of a chunk that are built from the same rows.
  const TrackKind of = track.key().kind;
  const TrackKind kind = is_ops(of) ? TrackKind::kTracedOps : is_device(of) ? TrackKind::kKernels : of;
  for (auto it = laid_out_.begin(); it != laid_out_.end(); ++it) {
    if (it->kind != kind || it->chunk != chunk) continue;
    laid_out_.splice(laid_out_.begin(), laid_out_, it);
    const auto rows = it->tracks.find(track.key());
    return rows == it->tracks.end() ? std::make_shared<const Rows>() : rows->second;
  }
  LaidOut made{kind, chunk, {}};
  for (auto& [key, spans] : spans_of(kind, chunk)) {
    if (const Track* t = this->track(key))
      made.tracks[key] = std::make_shared<const Rows>(t->lay_out(chunk, std::move(spans)));
  }
  laid_out_.push_front(std::move(made));
  if (laid_out_.size() > kLaidOut) laid_out_.pop_back();
  const auto rows = laid_out_.front().tracks.find(track.key());
  return rows == laid_out_.front().tracks.end() ? std::make_shared<const Rows>() : rows->second;
}

size_t Store::bytes() const {
  size_t sum = losses_.bytes() + counters_.bytes() + op_chunks_.capacity() * sizeof(OpChunk) +
               device_chunks_.capacity() * sizeof(DeviceChunk) +
               op_keys_.bytes() + node_keys_.bytes() + source_keys_.bytes() + calls_.bytes() +
               ops_.capacity() * sizeof(OpEntry) +
               (nodes_.capacity() + sources_.capacity()) * sizeof(Entry);
  for (const OpEntry& e : ops_) sum += e.histogram.bytes() + e.chunks.bytes();
  for (const Entry& e : nodes_) sum += e.chunks.bytes();
  for (const Entry& e : sources_) sum += e.chunks.bytes();
  for (const auto& [key, track] : tracks_) sum += track->bytes();
  return sum;
}

}  // namespace footlight::query
