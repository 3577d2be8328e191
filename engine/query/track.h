// One track of a timeline (the calls, a thread's ops, a stream) over chunks: each chunk's bars in groups of neighbours,
// so that drawing any stretch of time visits groups and decodes only what is zoomed into.
//
// Bars are recorded when they end, so an outer bar comes after the inner ones, perhaps chunks later. Bars that reach
// over bars of earlier chunks are kept separately (`across`); a chunk's own bars lie in the lanes below them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace footlight::query {

constexpr int kLanes = 6;  // deeper nesting is drawn into the last one

enum class TrackKind : uint8_t { kCalls, kTracedOps, kEagerOps, kSpans, kKernels, kCopies, kApi };
// Whether a kind's bars are op events.
constexpr bool is_ops(TrackKind kind) { return kind == TrackKind::kTracedOps || kind == TrackKind::kEagerOps; }
constexpr bool is_device(TrackKind kind) { return kind >= TrackKind::kKernels; }

struct TrackKey {
  TrackKind kind = TrackKind::kCalls;
  uint32_t number = 0;  // thread, device or TrackId
  uint32_t stream = 0;
  friend auto operator<=>(const TrackKey&, const TrackKey&) = default;
};

// The process whose work lies on the track: each gives its threads, tracks and devices numbers of its own.
constexpr uint32_t process_of(const TrackKey& track) { return track.number >> 24; }
constexpr uint32_t number_in_process(const TrackKey& track) { return track.number & 0xFFFFFF; }

// A bar within its chunk. `look` selects how to paint it: by op, by outcome, or plain.
struct Span {
  int64_t start = 0, end = 0;
  uint32_t row = 0;  // row within its chunk
  uint16_t look = 0;
};

constexpr uint16_t kWaitLook = 1;  // for spans of waiting

// Neighbouring bars in one lane of one chunk.
struct Group {
  int64_t start = 0, end = 0;
  int64_t busy = 0;
  int64_t longest = 0;
  uint16_t look = 0;   // look of the longest bar
  uint16_t count = 0;
  uint8_t lane = 0;    // lane within its chunk
};

class Track {
 public:
  static constexpr size_t kGroup = 64;

  // One chunk's bars, without those that reach across.
  struct Part {
    uint32_t chunk = 0;
    uint32_t first_group = 0, groups = 0;
    uint32_t count = 0;
    uint8_t lanes = 0;
    int64_t start = 0, end = 0;
    int64_t reach = 0;  // greatest end so far
  };
  struct Across {
    Span span;
    uint32_t chunk = 0;
    uint8_t lane = 0;
  };

  explicit Track(TrackKey key) : key_(key) {}
  const TrackKey& key() const { return key_; }

  // Adds the bars of the next chunk, in any order.
  void add(uint32_t chunk, std::vector<Span> spans);

  // Sorts the bars of an added chunk, given again in any order, into lanes of the chunk, each by start. Bars that reach
  // across are left out.
  std::vector<std::vector<Span>> lay_out(uint32_t chunk, std::vector<Span> spans) const;

  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Across>& across() const;           // sorted by start, the outer one first
  const std::vector<uint32_t>& parts_by_start() const;
  int depth(int64_t start, int64_t end) const;         // number of lanes of `across` above that stretch
  int lane(int in_chunk, int64_t start, int64_t end) const {
    const int deep = depth(start, end) + in_chunk;
    return deep < kLanes ? deep : kLanes - 1;
  }
  int lanes() const;
  uint64_t count() const { return count_; }
  size_t bytes() const;

 private:
  struct Step { int64_t from; int depth; };
  bool is_across(const Span& span) const;
  void settle() const;

  TrackKey key_;
  std::vector<Part> parts_;
  std::vector<Group> groups_;
  uint64_t count_ = 0;
  std::vector<Across> arrived_;  // sorted by chunk and row
  // Computed from the above on demand.
  mutable bool settled_ = true;
  mutable std::vector<Across> across_;
  mutable std::vector<Step> steps_;
  mutable std::vector<uint32_t> by_start_;
  mutable int lanes_ = 0;
};

}  // namespace footlight::query
