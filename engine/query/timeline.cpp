// Pictures from groups, and from the rows of chunks where groups are wider than a column.
#include "engine/query/timeline.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace footlight::query {
namespace {

constexpr double kWide = 1.5;  // columns

// Turns rows of one chunk into bars; keeps the decoded chunk alive.
class BarMaker {
 public:
  BarMaker(const Store& store, const Track& track, uint32_t chunk)
      : kind_(track.key().kind), first_row_(store.chunk_info(kind_, chunk).first_row) {
    if (kind_ == TrackKind::kCalls) {
      calls_ = store.reader().calls().chunk(chunk);
    } else if (kind_ == TrackKind::kSpans) {
      spans_ = store.reader().spans().chunk(chunk);
    } else if (is_device(kind_)) {
      device_ = store.reader().device_events().chunk(chunk);
    } else {
      ops_ = store.op_store().chunk(chunk);
    }
  }
  Bar make(const Span& s) const {
    Bar bar{s.start, s.end, first_row_ + s.row, 0, 0, {}, s.look};
    if (calls_) {
      const session::CallRecord& c = (*calls_)[s.row];
      bar.what = c.function.value;
      bar.detail = c.trace.value;
      bar.call = c.id;
    } else if (ops_) {
      bar.what = ops_->op[s.row].value;
      bar.detail = ops_->signature[s.row].value;
      bar.call = ops_->call[s.row];
    }
    return bar;
  }
  const std::string* name(const Span& s) const {
    return device_ ? &(*device_)[s.row].name : spans_ ? &(*spans_)[s.row].name : nullptr;
  }

 private:
  TrackKind kind_;
  uint64_t first_row_;
  std::shared_ptr<const std::vector<session::CallRecord>> calls_;
  std::shared_ptr<const std::vector<session::DeviceRecord>> device_;
  std::shared_ptr<const std::vector<session::SpanRecord>> spans_;
  std::shared_ptr<const session::OpColumns> ops_;
};

// The picture of one lane while it is being drawn.
class Drawing {
 public:
  Drawing(LanePicture& lane, int64_t from, int64_t to, int columns)
      : lane_(lane), from_(from), columns_(columns),
        per_column_(static_cast<double>(to - from) / std::max(1, columns)) {}
  bool wide(int64_t start, int64_t end) const { return static_cast<double>(end - start) >= per_column_ * kWide; }
  void narrow(int64_t start, int64_t end, int64_t busy, int64_t longest, uint16_t look) {
    if (lane_.cover.empty()) {
      lane_.cover.assign(static_cast<size_t>(columns_), 0.f);
      lane_.look.assign(static_cast<size_t>(columns_), 0);
      longest_.assign(static_cast<size_t>(columns_), -1);
    }
    // It is at most one and a half columns long, so it touches one to three of them.
    const auto column = [&](int64_t time) {
      const double at = static_cast<double>(time - from_) / per_column_;
      return static_cast<int>(std::clamp(at, 0.0, static_cast<double>(columns_ - 1)));
    };
    const int first = column(start), last = std::max(first, column(end));
    const float each = static_cast<float>(static_cast<double>(busy) / per_column_ / (last - first + 1));
    for (int c = first; c <= last; ++c) {
      const auto at = static_cast<size_t>(c);
      lane_.cover[at] += each;
      if (longest >= longest_[at]) longest_[at] = longest, lane_.look[at] = look;
    }
  }

