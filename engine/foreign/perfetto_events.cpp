// The numbers of the fields are those of perfetto's messages, which each function names.
#include "engine/foreign/perfetto_events.h"

#include "engine/base/text.h"
#include "engine/wire/protobuf.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace footlight::foreign {
namespace {

using wire::ProtobufReader;
constexpr size_t kMaxTextBytes = 64 << 20, kMaxOpenSlices = 32 << 20, kMaxTracks = 1 << 20, kMaxSequences = 1 << 16;
constexpr int kMaxDepth = 20;
constexpr size_t kMaxAnnotations = 1 << 14;
constexpr uint64_t kThreadOfSequence = uint64_t{1} << 63;  // tracks of sequences that only name a thread
constexpr uint64_t kStateCleared = 1;                       // a flag of a packet: its sequence begins anew
enum TrackEventType : uint64_t { kUnspecified = 0, kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterValue = 4 };

void append_quoted_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  out += '"';
}

double real_of(std::string_view bytes) {
  double value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}
uint64_t fixed_of(std::string_view bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

struct PerfettoEvents::TrackEvent {
  uint64_t type = 0, track = 0;
  std::string name, category, args;
  std::optional<int64_t> whole;   // the value of a counter
  std::optional<double> real;     // or this
  std::vector<int64_t> extra;     // values of further counters
  std::vector<std::pair<uint64_t, bool>> flows;  // and whether it ends there
  char phase = 0;                                // of an event that Chrome's older tracer wrote
  int64_t duration_us = -1;
};

// TracePacket
void PerfettoEvents::add(std::string_view packet) {
  uint64_t timestamp = 0, sequence_id = 0, flags = 0;
  std::optional<uint64_t> clock;
  std::string_view event_message;
  std::vector<std::pair<uint32_t, std::string_view>> messages;
  ProtobufReader field(packet);
  while (field.next()) {
    if (field.type == wire::kVarint) {
      if (field.field == 8) timestamp = field.number;
      if (field.field == 10) sequence_id = field.number;
      if (field.field == 13) flags = field.number;
      if (field.field == 41 && field.number) flags |= kStateCleared;
      if (field.field == 58) clock = field.number;
    } else if (field.type == wire::kBytes) {
      if (field.field == 11) event_message = field.bytes;
      else if (messages.size() < 100) messages.emplace_back(field.field, field.bytes);
    }
  }
  if (!field.ok()) return builder_.leave_out("packets", "they are damaged");
  if (sequences_.size() >= kMaxSequences && !sequences_.contains(sequence_id))
    return builder_.leave_out("packets", "the trace has too many sequences");
  Sequence& sequence = sequences_[sequence_id];
  if (flags & kStateCleared) sequence = Sequence();
  for (const auto& [number, message] : messages) {
    switch (number) {
      case 6: clocks_.take_snapshot(sequence_id, message); break;
      case 12: intern(sequence, message); break;
      case 44: {
        for (ProtobufReader part(message); part.next();) {
          if (part.type == wire::kVarint && part.field == 1) sequence.pid = static_cast<int64_t>(part.number);
          if (part.type == wire::kVarint && part.field == 2) sequence.tid = static_cast<int64_t>(part.number);
        }
        const uint64_t track = kThreadOfSequence | static_cast<uint64_t>(sequence.pid) << 32 |
                               (static_cast<uint64_t>(sequence.tid) & 0xffffffff);
        if (tracks_.size() < kMaxTracks) {
          tracks_[track].process = str(sequence.pid);
          tracks_[track].thread = str(sequence.tid);
        }
        sequence.track = track;
        break;
      }
      case 59: take_defaults(sequence, message); break;
      case 60: describe_track(message); break;
      case 1: builder_.leave_out("packets of the kernel's tracer", "Footlight shows track events only"); break;
      default: break;
    }
  }
  if (event_message.data() == nullptr) return;
  const auto time = clocks_.time(sequence_id, clock.value_or(sequence.clock), timestamp);
  if (!time) return builder_.leave_out("events", "their times are impossible");
  add_event(sequence, event_message, *time);
}

// TracePacketDefaults
void PerfettoEvents::take_defaults(Sequence& sequence, std::string_view message) {
  for (ProtobufReader field(message); field.next();) {
    if (field.field == 58 && field.type == wire::kVarint) sequence.clock = field.number;
    if (field.field != 11 || field.type != wire::kBytes) continue;
    sequence.counter_tracks.clear();
    for (ProtobufReader part(field.bytes); part.next();) {
      if (part.type != wire::kVarint) continue;
      if (part.field == 11) sequence.track = part.number;
      if (part.field == 31 && sequence.counter_tracks.size() < 1000) sequence.counter_tracks.push_back(part.number);
    }
  }
}

// InternedData
void PerfettoEvents::intern(Sequence& sequence, std::string_view message) {
  for (ProtobufReader field(message); field.next();) {
    Texts* const texts = field.field == 1   ? &sequence.categories
                         : field.field == 2 ? &sequence.names
                         : field.field == 3 ? &sequence.annotation_names
                         : field.field == 29 ? &sequence.annotation_texts
                                             : nullptr;
    if (!texts || field.type != wire::kBytes) continue;
    uint64_t number = 0;
    std::string_view text;
    for (ProtobufReader part(field.bytes); part.next();) {
      if (part.field == 1 && part.type == wire::kVarint) number = part.number;
      if (part.field == 2 && part.type == wire::kBytes) text = part.bytes;
    }
    sequence.bytes += text.size() + 64;
    if (sequence.bytes > kMaxTextBytes) builder_.leave_out("texts", "the trace has too many of them");
    else (*texts)[number] = text;
  }
}

// TrackDescriptor
void PerfettoEvents::describe_track(std::string_view message) {
  uint64_t uuid = 0, parent = 0;
  std::string name, process_name, thread_name;
  std::optional<int64_t> pid, tid;
  bool is_counter = false, is_incremental = false;
  int64_t unit = 1;
  for (ProtobufReader field(message); field.next();) {
    if (field.field == 1 && field.type == wire::kVarint) uuid = field.number;
    if (field.field == 5 && field.type == wire::kVarint) parent = field.number;
    if (field.type != wire::kBytes) continue;
    if (field.field == 2 || field.field == 10) name = field.bytes;
    if (field.field == 3 || field.field == 4) {
      const bool is_thread = field.field == 4;
      for (ProtobufReader part(field.bytes); part.next();) {
        if (part.field == 1 && part.type == wire::kVarint) pid = static_cast<int64_t>(part.number);
        if (is_thread && part.field == 2 && part.type == wire::kVarint) tid = static_cast<int64_t>(part.number);
        if (is_thread && part.field == 5 && part.type == wire::kBytes) thread_name = part.bytes;
        if (!is_thread && part.field == 6 && part.type == wire::kBytes) process_name = part.bytes;
      }
    }
    if (field.field == 8) {
      is_counter = true;
      for (ProtobufReader part(field.bytes); part.next();) {
        if (part.field == 4 && part.type == wire::kVarint) unit = static_cast<int64_t>(part.number);
        if (part.field == 5 && part.type == wire::kVarint) is_incremental = part.number != 0;
      }
    }
  }
  if (tracks_.size() >= kMaxTracks && !tracks_.contains(uuid))
    return builder_.leave_out("tracks", "the trace has too many of them");
  Track& track = tracks_[uuid];
  track.parent = parent;
  if (!name.empty()) track.name = name;
  else if (!thread_name.empty()) track.name = thread_name;
  if (track.name.empty()) track.name = process_name;
  track.is_counter = is_counter;
  track.is_incremental = is_incremental;
  track.unit = unit ? unit : 1;
  if (pid) track.process = str(*pid);
  if (tid) track.thread = str(*tid);
  if (pid && !tid) {
    const std::string& shown = process_name.empty() ? name : process_name;
    if (!shown.empty()) builder_.name_process(track.process, shown);
  }
  if (track.lane != UINT32_MAX && !track.name.empty()) builder_.name_lane(track.lane, track.name);
}

std::string PerfettoEvents::process_of(uint64_t uuid) const {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const auto track = tracks_.find(uuid);
    if (track == tracks_.end()) break;
    if (!track->second.process.empty()) return track->second.process;
    if (track->second.parent == uuid) break;
    uuid = track->second.parent;
  }
  return "0";
}

