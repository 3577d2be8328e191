// Says in sentences which rank was late, at which collective, and why.
#include "engine/query/late_ranks.h"

#include "engine/base/place.h"
#include "engine/query/names.h"

#include <cstdio>

namespace footlight::query {
namespace {

std::string ms(int64_t ns) {
  const double value = static_cast<double>(ns) / 1e6;
  char text[40];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f ms" : value < 100 ? "%.1f ms" : "%.0f ms", value);
  return text;
}

std::string others(size_t count) {
  return count == 1 ? "the other rank" : "the other " + std::to_string(count) + " ranks";
}

}  // namespace

std::string reason_of(const LateArrival& late, const session::Reader& reader) {
  const auto kind = static_cast<size_t>(late.why);
  const std::string spent = ms(late.own[kind]), median = ms(late.others[kind]);
  if (!late.explained) return "what was recorded does not explain it";
  const std::string place = late.where.empty() ? "" : " " + late.where;
  switch (late.why) {
    case RankWork::kTracing: {
      const session::TraceRecord* const trace = reader.trace(late.trace);
      const bool again = trace && trace->number > 1;
      const std::string why = trace && !trace->why.empty() ? " (" + trace->why + ")" : "";
      return "it traced" + place + (again ? " again" : "") + why + " for " + spent + ", the others for " + median;
    }
    case RankWork::kInput:
      return "it waited " + spent + " for its input" + (late.where.empty() ? "" : " (" + late.where + ")") +
             ", the others " + median;
    case RankWork::kOps: {
      const auto count = [&](uint64_t ops) {
        return late.own_ops == late.others_ops ? std::string() : " (" + std::to_string(ops) + " of them)";
      };
      return "its ops took " + spent + (late.where.empty() ? "" : " in" + place) + count(late.own_ops) +
             ", those of the others " + median + count(late.others_ops);
    }
    case RankWork::kOther: break;
  }
  return "it spent " + spent + " in Python" + (late.where.empty() ? "" : ", most of it in" + place) +
         " outside of recorded ops, the others " + median;
}

std::string collective_name(const Collective& collective) {
  const bool is_world = collective.group.empty() || collective.group == "world";
  return collective.name + (is_world ? "" : " of group " + collective.group) + " #" + std::to_string(collective.number);
}

std::string line_of(const Ranks& ranks, const session::Reader& reader, const LateArrival& late) {
  const session::TraceRecord* const trace = late.why == RankWork::kTracing ? reader.trace(late.trace) : nullptr;
  const std::string place = trace && late.explained ? Names(reader).place(trace->source, trace->location) : "";
  const Collective& one = ranks.collectives[late.collective];
  return place.empty() && !one.file.empty() ? place_text(one.file, one.line) : place;
}

std::string sentence(const Ranks& ranks, const session::Reader& reader, const LateArrival& late) {
  const Collective& collective = ranks.collectives[late.collective];
  std::string words = process_name(reader.contents(), late.process) + " is late at " + collective_name(collective) +
                      " by " + ms(late.late_ns) + ": " + reason_of(late, reader) + ".";
  const size_t count = collective.arrivals.size() - 1;
  if (late.waited_ns > 0)
    words += " Meanwhile " + others(count) + " waited" + (count > 1 ? " " + ms(late.waited_ns) + " together." : ".");
  return words;
}

std::string sentence(const Ranks& ranks, const session::Reader& reader, const LateGroup& group) {
  const LateArrival& worst = ranks.late[group.worst];
  if (group.count == 1) return sentence(ranks, reader, worst);
  return process_name(reader.contents(), group.process) + " is late at " + std::to_string(group.count) +
         " collectives, at worst at " + collective_name(ranks.collectives[worst.collective]) + " by " +
         ms(worst.late_ns) + ": " + reason_of(worst, reader) + ". The other ranks waited " + ms(group.waited_ns) +
         " together.";
}

std::string verdict(const Ranks& ranks, const session::Reader& reader) {
  if (ranks.collectives.empty()) return "No collectives were recorded, so no rank is known to have waited for another.";
  if (!ranks.comparable)
    return "How far the clocks of these processes are apart is unknown, so none can be called late.";
  if (ranks.groups.empty())
    return "No rank is late by more than " + ms(ranks.noise_ns) + ", below which arrivals are not told apart.";
  if (ranks.groups.front().waited_ns * 20 >= ranks.took_ns) return sentence(ranks, reader, ranks.groups.front());
  return "No rank is late for long: for the worst one the others waited " + ms(ranks.groups.front().waited_ns) +
         ", of " + ms(ranks.took_ns) + " that all ranks took together.";
}

}  // namespace footlight::query
