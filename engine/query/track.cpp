// Lays out the bars of chunks in lanes and sums them up in groups.
#include "engine/query/track.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace footlight::query {
namespace {

bool earlier(const Span& a, const Span& b) {
  if (a.start != b.start) return a.start < b.start;
  return a.end != b.end ? a.end > b.end : a.row < b.row;  // the outer one first
}

// Puts each bar into the first lane in which nothing is still running.
class Lanes {
 public:
  Lanes() { free_at_.fill(INT64_MIN); }
  int place(int64_t start, int64_t end) {
    int lane = 0;
    while (lane < kLanes - 1 && free_at_[static_cast<size_t>(lane)] > start) ++lane;
    int64_t& free_at = free_at_[static_cast<size_t>(lane)];
    free_at = std::max(free_at, end);
    return lane;
  }

 private:
  std::array<int64_t, kLanes> free_at_;
};

// If more bars than this reach across earlier chunks, the chunk is out of order: its bars are laid out as they are.
constexpr size_t kMaxAcross = 256;

}  // namespace

bool Track::is_across(const Span& span) const {
  for (auto part = parts_.rbegin(); part != parts_.rend() && part->reach > span.start; ++part) {
    if (part->start < span.end && part->end > span.start) return true;
  }
  return false;
}

void Track::add(uint32_t chunk, std::vector<Span> spans) {
  count_ += spans.size();
  settled_ = false;
  std::vector<Across> across;
  for (const Span& s : spans) {
    if (is_across(s)) across.push_back({s, chunk, 0});
  }
  if (across.size() > kMaxAcross && across.size() > spans.size() / 4) across.clear();
  std::sort(across.begin(), across.end(), [](const Across& a, const Across& b) { return a.span.row < b.span.row; });
  arrived_.insert(arrived_.end(), across.begin(), across.end());
  const auto lanes = lay_out(chunk, std::move(spans));
  Part part;
  part.chunk = chunk;
  part.first_group = static_cast<uint32_t>(groups_.size());
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const std::vector<Span>& row = lanes[lane];
    for (size_t first = 0; first < row.size(); first += kGroup) {
      Group g;
      g.lane = static_cast<uint8_t>(lane);
      g.start = row[first].start;
      g.end = row[first].end;
      g.longest = -1;
      for (size_t i = first; i < std::min(row.size(), first + kGroup); ++i) {
        const int64_t length = row[i].end - row[i].start;
        g.end = std::max(g.end, row[i].end);
        g.busy += length;
        ++g.count;
        if (length > g.longest) g.longest = length, g.look = row[i].look;
      }
      if (!part.count) part.start = g.start, part.end = g.end;
      part.start = std::min(part.start, g.start);
      part.end = std::max(part.end, g.end);
      part.count += g.count;
      groups_.push_back(g);
    }
  }
  if (!part.count) return;
  part.groups = static_cast<uint32_t>(groups_.size()) - part.first_group;
  part.lanes = static_cast<uint8_t>(lanes.size());
  part.reach = parts_.empty() ? part.end : std::max(parts_.back().reach, part.end);
  parts_.push_back(part);
}

std::vector<std::vector<Span>> Track::lay_out(uint32_t chunk, std::vector<Span> spans) const {
  const auto before = [](const Across& a, const std::pair<uint32_t, uint32_t>& place) {
    return std::pair(a.chunk, a.span.row) < place;
  };
  const auto first = std::lower_bound(arrived_.begin(), arrived_.end(), std::pair(chunk, 0u), before);
  if (first != arrived_.end() && first->chunk == chunk) {
    std::erase_if(spans, [&](const Span& s) {
      const auto at = std::lower_bound(first, arrived_.end(), std::pair(chunk, s.row), before);
      return at != arrived_.end() && at->chunk == chunk && at->span.row == s.row;
    });
  }
  if (!std::is_sorted(spans.begin(), spans.end(), earlier)) std::sort(spans.begin(), spans.end(), earlier);
  std::vector<std::vector<Span>> rows;
  Lanes lanes;
  for (const Span& s : spans) {
    const auto lane = static_cast<size_t>(lanes.place(s.start, s.end));
    if (rows.size() <= lane) rows.resize(lane + 1);
    rows[lane].push_back(s);
  }
  return rows;
}

void Track::settle() const {
  if (settled_) return;
  settled_ = true;
  across_ = arrived_;
  std::sort(across_.begin(), across_.end(), [](const Across& a, const Across& b) { return earlier(a.span, b.span); });
  Lanes lanes;
  struct Edge { int64_t at; int change; uint8_t lane; };
  std::vector<Edge> edges;
  for (Across& a : across_) {
    a.lane = static_cast<uint8_t>(lanes.place(a.span.start, a.span.end));
    if (a.span.end <= a.span.start) continue;
    edges.push_back({a.span.start, 1, a.lane});
    edges.push_back({a.span.end, -1, a.lane});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::array<int, kLanes> open{};
  steps_.clear();
  for (size_t i = 0; i < edges.size();) {
    const int64_t at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) open[edges[i].lane] += edges[i].change;
    int depth = kLanes;
    while (depth > 0 && open[static_cast<size_t>(depth) - 1] <= 0) --depth;
    steps_.push_back({at, depth});
  }
  by_start_.resize(parts_.size());
  std::iota(by_start_.begin(), by_start_.end(), 0u);
  std::stable_sort(by_start_.begin(), by_start_.end(),
                   [&](uint32_t a, uint32_t b) { return parts_[a].start < parts_[b].start; });
  lanes_ = 0;
  for (const Across& a : across_) lanes_ = std::max(lanes_, a.lane + 1);
  for (const Part& p : parts_) {
    const int deep = across_.empty() ? 0 : depth(p.start, p.end);
    lanes_ = std::max(lanes_, std::min(kLanes, deep + p.lanes));
  }
}

const std::vector<Track::Across>& Track::across() const {
  settle();
  return across_;
}

const std::vector<uint32_t>& Track::parts_by_start() const {
  settle();
  return by_start_;
}

int Track::lanes() const {
  settle();
  return lanes_;
}

int Track::depth(int64_t start, int64_t end) const {
  settle();
  if (steps_.empty()) return 0;
  auto step = std::upper_bound(steps_.begin(), steps_.end(), start,
                               [](int64_t time, const Step& s) { return time < s.from; });
  int deep = step == steps_.begin() ? 0 : std::prev(step)->depth;
  for (; step != steps_.end() && step->from < end; ++step) deep = std::max(deep, step->depth);
  return deep;
}

size_t Track::bytes() const {
  return parts_.capacity() * sizeof(Part) + groups_.capacity() * sizeof(Group) +
         (arrived_.capacity() + across_.capacity()) * sizeof(Across) + steps_.capacity() * sizeof(Step) +
         by_start_.capacity() * sizeof(uint32_t);
}

}  // namespace footlight::query