uint32_t PerfettoEvents::lane_of(uint64_t uuid) {
  if (tracks_.size() >= kMaxTracks && !tracks_.contains(uuid)) uuid = 0;
  Track& track = tracks_[uuid];
  if (track.lane == UINT32_MAX) {
    track.lane = builder_.lane(process_of(uuid), track.thread.empty() ? str("track ", uuid) : track.thread);
    if (!track.name.empty()) builder_.name_lane(track.lane, track.name);
    else if (track.thread.empty()) builder_.name_lane(track.lane, uuid ? "track" : "trace");
  }
  return track.lane;
}

// TrackEvent
void PerfettoEvents::add_event(Sequence& sequence, std::string_view message, int64_t time) {
  TrackEvent e;
  e.track = sequence.track;
  std::vector<uint64_t> counter_tracks;
  const auto known = [](const Texts& texts, uint64_t number) {
    const auto found = texts.find(number);
    return found == texts.end() ? std::string() : found->second;
  };
  const auto add_category = [&](std::string_view category) {
    if (e.category.size() < 1000) e.category += (e.category.empty() ? "" : ",") + std::string(category);
  };
  const auto add_flow = [&](uint64_t number, bool ends) {
    if (e.flows.size() < 100) e.flows.emplace_back(number, ends);
  };
  ProtobufReader field(message);
  while (field.next()) {
    const bool is_number = field.type == wire::kVarint, is_text = field.type == wire::kBytes;
    switch (field.field) {
      case 3: if (is_number) add_category(known(sequence.categories, field.number)); break;
      case 4: if (is_text) annotate(sequence, field.bytes, e.args, 0); break;
      case 6:
        if (!is_text) break;
        for (ProtobufReader part(field.bytes); part.next();) {
          if (part.type != wire::kVarint) continue;
          if (part.field == 1) e.name = known(sequence.names, part.number);
          if (part.field == 2) e.phase = static_cast<char>(part.number);
          if (part.field == 3) e.duration_us = static_cast<int64_t>(part.number);
        }
        break;
      case 9: if (is_number) e.type = field.number; break;
      case 10: if (is_number) e.name = known(sequence.names, field.number); break;
      case 11: if (is_number) e.track = field.number; break;
      case 12: if (is_number && e.extra.size() < 1000) e.extra.push_back(static_cast<int64_t>(field.number)); break;
      case 22: if (is_text) add_category(field.bytes); break;
      case 23: if (is_text) e.name = field.bytes; break;
      case 30: if (is_number) e.whole = static_cast<int64_t>(field.number); break;
      case 31: if (is_number && counter_tracks.size() < 1000) counter_tracks.push_back(field.number); break;
      case 36: if (is_number) add_flow(field.number, false); break;
      case 42: if (is_number) add_flow(field.number, true); break;
      case 44: if (field.type == wire::kFixed64) e.real = real_of(field.bytes); break;
      case 47: if (field.type == wire::kFixed64) add_flow(fixed_of(field.bytes), false); break;
      case 48: if (field.type == wire::kFixed64) add_flow(fixed_of(field.bytes), true); break;
      default: break;
    }
  }
  if (!field.ok()) return builder_.leave_out("events", "they are damaged");
  if (!e.args.empty()) e.args += '}';
  const std::vector<uint64_t>& extra_tracks = counter_tracks.empty() ? sequence.counter_tracks : counter_tracks;
  for (size_t i = 0; i < e.extra.size() && i < extra_tracks.size(); ++i)
    add_count(extra_tracks[i], 0, true, e.extra[i], time);
  last_ = std::max(last_, time);
  if (e.type == kCounterValue) {
    if (e.whole || e.real) add_count(e.track, e.real.value_or(0), e.whole.has_value(), e.whole.value_or(0), time);
    else builder_.leave_out("counters", "they have no value");
    return;
  }
  if (e.type == kUnspecified && e.phase) return add_legacy_event(e, time);
  const uint32_t lane = lane_of(e.track);
  if (e.type == kSliceBegin) begin_slice(lane, e, time);
  else if (e.type == kSliceEnd) end_slice(lane, time);
  else if (e.type == kInstant) add_slice(lane, {time, e.name, e.category, e.args}, time);
  else return builder_.leave_out("events", str("Footlight shows none of type ", e.type));
  for (const auto& [number, ends] : e.flows) builder_.add_flow(lane, time, number ? number : 1, ends);
}

