// Writes a comparison with its parts, rows and lanes as JSON.
#include "engine/cli/compare_json.h"

#include "engine/cli/json.h"

#include <cstdio>

namespace footlight::cli {
namespace {

using namespace explain;

std::string number(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string json_of(const Spread& spread) {
  return JsonObject()
      .raw("mean", number(spread.mean))
      .raw("p5", number(spread.p5))
      .raw("p95", number(spread.p95))
      .inline_();
}

const char* kind_of(Part::Kind kind) {
  switch (kind) {
    case Part::Kind::kShare: return "share";
    case Part::Kind::kGroup: return "group";
    case Part::Kind::kCall: return "call";
    case Part::Kind::kOthers: return "others";
  }
  return "";
}

std::string json_of(const std::vector<Part>& parts) {
  std::vector<std::string> out;
  for (const Part& part : parts) {
    JsonObject one;
    one.add("name", part.name).add("kind", kind_of(part.kind));
    one.raw("eager_ns", number(part.eager)).raw("traced_ns", number(part.traced));
    one.raw("difference_ns", json_of(part.difference));
    if (!part.joined.empty()) one.raw("joined", json_of(part.joined));
    out.push_back(one.inline_());
  }
  return json_list(out);
}

std::string json_of(const session::Reader& reader, const std::vector<Row>& rows) {
  std::vector<std::string> out;
  for (const Row& row : rows) {
    const session::FileRecord* file = row.at ? reader.file(row.at.file) : nullptr;
    JsonObject one;
    one.add("file", file ? file->path : "").add("line", row.at.line).add("function", row.function);
    if (!row.place.empty()) one.add("place", row.place).add("right_line", row.right_at.line);
    one.add("eager_ops", row.eager_ops).add("eager_count", row.eager_count).raw("eager_ns", json_of(row.eager));
    one.add("graph_nodes", row.graph_nodes).add("traced_count", row.traced_count).raw("traced_ns", json_of(row.traced));
    one.raw("difference_ns", json_of(row.difference)).add("group", name_of(row.group)).add("why", row.why);
    one.add("eager_bytes", row.eager_bytes).add("traced_bytes", row.traced_bytes).add("flops", row.flops);
    out.push_back(one.inline_());
  }
  return json_list(out);
}

std::string json_of(const Side& side) {
  JsonObject shares;
  for (size_t s = 0; s < kShares; ++s) shares.raw(name_of(static_cast<Share>(s)), number(side.shares[s]));
  std::vector<std::string> lanes;
  for (const Lane& lane : side.picture.lanes)
    lanes.push_back(JsonObject()
                        .add("name", lane.name)
                        .raw("busy", lane.busy ? std::to_string(*lane.busy) : "null")
                        .add("pieces", uint64_t{lane.pieces.size()})
                        .inline_());
  return JsonObject()
      .add("name", side.name)
      .raw("total_ns", json_of(side.total))
      .raw("recorded_ns", json_of(side.recorded))
      .raw("recording_adds_ns", number(side.recording))
      .raw("recorder_ns", number(side.recorder))
      .raw("unexplained_ns", number(side.unexplained))
      .raw("shares_ns", shares.inline_())
      .add("ops", side.ops)
      .add("lost", side.lost)
      .add("calls", side.calls)
      .raw("lanes", json_list(lanes))
      .inline_();
}

}  // namespace

std::string comparison_json(const session::Reader& reader, const Comparison& c) {
  JsonObject out;
  if (c.recorded) out.add("title", c.title);
  out.add("function", c.name).add("call", c.call).add("sentence", sentence_of(c)).add("worth", worth_of(c));
  out.add("other_work", c.other_work);
  out.raw("left", json_of(c.eager)).raw("right", json_of(c.traced)).raw("difference_ns", json_of(c.difference));
  out.raw("known_within", std::to_string(c.known_within)).raw("unexplained", std::to_string(c.unexplained));
  out.add("pairs", uint64_t{c.pairs}).add("pairs_with_events", uint64_t{c.pairs_with_events});
  out.add("interrupted", uint64_t{c.interrupted});
  out.add("warm_up", uint64_t{c.warm_up}).add("stopped", c.stopped).add("error", c.error);
  out.add("tracing_ns", c.tracing_ns).add("simulated", c.simulated).add("device", c.device);
  out.raw("worth_from", c.worth_from ? std::to_string(*c.worth_from) : "null");
  out.add("trace_calls", c.trace_calls);
  std::vector<std::string> notes;
  for (const std::string& note : c.notes) notes.push_back(json_text(note));
  out.raw("notes", json_list(notes)).raw("parts", json_of(c.parts)).raw("rows", json_of(reader, c.rows));
  return out.lines();
}

}  // namespace footlight::cli