 private:
  LanePicture& lane_;
  int64_t from_;
  int columns_;
  double per_column_;
  std::vector<int64_t> longest_;
};

class PictureNames {
 public:
  explicit PictureNames(std::vector<std::string>& names) : names_(names) {}
  uint32_t number(const std::string& name) {
    const auto [it, added] = numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(name);
    return it->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

Bar make_bar(const BarMaker& maker, const Span& s, PictureNames& names) {
  Bar bar = maker.make(s);
  if (const std::string* name = maker.name(s)) bar.what = names.number(*name);
  return bar;
}

void draw_track(const Store& store, const Track& track, Picture& picture, PictureNames& names, const Cancel& cancel) {
  TrackPicture& out = picture.tracks.emplace_back();
  out.key = track.key();
  out.count = track.count();
  out.lanes.resize(static_cast<size_t>(std::max(1, track.lanes())));
  const int64_t from = picture.from, to = picture.to;
  std::vector<Drawing> drawings;
  for (LanePicture& lane : out.lanes) drawings.emplace_back(lane, from, to, picture.columns);
  const auto visible = [&](int64_t start, int64_t end) { return start < to && end >= from; };
  const auto lane_of = [&](int in_chunk, int64_t start, int64_t end) {
    return std::min(static_cast<size_t>(track.lane(in_chunk, start, end)), out.lanes.size() - 1);
  };
  for (const Track::Part& part : track.parts()) {
    if (!visible(part.start, part.end)) continue;
    cancel.check();
    const Group* groups = track.groups().data() + part.first_group;
    bool decode = false;
    for (uint32_t i = 0; i < part.groups; ++i) {
      const Group& g = groups[i];
      if (!visible(g.start, g.end)) continue;
      const size_t lane = lane_of(g.lane, g.start, g.end);
      if (drawings[lane].wide(g.start, g.end)) {
        decode = true;
      } else {
        drawings[lane].narrow(g.start, g.end, g.busy, g.longest, g.look);
      }
    }
    if (!decode) continue;
    const auto rows = store.lanes_of(track, part.chunk);
    std::optional<BarMaker> maker;
    const Group* g = groups;
    for (const std::vector<Span>& row : *rows) {
      for (size_t first = 0; first < row.size(); first += Track::kGroup, ++g) {
        if (!visible(g->start, g->end)) continue;
        if (!drawings[lane_of(g->lane, g->start, g->end)].wide(g->start, g->end)) continue;
        for (size_t i = first; i < std::min(row.size(), first + Track::kGroup); ++i) {
          const Span& s = row[i];
          if (!visible(s.start, s.end)) continue;
          const size_t lane = lane_of(g->lane, s.start, s.end);
          if (drawings[lane].wide(s.start, s.end)) {
            if (!maker) maker.emplace(store, track, part.chunk);
            out.lanes[lane].bars.push_back(make_bar(*maker, s, names));
          } else {
            drawings[lane].narrow(s.start, s.end, s.end - s.start, s.end - s.start, s.look);
          }
        }
      }
    }
  }
  for (const Track::Across& a : track.across()) {
    if (!visible(a.span.start, a.span.end)) continue;
    const auto lane = std::min(static_cast<size_t>(a.lane), out.lanes.size() - 1);
    if (drawings[lane].wide(a.span.start, a.span.end)) {
      cancel.check();
      out.lanes[lane].bars.push_back(make_bar(BarMaker(store, track, a.chunk), a.span, names));
    } else {
      const int64_t length = a.span.end - a.span.start;
      drawings[lane].narrow(a.span.start, a.span.end, length, length, a.span.look);
    }
  }
  for (LanePicture& lane : out.lanes) {
    const auto by_start = [](const Bar& a, const Bar& b) {
      return a.start != b.start ? a.start < b.start : a.row < b.row;
    };
    if (!std::is_sorted(lane.bars.begin(), lane.bars.end(), by_start))
      std::sort(lane.bars.begin(), lane.bars.end(), by_start);
  }
}

// Calls visit(span, chunk) for the bars of one lane in `part`, except those that reach across.
template <class Visit>
void visit_part(const Store& store, const Track& track, const Track::Part& part, int lane, Visit&& visit) {
  const auto rows = store.lanes_of(track, part.chunk);
  for (size_t in_chunk = 0; in_chunk < rows->size() && static_cast<int>(in_chunk) <= lane; ++in_chunk) {
    for (const Span& s : (*rows)[in_chunk]) {
      if (track.lane(static_cast<int>(in_chunk), s.start, s.end) == lane) visit(s, part.chunk);
    }
  }
}

Placed make_placed(const Store& store, const Track& track, int lane, const Span& span, uint32_t chunk) {
  const BarMaker maker(store, track, chunk);
  Placed made{track.key(), lane, maker.make(span), {}};
  if (const std::string* name = maker.name(span)) made.name = *name;
  return made;
}

// The best bar found so far.
struct Choice {
  Span span;
  uint32_t chunk = UINT32_MAX;
  bool found() const { return chunk != UINT32_MAX; }
  std::optional<Placed> placed(const Store& store, const Track& track, int lane) const {
    if (!found()) return {};
    return make_placed(store, track, lane, span, chunk);
  }
};

int64_t distance(int64_t start, int64_t end, int64_t time) {
  return time < start ? start - time : time > end ? time - end : 0;
}

// Derived from the kernels as drawn.
std::vector<DevicePicture> utilisation(const Picture& picture) {
  std::map<uint32_t, std::vector<float>> devices;
  const double per = static_cast<double>(picture.to - picture.from) / picture.columns;
  for (const TrackPicture& track : picture.tracks) {
    if (track.key.kind != TrackKind::kKernels) continue;
    std::vector<float> stream(static_cast<size_t>(picture.columns), 0.f);
    const auto last = static_cast<double>(stream.size());
    for (const LanePicture& lane : track.lanes) {
      for (size_t c = 0; c < lane.cover.size(); ++c) stream[c] += lane.cover[c];
      for (const Bar& bar : lane.bars) {
        const double from = std::clamp(static_cast<double>(bar.start - picture.from) / per, 0.0, last),
                     to = std::clamp(static_cast<double>(bar.end - picture.from) / per, 0.0, last);
        for (auto c = static_cast<size_t>(from); c < stream.size() && static_cast<double>(c) < to; ++c) {
          const auto left = static_cast<double>(c);
          stream[c] += static_cast<float>(std::min(to, left + 1) - std::max(from, left));
        }
      }
    }
    std::vector<float>& busy = devices[track.key.number];
    busy.resize(stream.size());
    for (size_t c = 0; c < stream.size(); ++c) busy[c] = std::max(busy[c], std::min(1.f, stream[c]));
  }
  std::vector<DevicePicture> made;
  for (auto& [device, busy] : devices) made.push_back({device, std::move(busy)});
  return made;
}

}  // namespace

namespace {
// What a process does is seen best in the calls and the spans of the thread that began first; one that has neither is
// summed up by its first track.
void mark_summaries(const Store& store, Picture& picture) {
  std::map<uint32_t, std::map<TrackKind, TrackPicture*>> firsts;
  for (TrackPicture& track : picture.tracks) {
    const bool is_calls = track.key.kind == TrackKind::kCalls;
    const session::TrackRecord* const record =
        track.key.kind == TrackKind::kSpans ? store.reader().track(session::TrackId(track.key.number)) : nullptr;
    if (is_calls || (record && record->kind == "thread"))
      firsts[process_of(track.key)].try_emplace(track.key.kind, &track);
  }
  for (TrackPicture& track : picture.tracks)
    if (firsts[process_of(track.key)].empty()) firsts[process_of(track.key)].try_emplace(track.key.kind, &track);
  if (firsts.size() < 2) return;
  for (auto& [process, by_kind] : firsts)
    for (auto& [kind, track] : by_kind) track->is_summary = true;
}
}  // namespace

Picture draw(const Store& store, int64_t from, int64_t to, int columns, const Cancel& cancel) {
  Picture picture;
  picture.from = from;
  picture.to = std::max(to, from + 1);
  picture.columns = std::max(1, columns);
  PictureNames names(picture.names);
  for (const Track* track : store.tracks()) draw_track(store, *track, picture, names, cancel);
  mark_summaries(store, picture);
  picture.devices = utilisation(picture);
  picture.counters = store.counters().draw(store.reader().counters(), from, picture.to, picture.columns, cancel);
  return picture;
}

std::vector<OverviewColumn> overview(const Store& store, int64_t first, int64_t last, int columns,
                                     const Cancel& cancel) {
  std::vector<OverviewColumn> made(static_cast<size_t>(std::max(columns, 1)));
  const double per = static_cast<double>(last - first) / static_cast<double>(made.size());
  if (per <= 0) return made;
  const auto spread = [&](int64_t start, int64_t end, double weight, float OverviewColumn::*member) {
    const double from = static_cast<double>(start - first) / per, to = static_cast<double>(end - first) / per;
    const auto left = static_cast<size_t>(std::clamp(from, 0.0, static_cast<double>(made.size() - 1)));
    const auto right = static_cast<size_t>(std::clamp(to, 0.0, static_cast<double>(made.size() - 1)));
    for (size_t i = left; i <= right; ++i) {
      const double begin = std::max(from, static_cast<double>(i)), end_at = std::min(to, static_cast<double>(i + 1));
      made[i].*member += static_cast<float>(std::max(0.0, end_at - begin) * weight);
    }
  };
  const auto busy = [&](int64_t start, int64_t end, int64_t ns) {
    const int64_t length = std::max<int64_t>(1, end - start);
    spread(start, start + length, static_cast<double>(ns) / static_cast<double>(length), &OverviewColumn::busy);
  };
  for (const auto& [row, call] : store.calls().traced())
    spread(call.start_ns, std::max(call.start_ns, call.end_ns), 1, &OverviewColumn::tracing);
  for (const Track* track : store.tracks()) {
    const TrackKind kind = track->key().kind;
    if (!is_ops(kind) && kind != TrackKind::kKernels && kind != TrackKind::kCopies) continue;
    for (const Track::Part& part : track->parts()) {
      cancel.check();
      const Group* groups = track->groups().data() + part.first_group;
      bool decode = false;
      for (uint32_t i = 0; i < part.groups; ++i) {
        const Group& g = groups[i];
        if (track->lane(g.lane, g.start, g.end) != 0) continue;
        if (static_cast<double>(g.end - g.start) < per) {
          busy(g.start, g.end, g.busy);
        } else {
          decode = true;
        }
      }
      if (!decode) continue;
      const auto rows = store.lanes_of(*track, part.chunk);
      if (rows->empty()) continue;
      for (size_t i = 0; i < rows->front().size(); ++i) {
        const Group& g = groups[i / Track::kGroup];
        const Span& s = rows->front()[i];
        if (static_cast<double>(g.end - g.start) < per || track->lane(0, s.start, s.end) != 0) continue;
        busy(s.start, s.end, s.end - s.start);
      }
    }
    for (const Track::Across& a : track->across()) {
      if (a.lane == 0) busy(a.span.start, a.span.end, a.span.end - a.span.start);
    }
  }
  for (OverviewColumn& c : made) c.busy = std::min(1.f, c.busy), c.tracing = std::min(1.f, c.tracing);
  return made;
}

std::optional<Placed> nearest(const Store& store, const TrackKey& key, int lane, int64_t time, int64_t slack,
                              const Cancel& cancel) {
  const Track* track = store.track(key);
  if (!track) return {};
  Choice best;
  int64_t least = slack + 1;
  // If several are equally near, take the one that starts last: it is drawn on top.
  const auto look_at = [&](const Span& s, uint32_t chunk) {
    const int64_t away = distance(s.start, s.end, time);
    if (away < least || (away == least && best.found() && s.start > best.span.start)) {
      least = away;
      best = {s, chunk};
    }
  };
  for (const Track::Across& a : track->across()) {
    if (a.lane == lane) look_at(a.span, a.chunk);
  }
  std::vector<const Track::Part*> parts;
  for (const Track::Part& p : track->parts()) {
    if (distance(p.start, p.end, time) <= slack) parts.push_back(&p);
  }
  std::stable_sort(parts.begin(), parts.end(), [&](const auto* a, const auto* b) {
    return distance(a->start, a->end, time) < distance(b->start, b->end, time);
  });
  for (const Track::Part* part : parts) {
    if (distance(part->start, part->end, time) > least) break;
    cancel.check();
    visit_part(store, *track, *part, lane, look_at);
  }
  return best.placed(store, *track, lane);
}

namespace {
// The lane's first bar after (time, row), or its last one before it.
std::optional<Placed> beside(const Store& store, const Track& track, int lane, int64_t time, uint64_t row, bool after,
                             const Cancel& cancel) {
  Choice best;
  uint64_t best_row = 0;
  const auto row_of = [&](const Span& s, uint32_t chunk) {
    return store.chunk_info(track.key().kind, chunk).first_row + s.row;
  };
  const auto look_at = [&](const Span& s, uint32_t chunk) {
    const std::pair here(s.start, row_of(s, chunk)), from(time, row), known(best.span.start, best_row);
    if (after ? !(here > from) : !(here < from)) return;
    if (best.found() && (after ? !(here < known) : !(here > known))) return;
    best = {s, chunk};
    best_row = here.second;
  };
  for (const Track::Across& a : track.across()) {
    if (a.lane == lane) look_at(a.span, a.chunk);
  }
  const std::vector<uint32_t>& order = track.parts_by_start();
  const auto visit = [&](const Track::Part& part) {
    cancel.check();
    visit_part(store, track, part, lane, look_at);
  };
  if (after) {
    for (const uint32_t n : order) {
      const Track::Part& part = track.parts()[n];
      if (part.end < time) continue;
      if (best.found() && part.start > best.span.start) break;
      visit(part);
    }
  } else {
    // Search parts from the last that may hold an earlier bar; stop when no remaining part reaches the best bar.
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      const Track::Part& part = track.parts()[*n];
      if (part.start > time) continue;
      if (best.found() && part.end < best.span.start) continue;
      visit(part);
      if (best.found() && std::all_of(n + 1, order.rend(), [&](uint32_t rest) {
            return track.parts()[rest].end < best.span.start;
          }))
        break;
    }
  }
  return best.placed(store, track, lane);
}
}  // namespace

std::optional<Placed> at_or_after(const Store& store, const TrackKey& key, int lane, int64_t time,
                                  const Cancel& cancel) {
  const Track* track = store.track(key);
  if (!track) return {};
  // Just before (time, row 0).
  if (auto found = beside(store, *track, lane, time == INT64_MIN ? time : time - 1, UINT64_MAX, true, cancel))
    return found;
  return beside(store, *track, lane, INT64_MAX, UINT64_MAX, false, cancel);
}

std::optional<Placed> neighbour(const Store& store, const Placed& from, int by, const Cancel& cancel) {
  const Track* track = store.track(from.track);
  if (!track || by == 0) return {};
  return beside(store, *track, from.lane, from.bar.start, from.bar.row, by > 0, cancel);
}

std::optional<Placed> place(const Store& store, TrackKind kind, uint64_t row) {
  const auto [chunk, in_chunk] = store.chunk_of(kind, row);
  if (chunk == UINT32_MAX) return {};
  TrackKey key;
  if (is_device(kind)) {
    const auto device = store.device(row);
    if (!device) return {};
    key = Store::track_of(device->record);
  } else if (kind == TrackKind::kCalls) {
    key = Store::track_of((*store.reader().calls().chunk(chunk))[in_chunk]);
  } else if (kind == TrackKind::kSpans) {
    key = store.track_of_spans((*store.reader().spans().chunk(chunk))[in_chunk].track);
  } else {
    const auto op = store.op(row);
    if (!op) return {};
    key = store.track_of(*op);
  }
  const Track* track = store.track(key);
  if (!track) return {};
  for (const Track::Across& a : track->across()) {
    if (a.chunk == chunk && a.span.row == in_chunk) return make_placed(store, *track, a.lane, a.span, chunk);
  }
  const bool here = std::any_of(track->parts().begin(), track->parts().end(),
                                [&, n = chunk](const Track::Part& p) { return p.chunk == n; });
  if (!here) return {};
  const auto rows = store.lanes_of(*track, chunk);
  for (size_t lane = 0; lane < rows->size(); ++lane) {
    for (const Span& s : (*rows)[lane]) {
      if (s.row == in_chunk)
        return make_placed(store, *track, track->lane(static_cast<int>(lane), s.start, s.end), s, chunk);
    }
  }
  return {};
}

std::vector<Placed> flow_of(const Store& store, const Placed& bar, size_t most, const Cancel& cancel) {
  std::optional<OpEventRow> op;
  if (is_ops(bar.track.kind)) {
    op = store.op(bar.bar.row);
  } else if (is_device(bar.track.kind)) {
    if (const auto device = store.device(bar.bar.row); device && device->record.op_event)
      op = store.op_with_id(device->record.op_event, cancel);
  }
  std::vector<Placed> flow;
  if (!op) return flow;
  for (const DeviceRow& row : store.caused_by(op->id, most, cancel)) {
    if (auto at = place(store, TrackKind::kKernels, row.row)) flow.push_back(std::move(*at));
  }
  if (flow.empty()) return flow;
  std::stable_sort(flow.begin(), flow.end(),
                   [](const Placed& a, const Placed& b) { return a.bar.start < b.bar.start; });
  if (auto at = place(store, TrackKind::kTracedOps, op->row)) flow.insert(flow.begin(), std::move(*at));
  return flow;
}

std::vector<Placed> placed(const Store& store, const OpFilter& filter, int64_t from, int64_t to, size_t most,
                           const Cancel& cancel) {
  std::vector<Placed> found;
  if (filter.empty() || most == 0) return found;
  store.visit(filter, from, to, cancel, [&](const OpEventRow& op) {
    if (auto one = place(store, TrackKind::kTracedOps, op.row)) found.push_back(std::move(*one));
    return found.size() < most;
  });
  return found;
}

}  // namespace footlight::query