void PerfettoEvents::add_legacy_event(const TrackEvent& e, int64_t time) {
  const uint32_t lane = lane_of(e.track);
  int64_t end_ns = 0;
  switch (e.phase) {
    case 'B': return begin_slice(lane, e, time);
    case 'E': return end_slice(lane, time);
    case 'X':
      if (__builtin_mul_overflow(std::max<int64_t>(e.duration_us, 0), 1000, &end_ns) ||
          __builtin_add_overflow(end_ns, time, &end_ns))
        return builder_.leave_out("events", "their times are impossible");
      last_ = std::max(last_, end_ns);
      return add_slice(lane, {time, e.name, e.category, e.args}, end_ns);
    case 'I':
    case 'i': return add_slice(lane, {time, e.name, e.category, e.args}, time);
    default: builder_.leave_out("events", str("Footlight shows none of the kind \"", e.phase, "\""));
  }
}

// DebugAnnotation
void PerfettoEvents::annotate(const Sequence& sequence, std::string_view message, std::string& json, int depth) {
  if (json.size() > kMaxAnnotations) return;
  std::string_view name;
  for (ProtobufReader field(message); field.next();) {
    if (field.field == 1 && field.type == wire::kVarint)
      if (const auto known = sequence.annotation_names.find(field.number); known != sequence.annotation_names.end())
        name = known->second;
    if (field.field == 10 && field.type == wire::kBytes) name = field.bytes;
  }
  json += json.empty() ? '{' : json.back() == '{' ? ' ' : ',';
  append_quoted_json(json, name);
  json += ':';
  annotation_value(sequence, message, json, depth);
}

