// Reads the packets of a Perfetto trace: tracks, numbered texts, defaults of a sequence, events.
#pragma once

#include "engine/foreign/builder.h"
#include "engine/foreign/perfetto_clocks.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight::foreign {

class PerfettoEvents {
 public:
  PerfettoEvents(Builder& builder, FileFacts& facts) : builder_(builder), facts_(facts) {}
  void add(std::string_view packet);
  // Slices that did not end get the end of the last event.
  void finish();

 private:
  using Texts = std::unordered_map<uint64_t, std::string>;
  // The packets of one writer share texts and defaults.
  struct Sequence {
    Texts categories, names, annotation_names, annotation_texts;
    uint64_t track = 0, clock = PerfettoClocks::kBootTime;
    std::vector<uint64_t> counter_tracks;
    int64_t pid = 0, tid = 0;
    size_t bytes = 0;
  };
  struct Track {
    uint64_t parent = 0;
    std::string name, process, thread;   // of a thread: the keys of its lane
    bool is_counter = false, is_incremental = false;
    int64_t unit = 1, sum = 0;
    uint32_t lane = UINT32_MAX, counter = UINT32_MAX;
  };
  struct Begun {
    int64_t start = 0;
    std::string name, category, args;
  };
  struct TrackEvent;
  void take_defaults(Sequence& sequence, std::string_view message);
  void intern(Sequence& sequence, std::string_view message);
  void describe_track(std::string_view message);
  void add_event(Sequence& sequence, std::string_view message, int64_t time);
  void add_legacy_event(const TrackEvent& e, int64_t time);
  void annotate(const Sequence& sequence, std::string_view message, std::string& json, int depth);
  void annotation_value(const Sequence& sequence, std::string_view message, std::string& json, int depth);
  void begin_slice(uint32_t lane, const TrackEvent& e, int64_t time);
  void end_slice(uint32_t lane, int64_t time);
  void add_slice(uint32_t lane, const Begun& begun, int64_t end);
  void add_count(uint64_t track, double value, bool is_whole, int64_t whole, int64_t time);
  std::string process_of(uint64_t track) const;
  uint32_t lane_of(uint64_t track);

  Builder& builder_;
  FileFacts& facts_;
  PerfettoClocks clocks_;
  std::unordered_map<uint64_t, Sequence> sequences_;
  std::unordered_map<uint64_t, Track> tracks_;
  std::unordered_map<uint32_t, std::vector<Begun>> open_;
  size_t open_bytes_ = 0;
  int64_t last_ = INT64_MIN;
};

}  // namespace footlight::foreign
