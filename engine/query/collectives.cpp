// Counts the collectives of each process, and puts those of equal number together.
#include "engine/query/collectives.h"

#include "engine/base/end_of_sequence.h"
#include "engine/query/names.h"
#include "engine/session/readable_chunks.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace footlight::query {
namespace {

struct Seen {
  Arrival arrival;
  std::string name, group, file;
  bool waits = true;
  uint64_t bytes = 0, number = 0, line = 0;
};

uint64_t number_of(const std::string& digits) {
  uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

std::vector<Seen> spans_in(const session::Reader& reader, const Cancel& cancel) {
  std::vector<Seen> seen;
  each_record(reader.spans(), [&] { cancel.check(); }, [&](const session::SpanRecord& span) {
    if (span.category != kCollective) return;
    const session::TrackRecord* const track = reader.track(span.track);
    Seen one;
    one.arrival = {session::ProcessId(process_of(span.track)), track ? track->thread : session::ThreadId(),
                   span.start_ns, std::max(span.start_ns, span.end_ns)};
    one.name = span.name;
    one.group = json_value(span.args, "group");
    one.waits = json_value(span.args, "async") != "true";
    one.bytes = number_of(json_value(span.args, "bytes"));
    one.number = number_of(json_value(span.args, "seq"));
    one.file = json_value(span.args, "file");
    one.line = number_of(json_value(span.args, "line"));
    seen.push_back(std::move(one));
  });
  std::ranges::stable_sort(seen, {}, [](const Seen& one) { return one.arrival.start_ns; });
  return seen;
}

}  // namespace

RankSpan rank_span(const session::SpanRecord& span, const session::TrackRecord* track) {
  if (!track || span.category == kCollective || span.category == kEndOfData) return RankSpan::kNone;
  const bool is_stage = track->kind == session::TrackRecord::kStage;
  if (is_stage ? track->parent.valid() : track->kind != "thread") return RankSpan::kNone;
  return is_stage || span.category == kInput ? RankSpan::kInput : RankSpan::kNamed;
}

const Arrival& Collective::last() const { return *std::ranges::max_element(arrivals, {}, &Arrival::start_ns); }

const Arrival* Collective::of(session::ProcessId process) const {
  const auto at = std::ranges::find(arrivals, process, &Arrival::process);
  return at == arrivals.end() ? nullptr : &*at;
}

std::vector<Collective> collectives(const session::Reader& reader, const Cancel& cancel) {
  std::vector<Collective> all;
  std::map<std::tuple<std::string, std::string, uint32_t>, uint64_t> counts;
  std::map<std::tuple<std::string, std::string, uint64_t>, size_t> places;
  for (Seen& one : spans_in(reader, cancel)) {
    uint64_t& count = counts[{one.name, one.group, one.arrival.process.value}];
    const uint64_t number = count = std::max(count + 1, one.number);
    const auto [at, added] = places.try_emplace({one.name, one.group, number}, all.size());
    if (added)
      all.push_back({std::move(one.name), std::move(one.group), number, one.waits, one.bytes, std::move(one.file),
                     static_cast<int>(std::min<uint64_t>(one.line, INT32_MAX))});
    all[at->second].waits = all[at->second].waits && one.waits;
    all[at->second].arrivals.push_back(one.arrival);
  }
  for (Collective& one : all) std::ranges::sort(one.arrivals, {}, &Arrival::process);
  return all;
}

std::string json_value(std::string_view object, std::string_view key) {
  const std::string quoted = '"' + std::string(key) + '"';
  bool inside = false;  // a text
  for (size_t i = 0; i < object.size(); ++i) {
    if (object[i] == '\\' && inside) {
      ++i;
      continue;
    }
    if (object[i] != '"') continue;
    if (!inside && object.substr(i).starts_with(quoted)) {
      size_t at = object.find_first_not_of(" \t", i + quoted.size());
      if (at != object.npos && object[at] == ':') {
        at = object.find_first_not_of(" \t", at + 1);
        if (at == object.npos) return {};
        if (object[at] != '"') return std::string(object.substr(at, object.find_first_of(",} \t", at) - at));
        size_t end = at + 1;
        while (end < object.size() && object[end] != '"') end += object[end] == '\\' ? 2 : 1;
        return std::string(object.substr(at + 1, std::min(end, object.size()) - at - 1));
      }
    }
    inside = !inside;
  }
  return {};
}

std::string process_name(const session::Contents& contents, session::ProcessId process) {
  const auto at = std::ranges::find(contents.processes, process, &session::ProcessRecord::id);
  if (at == contents.processes.end()) return "Process " + std::to_string(process.valid() ? process.value : 0);
  const bool ranked = at->world > 1;
  if (at->is_child()) {
    return "Process " + std::to_string(at->pid) + (ranked ? " of rank " + std::to_string(at->rank) : "");
  }
  if (ranked) return "Rank " + std::to_string(at->rank);
  return contents.processes.size() == 1 || !at->parent_pid ? "The script" : "Process " + std::to_string(at->pid);
}

}  // namespace footlight::query