void PerfettoEvents::annotation_value(const Sequence& sequence, std::string_view message, std::string& json,
                                      int depth) {
  std::string value, list;
  for (ProtobufReader field(message); field.next();) {
    const bool is_number = field.type == wire::kVarint, is_text = field.type == wire::kBytes;
    if (field.field == 2 && is_number) value = field.number ? "true" : "false";
    if ((field.field == 3 || field.field == 7) && is_number) value = str(field.number);
    if (field.field == 4 && is_number) value = str(static_cast<int64_t>(field.number));
    if (field.field == 5 && field.type == wire::kFixed64) {
      const double real = real_of(field.bytes);
      value = real - real == 0 ? str(real) : "null";
    }
    if ((field.field == 6 || field.field == 9) && is_text) {
      value.clear();
      append_quoted_json(value, field.bytes);
    }
    if (field.field == 17 && is_number)
      if (const auto known = sequence.annotation_texts.find(field.number); known != sequence.annotation_texts.end()) {
        value.clear();
        append_quoted_json(value, known->second);
      }
    if (depth >= kMaxDepth || !is_text) continue;
    if (field.field == 11) annotate(sequence, field.bytes, list, depth + 1);
    if (field.field == 12) {
      list += list.empty() ? '[' : ',';
      annotation_value(sequence, field.bytes, list, depth + 1);
    }
    if (list.size() > kMaxAnnotations) break;
  }
  if (!list.empty()) value = list + (list[0] == '{' ? '}' : ']');
  json += value.empty() ? "null" : value;
}

void PerfettoEvents::begin_slice(uint32_t lane, const TrackEvent& e, int64_t time) {
  const size_t bytes = e.name.size() + e.category.size() + e.args.size() + sizeof(Begun);
  if (open_bytes_ + bytes > kMaxOpenSlices) return builder_.leave_out("events", "too many had begun and not ended");
  open_bytes_ += bytes;
  open_[lane].push_back({time, e.name, e.category, e.args});
}

void PerfettoEvents::end_slice(uint32_t lane, int64_t time) {
  const auto open = open_.find(lane);
  if (open == open_.end() || open->second.empty())
    return builder_.leave_out("ends of events", "nothing had begun that they could end");
  const Begun begun = std::move(open->second.back());
  open->second.pop_back();
  open_bytes_ -= std::min(open_bytes_, begun.name.size() + begun.category.size() + begun.args.size() + sizeof(Begun));
  add_slice(lane, begun, time);
}

void PerfettoEvents::add_slice(uint32_t lane, const Begun& begun, int64_t end) {
  Event e;
  e.kind = EventKind::kSpan;
  e.lane = lane;
  e.start_ns = begun.start;
  e.end_ns = end;
  e.name = begun.name.empty() ? std::string_view("event without a name") : std::string_view(begun.name);
  e.category = begun.category;
  e.args = begun.args;
  builder_.add(e);
}

void PerfettoEvents::add_count(uint64_t uuid, double value, bool is_whole, int64_t whole, int64_t time) {
  if (tracks_.size() >= kMaxTracks && !tracks_.contains(uuid)) uuid = 0;
  Track& track = tracks_[uuid];
  if (is_whole) {
    if (__builtin_mul_overflow(whole, track.unit, &whole) ||
        (track.is_incremental && __builtin_add_overflow(track.sum, whole, &track.sum)))
      return builder_.leave_out("counters", "their values are impossible");
    value = static_cast<double>(track.is_incremental ? track.sum : whole);
  }
  if (track.counter == UINT32_MAX) {
    // Counters of one name may lie on several tracks.
    const std::string process = process_of(uuid);
    track.counter = builder_.counter(process, track.name.empty() ? str("counter ", uuid) : track.name);
  }
  Event e;
  e.kind = EventKind::kCounter;
  e.lane = track.counter;
  e.start_ns = e.end_ns = time;
  e.value = value;
  builder_.add(e);
}

void PerfettoEvents::finish() {
  for (auto& [lane, open] : open_)
    for (const Begun& begun : open) {
      builder_.leave_out("ends of events", "the file does not have them; the events end with the last one");
      add_slice(lane, begun, std::max(begun.start, last_));
    }
  open_.clear();
  facts_.base_ns = clocks_.since_1970();
}

}  // namespace footlight::foreign
