// Lanes: what the host did, its calls to the device's interface, the streams.
#include "engine/explain/compare/pictures.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace footlight::explain {
namespace {

std::string op_name(const session::Reader& reader, const OpRun& op) {
  const session::OpNameRecord* record = reader.op_name(op.op);
  return record ? record->name : "kernel";
}

Line line_of(const session::Reader& reader, const OpRun& op) {
  SourceRef source = op.source;
  if (const session::GraphRecord* graph = reader.graph(op.node.graph);
      graph && op.node.node.value < graph->nodes.size())
    source = graph->nodes[op.node.node.value].source;
  const session::Reader::SourcePlace place = reader.place(source);
  return {place.file, place.line};
}

Piece piece_of(const session::Reader& reader, const Run& run, const Interval& one, const RowOf& row_of) {
  Piece piece{.start = one.start - run.start(), .end = one.end - run.start(), .share = one.share};
  piece.label = name_of(one.share);
  if (one.what < 0) return piece;
  const auto op = static_cast<size_t>(one.what);
  piece.label = op_name(reader, run.ops[op]);
  piece.row = row_of(op);
  piece.at = line_of(reader, run.ops[op]);
  return piece;
}

// The host's time as intervals, for questions about it.
std::vector<Interval> intervals_of(const std::vector<Piece>& pieces) {
  std::vector<Interval> made;
  made.reserve(pieces.size());
  for (const Piece& p : pieces) made.push_back({p.start, p.end, p.share, -1});
  return made;
}

// Gaps between pieces of work, and what most of each went into.
void explain_gaps(Lane& lane, const std::vector<Interval>& did, bool host) {
  int64_t end = 0;
  for (Piece& piece : lane.pieces) {
    if (host && piece.row < 0 && piece.share != Share::kHostKernel) continue;
    if (piece.start > end) {
      piece.gap = piece.start - end;
      const auto first = std::ranges::upper_bound(did, end, {}, &Interval::end);
      const auto last = std::ranges::lower_bound(did, piece.start, {}, &Interval::start);
      if (first < last)
        piece.gap_share =
            most_of({&*first, static_cast<size_t>(last - first)}, end, piece.start, Share::kUnexplained);
    }
    end = std::max(end, piece.end);
  }
}

double busy_share(const std::vector<Piece>& pieces, int64_t total) {
  const Sweep swept = sweep(intervals_of(pieces), 0, total);
  const int64_t idle = swept.shares[static_cast<size_t>(Share::kUnexplained)];
  return swept.total ? 1 - static_cast<double>(idle) / static_cast<double>(swept.total) : 0;
}

// Time without the recorder's: `before(t)` is how much of it lies before the moment t, both from the start of the run.
class WithoutRecorder {
 public:
  explicit WithoutRecorder(const Run& run) {
    int64_t sum = 0;
    for (const Interval& one : run.host) {
      if (one.share != Share::kRecording) continue;
      pieces_.push_back({one.start - run.start(), one.end - run.start(), sum});
      sum += one.end - one.start;
    }
    all_ = sum;
  }
  int64_t all() const { return all_; }
  int64_t at(int64_t time) const {
    const auto after = std::ranges::upper_bound(pieces_, time, {}, &Piece::start);
    if (after == pieces_.begin()) return time;
    const Piece& last = *std::prev(after);
    return time - last.before - (std::min(time, last.end) - last.start);
  }

 private:
  struct Piece { int64_t start, end, before; };
  std::vector<Piece> pieces_;
  int64_t all_ = 0;
};

// Joins neighbours that the recorder's work had parted.
void add_host_piece(std::vector<Piece>& host, Piece piece) {
  Piece* const last = host.empty() ? nullptr : &host.back();
  const bool goes_on = last && last->end == piece.start && last->share == piece.share && last->row == piece.row;
  if (goes_on && piece.row < 0 && last->label == piece.label) last->end = piece.end;
  else host.push_back(std::move(piece));
}

}  // namespace

Picture lanes_of(int64_t total, std::vector<Piece> pieces, std::vector<DrawnWork> work) {
  Picture picture;
  picture.total = total;
  Lane host{.kind = Lane::Kind::kHost, .name = "host", .pieces = std::move(pieces)};
  const std::vector<Interval> did = intervals_of(host.pieces);
  explain_gaps(host, did, true);
  std::vector<Piece> working;
  std::ranges::copy_if(host.pieces, std::back_inserter(working),
                       [](const Piece& p) { return p.share == Share::kHostKernel; });
  const bool launches = std::ranges::any_of(host.pieces, [](const Piece& p) { return p.share == Share::kLaunch; });
  host.busy = launches && working.empty() && work.empty() ? std::nullopt : std::optional(busy_share(working, total));
  picture.lanes.push_back(std::move(host));
  Lane calls{.kind = Lane::Kind::kCalls, .name = ""};
  std::map<uint32_t, Lane> streams;
  std::set<uint32_t> launched;  // a launch is a call of the runtime, and in it one of the driver
  for (DrawnWork& one : work) {
    if (one.call && one.piece.label.find("Launch") != std::string::npos) launched.insert(one.correlation);
    (one.call ? calls : streams[one.stream]).pieces.push_back(std::move(one.piece));
  }
  const auto finish = [&](Lane& lane) {
    std::ranges::sort(lane.pieces, {}, &Piece::start);
    explain_gaps(lane, did, false);
    lane.busy = busy_share(lane.pieces, total);
    picture.lanes.push_back(std::move(lane));
  };
  if (!calls.pieces.empty()) {
    const size_t launches = launched.size();
    calls.name = "CUDA API, " + with_commas(launches) + (launches == 1 ? " launch" : " launches");
    finish(calls);
  }
  for (auto& [number, lane] : streams) {
    lane.kind = Lane::Kind::kStream;
    lane.name = "stream " + std::to_string(number);
    finish(lane);
  }
  return picture;
}

Picture picture_of(const session::Reader& reader, const Run& run, const RowOf& row_of) {
  const WithoutRecorder shown(run);
  std::vector<Piece> host;
  for (const Interval& one : run.host) {
    if (one.share == Share::kRecording) continue;
    Piece piece = piece_of(reader, run, one, row_of);
    piece.start = shown.at(piece.start);
    piece.end = shown.at(piece.end);
    add_host_piece(host, std::move(piece));
  }
  std::vector<DrawnWork> work;
  std::map<uint32_t, int64_t> free;  // when each stream is: work on devices does not get shorter by what the host did
  std::vector<size_t> order(run.devices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return run.devices[i].start; });
  for (const size_t i : order) {
    DrawnWork& made = work.emplace_back();
    made.piece = piece_of(reader, run, run.devices[i], row_of);
    made.piece.label = run.work[i].name;
    made.stream = run.work[i].stream;
    made.correlation = run.work[i].correlation;
    made.call = run.work[i].call;
    const int64_t length = made.piece.end - made.piece.start, start = shown.at(made.piece.start);
    if (made.call) {
      made.piece.end = shown.at(made.piece.end);
      made.piece.start = start;
      continue;
    }
    int64_t& from = free.try_emplace(made.stream, INT64_MIN).first->second;
    made.piece.start = std::max(start, from);
    made.piece.end = from = made.piece.start + length;
  }
  Picture picture = lanes_of(run.total() - shown.all(), std::move(host), std::move(work));
  picture.repetition = run.record->pair;
  return picture;
}

}  // namespace footlight::explain
