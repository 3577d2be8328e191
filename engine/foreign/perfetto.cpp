// The numbers of the fields are those of perfetto's trace_packet.proto, track_event.proto and track_descriptor.proto.
#include "engine/foreign/perfetto.h"

#include "engine/base/text.h"
#include "engine/foreign/packet_stream.h"
#include "engine/foreign/perfetto_events.h"
#include "engine/wire/protobuf.h"

namespace footlight::foreign {

using wire::ProtobufReader;

// A trace begins with packets whose known fields have known types. Some packet holds events, tracks, clocks or facts of
// the trace, and some packet has a time or a sequence. Nodes of a GraphDef look alike, but have no such fields.
bool looks_like_perfetto(std::string_view begin) {
  int packets = 0;
  bool is_known = false, is_stamped = false;
  while (!begin.empty() && packets < 50 && begin[0] == '\x0a') {
    begin.remove_prefix(1);
    uint64_t size = 0;
    if (!wire::take_varint(begin, size)) return false;
    const bool is_cut = size > begin.size();
    ProtobufReader packet(begin.substr(0, static_cast<size_t>(std::min<uint64_t>(size, begin.size()))));
    while (packet.next()) {
      const bool is_message = packet.field == 6 || packet.field == 11 || packet.field == 60 || packet.field == 50 ||
                              packet.field == 33 || packet.field == 36;
      if (is_message && packet.type != wire::kBytes) return false;
      const bool is_stamp = packet.field == 3 || packet.field == 8 || packet.field == 10;
      if (is_stamp && packet.type != wire::kVarint) return false;
      is_stamped = is_stamped || is_stamp || packet.field == 50;
      is_known = is_known || is_message;
    }
    if (!packet.ok() && !is_cut) return false;
    ++packets;
    if (is_cut) break;
    begin.remove_prefix(static_cast<size_t>(size));
  }
  return is_known && is_stamped;
}

void read_perfetto(const Import& import) {
  const std::unique_ptr<Input> input = import.source.open();
  PerfettoEvents events(import.builder, import.facts);
  const std::string damage = PacketStream(*input).read([&](std::string_view packet) { events.add(packet); });
  events.finish();
  if (import.builder.events() == 0)
    fail(ErrorKind::kValue, import.facts.path, damage.empty() ? " holds no track event"
                                                              : " is damaged; no event could be read: " + damage);
  if (!damage.empty()) import.builder.leave_out("the rest of the file", damage);
}

}  // namespace footlight::foreign
