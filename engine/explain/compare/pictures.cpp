// Lanes: what the host did, its calls to the device's interface, the streams.
#include "engine/explain/compare/pictures.h"

#include <algorithm>
#include <map>
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
  const session::Reader::Place place = reader.place(source);
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

// Gaps between pieces of work, and what most of each went into.
void explain_gaps(Lane& lane, const Run& run, bool host) {
  int64_t end = 0;
  for (Piece& piece : lane.pieces) {
    if (host && piece.row < 0 && piece.share != Share::kHostKernel) continue;
    if (piece.start > end) {
      piece.gap = piece.start - end;
      const int64_t from = run.start() + end, to = run.start() + piece.start;
      const auto first = std::ranges::upper_bound(run.host, from, {}, &Interval::end);
      const auto last = std::ranges::lower_bound(run.host, to, {}, &Interval::start);
      if (first < last)
        piece.gap_share = most_of({&*first, static_cast<size_t>(last - first)}, from, to, Share::kUnexplained);
    }
    end = std::max(end, piece.end);
  }
}

double busy_share(const std::vector<Interval>& intervals, const Run& run) {
  const Sweep swept = sweep(intervals, run.start(), run.record->end_ns);
  const int64_t idle = swept.shares[static_cast<size_t>(Share::kUnexplained)];
  return swept.total ? 1 - static_cast<double>(idle) / static_cast<double>(swept.total) : 0;
}

std::vector<Interval> working(const std::vector<Interval>& host) {
  std::vector<Interval> kernels;
  for (const Interval& one : host)
    if (one.share == Share::kHostKernel) kernels.push_back(one);
  return kernels;
}

}  // namespace

Picture picture_of(const session::Reader& reader, const Run& run, const RowOf& row_of) {
  Picture picture;
  picture.total = run.total();
  picture.repetition = run.record->pair;
  Lane host{.kind = Lane::Kind::kHost, .name = "host"};
  for (const Interval& one : run.host) host.pieces.push_back(piece_of(reader, run, one, row_of));
  explain_gaps(host, run, true);
  host.busy = busy_share(working(run.host), run);
  picture.lanes.push_back(std::move(host));
  Lane calls{.kind = Lane::Kind::kCalls, .name = ""};
  std::map<uint32_t, Lane> streams;
  std::map<uint32_t, std::vector<Interval>> busy;
  std::vector<Interval> calling;
  std::set<uint32_t> launched;  // a launch is a call of the runtime, and in it one of the driver
  for (size_t i = 0; i < run.devices.size(); ++i) {
    const Run::DeviceWork& work = run.work[i];
    Piece piece = piece_of(reader, run, run.devices[i], row_of);
    piece.label = work.name;
    Lane& lane = work.call ? calls : streams[work.stream];
    lane.pieces.push_back(std::move(piece));
    (work.call ? calling : busy[work.stream]).push_back(run.devices[i]);
    if (work.call && work.name.find("Launch") != std::string::npos) launched.insert(work.correlation);
  }
  const auto finish = [&](Lane& lane, const std::vector<Interval>& intervals) {
    std::ranges::sort(lane.pieces, {}, &Piece::start);
    explain_gaps(lane, run, false);
    lane.busy = busy_share(intervals, run);
    picture.lanes.push_back(std::move(lane));
  };
  if (!calls.pieces.empty()) {
    const size_t launches = launched.size();
    calls.name = "CUDA API, " + std::to_string(launches) + (launches == 1 ? " launch" : " launches");
    finish(calls, calling);
  }
  for (auto& [number, lane] : streams) {
    lane.kind = Lane::Kind::kStream;
    lane.name = "stream " + std::to_string(number);
    finish(lane, busy[number]);
  }
  return picture;
}

}  // namespace footlight::explain
