// Perfetto's own format: a sequence of TracePackets with track descriptors and track events, names written once.
#include "engine/cli/export_timeline.h"
#include "engine/cli/text.h"
#include "engine/wire/protobuf.h"

namespace footlight::cli {

using wire::ProtobufWriter;

namespace {

// Fields, by message, from perfetto's trace_packet.proto, track_descriptor.proto, track_event.proto and their like.
namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace packet {
constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                   kSequenceFlags = 13, kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet
namespace clock_snapshot {
constexpr uint32_t kClocks = 1, kClockId = 1, kTimestamp = 2;
constexpr uint64_t kRealTime = 1, kBootTime = 6;
}  // namespace clock_snapshot
namespace descriptor {
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParentUuid = 5, kCounter = 8;
constexpr uint32_t kProcessPid = 1, kProcessName = 6;
constexpr uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
}  // namespace descriptor
namespace event {
constexpr uint32_t kCategoryIids = 3, kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11,
                   kCategories = 22, kName = 23, kDoubleCounterValue = 44, kFlowIds = 47;
constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;
}  // namespace event
namespace annotation {
constexpr uint32_t kNameIid = 1, kIntValue = 4, kStringValue = 6, kLegacyJsonValue = 9, kName = 10,
                   kStringValueIid = 17;
}  // namespace annotation
namespace interned {
constexpr uint32_t kEventCategories = 1, kEventNames = 2, kAnnotationNames = 3, kAnnotationStrings = 29;
constexpr uint32_t kIid = 1, kText = 2;
}  // namespace interned

class PerfettoSink : public TimelineSink {
 public:
  PerfettoSink(Output& out, int64_t first_ns) : out_(out) {
    // The clock of all times: without this the UI would show them as time since the machine was started.
    ProtobufWriter packet, snapshot;
    for (const uint64_t clock : {clock_snapshot::kRealTime, clock_snapshot::kBootTime}) {
      ProtobufWriter reading;
      reading.number(clock_snapshot::kClockId, clock);
      reading.number(clock_snapshot::kTimestamp, static_cast<uint64_t>(first_ns));
      snapshot.message(clock_snapshot::kClocks, reading);
    }
    packet.message(packet::kClockSnapshot, snapshot);
    packet.number(packet::kSequenceFlags, packet::kStateCleared);
    write_packet(packet);
  }

  void track(const TimelineTrack& track) override {
    ProtobufWriter packet, made, inner;
    const std::string name = valid_text(track.name);
    made.number(descriptor::kUuid, track.number);
    made.bytes(descriptor::kName, name);
    if (track.parent) made.number(descriptor::kParentUuid, track.parent);
    const auto pid = static_cast<uint64_t>(track.pid);
    switch (track.kind) {
      case TimelineTrack::Kind::kProcess:
        inner.number(descriptor::kProcessPid, pid);
        inner.bytes(descriptor::kProcessName, name);
        made.message(descriptor::kProcess, inner);
        break;
      case TimelineTrack::Kind::kThread:
        inner.number(descriptor::kThreadPid, pid);
        inner.number(descriptor::kThreadTid, static_cast<uint64_t>(track.tid));
        inner.bytes(descriptor::kThreadName, name);
        made.message(descriptor::kThread, inner);
        break;
      case TimelineTrack::Kind::kCounter: made.message(descriptor::kCounter, inner); break;
      case TimelineTrack::Kind::kOther: break;
    }
    packet.message(packet::kTrackDescriptor, made);
    write_packet(packet);
  }

  void slice(const Slice& slice) override {
    begin(event::kSliceBegin, *slice.track);
    describe(slice.name, slice.category, slice.arguments);
    for (const Flow& flow : slice.flows) event_.fixed64(event::kFlowIds, flow.id);
    end(slice.start_ns);
    begin(event::kSliceEnd, *slice.track);
    end(slice.end_ns);
  }

  void counter(const TimelineTrack& track, int64_t time_ns, double value) override {
    begin(event::kCounter, track);
    event_.real(event::kDoubleCounterValue, value);
    end(time_ns);
  }

  void instant(const TimelineTrack& track, int64_t time_ns, std::string_view name,
               std::span<const Argument> arguments) override {
    begin(event::kInstant, track);
    describe(name, "missing", arguments);
    end(time_ns);
  }

 private:
  // Texts that were written once and have a number since.
  struct Known {
    uint32_t field;  // of InternedData
    std::unordered_map<std::string, uint64_t> numbers = {};
  };
  static constexpr size_t kMaxKnown = 1 << 16, kLongestKnown = 500;

  void begin(uint64_t type, const TimelineTrack& track) {
    event_.clear();
    interned_.clear();
    event_.number(event::kType, type);
    event_.number(event::kTrackUuid, track.number);
  }

  void end(int64_t time_ns) {
    packet_.clear();
    packet_.number(packet::kTimestamp, static_cast<uint64_t>(time_ns));
    packet_.message(packet::kTrackEvent, event_);
    if (!interned_.empty()) packet_.message(packet::kInternedData, interned_);
    packet_.number(packet::kSequenceFlags, packet::kNeedsState);
    write_packet(packet_);
  }

  void write_packet(ProtobufWriter& packet) {
    packet.number(packet::kSequence, 1);
    framed_.clear();
    framed_.message(trace::kPacket, packet);
    out_.write(framed_.text());
  }

  void describe(std::string_view name, std::string_view category, std::span<const Argument> arguments) {
    text(event_, event_names_, event::kNameIid, event::kName, name);
    text(event_, categories_, event::kCategoryIids, event::kCategories, category);
    for (const Argument& a : arguments) {
      annotation_.clear();
      text(annotation_, annotation_names_, annotation::kNameIid, annotation::kName, a.name);
      if (a.is_number) annotation_.number(annotation::kIntValue, static_cast<uint64_t>(a.number));
      else if (a.json) annotation_.bytes(annotation::kLegacyJsonValue, a.text);
      else text(annotation_, strings_, annotation::kStringValueIid, annotation::kStringValue, a.text);
      event_.message(event::kDebugAnnotations, annotation_);
    }
  }

  // Writes the text's number into one field or, of a text that is not worth one, the text into the other.
  void text(ProtobufWriter& to, Known& known, uint32_t number_field, uint32_t text_field, std::string_view text) {
    key_ = text;
    const auto found = known.numbers.find(key_);
    if (found != known.numbers.end()) return to.number(number_field, found->second);
    const std::string written = valid_text(text);
    if (written.size() > kLongestKnown || known.numbers.size() >= kMaxKnown) return to.bytes(text_field, written);
    const uint64_t number = known.numbers.size() + 1;
    known.numbers.emplace(key_, number);
    ProtobufWriter entry;
    entry.number(interned::kIid, number);
    entry.bytes(interned::kText, written);
    interned_.message(known.field, entry);
    to.number(number_field, number);
  }

  Output& out_;
  ProtobufWriter packet_, event_, annotation_, interned_, framed_;
  std::string key_;
  Known categories_{interned::kEventCategories}, event_names_{interned::kEventNames},
      annotation_names_{interned::kAnnotationNames}, strings_{interned::kAnnotationStrings};
};

}  // namespace

void export_perfetto(const Export& what) {
  PerfettoSink sink(what.out, what.reader.first_time());
  write_timeline(what, sink);
}

}  // namespace footlight::cli
