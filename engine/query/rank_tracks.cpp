// Reads the chunks that overlap the stretch; memory holds what a picture of it can show, however many calls there are.
#include "engine/query/rank_tracks.h"

#include "engine/query/names.h"
#include "engine/session/readable_chunks.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace footlight::query {
namespace {

using session::ProcessId;
using Kind = RankPiece::Kind;
constexpr size_t kMaxUnjoined = 8192;

class Picture {
 public:
  Picture(const session::Reader& reader, const std::vector<ProcessId>& processes, int64_t from, int64_t to,
          int64_t pixel, const Cancel& cancel)
      : reader_(reader), cancel_(cancel), from_(from), to_(to), pixel_(pixel) {
    for (const ProcessId process : processes) {
      places_.emplace(process.value, tracks_.size());
      tracks_.push_back({process, {}});
      unjoined_.push_back(0);
    }
  }

  std::vector<RankTrack> draw() {
    read_traces();
    const auto check = [this] { cancel_.check(); };
    each_record(reader_.calls(), from_, to_, check, [this](const session::CallRecord& call) {
      const session::FunctionRecord* const function = reader_.function(call.function);
      add(process_of(call.id), {Kind::kCall, call.start_ns, call.end_ns, function ? function->name : "", call.trace,
                                call.id});
    });
    each_record(reader_.spans(), from_, to_, check, [this](const session::SpanRecord& span) { add_span(span); });
    each_chunk(reader_.op_events(), from_, to_, check, [this](const session::OpColumns& ops) {
      for (size_t k = 0; k < ops.size(); ++k)
        add(process_of(ops.thread[k]), {Kind::kOps, ops.start_ns[k], ops.end_ns[k], "", {}, {}});
    });
    for (RankTrack& track : tracks_) join(track.pieces);
    return std::move(tracks_);
  }

 private:
  void add(uint32_t process, RankPiece piece) {
    if (piece.end_ns <= from_ || piece.start_ns >= to_) return;
    const auto at = places_.find(process);
    if (at == places_.end()) return;
    std::vector<RankPiece>& pieces = tracks_[at->second].pieces;
    pieces.push_back(std::move(piece));
    if (++unjoined_[at->second] < kMaxUnjoined) return;
    join(pieces);
    unjoined_[at->second] = 0;
  }

  // Drops pieces inside another of their kind, and joins short ones that lie beside each other. A long piece keeps its
  // name beside short ones, of which a picture has at most as many as pixels.
  void join(std::vector<RankPiece>& pieces) const {
    std::ranges::stable_sort(pieces, [](const RankPiece& a, const RankPiece& b) {
      return std::tuple(a.kind, a.start_ns, -a.end_ns) < std::tuple(b.kind, b.start_ns, -b.end_ns);
    });
    std::vector<RankPiece> kept;
    for (RankPiece& piece : pieces) {
      RankPiece* const last = kept.empty() || kept.back().kind != piece.kind ? nullptr : &kept.back();
      const bool is_short = piece.ns() < pixel_;
      const bool is_drawn_inside = (piece.kind == Kind::kPhase || piece.kind == Kind::kTrace) && !is_short;
      if (last && !is_drawn_inside && piece.end_ns <= last->end_ns) continue;
      const bool both_short = last && is_short && (last->is_joined || last->ns() < pixel_);
      if (both_short && piece.start_ns - last->end_ns < pixel_) {
        last->is_joined = true;
        if (piece.name != last->name) last->name.clear();
        if (piece.trace != last->trace) last->trace = {};
        last->call = {};
        last->end_ns = std::max(last->end_ns, piece.end_ns);
        continue;
      }
      kept.push_back(std::move(piece));
    }
    pieces = std::move(kept);
  }

  void read_traces() {
    for (const session::TraceRecord& trace : reader_.contents().traces) {
      const session::FunctionRecord* const function = reader_.function(trace.function);
      const uint32_t process = process_of(trace.id);
      add(process, {Kind::kTrace, trace.start_ns, trace.end_ns, function ? function->name : "", trace.id, {}});
      for (const session::PhaseRecord& phase : trace.phases)
        if (phase.parent < 0) add(process, {Kind::kPhase, phase.start_ns, phase.end_ns, phase.name, trace.id, {}});
    }
  }

  void add_span(const session::SpanRecord& span) {
    const RankSpan what = rank_span(span, reader_.track(span.track));
    if (what == RankSpan::kNone) return;
    const Kind kind = what == RankSpan::kInput ? Kind::kInput : Kind::kSpan;
    add(process_of(span.track), {kind, span.start_ns, span.end_ns, span.name, {}, {}});
  }

  const session::Reader& reader_;
  const Cancel& cancel_;
  const int64_t from_, to_, pixel_;
  std::vector<RankTrack> tracks_;
  std::vector<size_t> unjoined_;                   // pieces that were added to a track since it was joined
  std::unordered_map<uint32_t, size_t> places_;    // of a process's track
};

}  // namespace

std::vector<RankTrack> rank_tracks(const session::Reader& reader, const std::vector<ProcessId>& processes,
                                   int64_t from_ns, int64_t to_ns, int64_t pixel_ns, const Cancel& cancel) {
  return Picture(reader, processes, from_ns, to_ns, pixel_ns, cancel).draw();
}

}  // namespace footlight::query
