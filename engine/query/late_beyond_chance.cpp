// Tells ranks that are late for a reason from those that take turns in being late.
#include "engine/query/late_beyond_chance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace footlight::query {
namespace {

using session::ProcessId;

constexpr int64_t kMinLate = 50'000'000;       // what a rank has to cost, and a twentieth of all ranks' time
constexpr int64_t kMinShare = 20;
constexpr uint64_t kOften = 5;                 // from here on a rank may be late often
constexpr double kOneInAMillion = 13.8;        // its logarithm: how seldom chance may make a rank late that often
constexpr int64_t kTimesTheOthers = 3;         // the lateness of one that is late often, in sums of the others
constexpr int64_t kGap = 4;                    // times the worst of the others: how late one is that is late seldom
constexpr double kMaxChance = 0.001;           // that all of the long ones fall upon one rank
constexpr int64_t kOwnTracing = 4;             // times what the others traced meanwhile
constexpr uint64_t kOwnOps = 2, kFewOps = 10;  // times the ops of the others, and more by that

struct Sums {
  uint64_t count = 0;
  int64_t ns = 0, worst = 0;
};

class Judge {
 public:
  Judge(const session::Reader& reader, const Ranks& ranks) : reader_(reader), ranks_(ranks) {
    for (size_t i = 0; i < ranks.collectives.size(); ++i)
      for (const Arrival& arrival : ranks.collectives[i].arrivals) first_.try_emplace(arrival.process, i);
    for (const RankSums& rank : ranks.ranks) sums_[rank.process];
    for (const LateArrival& late : ranks.late)
      if (may_be_noise(late)) add(sums_[late.process], late);
  }

  std::vector<LateRank> judge() {
    find_long_ones();
    std::map<std::tuple<ProcessId, RankWork, std::string>, std::vector<const LateArrival*>> groups;
    for (const LateArrival& late : ranks_.late) {
      if (!late.explained) continue;
      if (is_own_work(late)) groups[{late.process, late.why, late.where}].push_back(&late);
      // What is late often has its reason in its whole work, of which spans are parts.
      else if (is_often_late(late.process) && may_be_noise(late)) groups[{late.process, late.why, ""}].push_back(&late);
      else if (is_long(late)) groups[{late.process, late.why, late.where}].push_back(&late);
    }
    std::vector<LateRank> all;
    for (const auto& [key, group] : groups) all.push_back(sum_of(group));
    std::ranges::stable_sort(all, std::greater(), &LateRank::late_ns);
    all = with_same_reasons(std::move(all));
    std::erase_if(all, [&](const LateRank& one) { return !is_costly(one); });
    std::ranges::stable_sort(all, std::greater(), &LateRank::all_late_ns);
    return all;
  }

 private:
  static void add(Sums& sums, const LateArrival& late) {
    ++sums.count;
    sums.ns += late.late_ns;
    sums.worst = std::max(sums.worst, late.late_ns);
  }

  // Processes start at different times, so what comes before the first collective shows nothing of their work.
  bool is_first(const LateArrival& late) const { return first_.at(late.process) == late.collective; }
  bool may_be_noise(const LateArrival& late) const { return !is_first(late) && !is_own_work(late); }

  static bool is_own_work(const LateArrival& late) {
    const auto kind = static_cast<size_t>(late.why);
    switch (late.why) {
      case RankWork::kTracing: return late.own[kind] >= kOwnTracing * late.others[kind];
      case RankWork::kOps: return late.own_ops >= kOwnOps * late.others_ops + kFewOps;
      case RankWork::kOther: return late.is_alone && !late.where.empty();
      case RankWork::kInput: break;
    }
    return false;
  }

  template <class Value>
  int64_t median_of_others(ProcessId process, Value&& value) const {
    std::vector<int64_t> values;
    for (const auto& [other, sums] : sums_)
      if (other != process) values.push_back(value(sums));
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  // Whether it is late at more collectives than would happen if it were chance who is.
  bool is_often_late(ProcessId process) const {
    const Sums& own = sums_.at(process);
    double all = 0;
    for (const auto& [other, sums] : sums_) all += static_cast<double>(sums.count);
    const double expected = 1 / static_cast<double>(sums_.size());
    const double share = all > 0 ? static_cast<double>(own.count) / all : 0;
    if (own.count < kOften || share <= expected || sums_.size() < 2) return false;
    // Chernoff's bound of the binomial distribution.
    double divergence = share * std::log(share / expected);
    if (share < 1) divergence += (1 - share) * std::log((1 - share) / (1 - expected));
    return all * divergence >= kOneInAMillion &&
           own.ns >= kTimesTheOthers * median_of_others(process, [](const Sums& s) { return s.ns; });
  }

  // The ranks that were late by several times what all the others were at their worst.
  void find_long_ones() {
    std::vector<std::pair<int64_t, ProcessId>> worst;
    for (const auto& [process, sums] : sums_)
      if (!is_often_late(process)) worst.emplace_back(sums.worst, process);
    std::ranges::sort(worst, std::greater());
    const size_t most = std::max<size_t>(1, sums_.size() / 3);
    size_t count = 0;
    for (size_t i = 0; i < most && i + 1 < worst.size(); ++i)
      if (worst[i].first >= kGap * std::max(worst[i + 1].first, ranks_.noise_ns)) count = i + 1;
    std::vector<ProcessId> once;
    for (size_t i = 0; i < count; ++i) {
      const auto [ns, process] = worst[i];
      uint64_t long_ones = 0;
      bool is_of_input = false;
      for (const LateArrival& late : ranks_.late) {
        if (late.process != process || !may_be_noise(late) || late.late_ns * 2 < ns) continue;
        ++long_ones;
        is_of_input |= late.why == RankWork::kInput;
      }
      const double chance = std::pow(static_cast<double>(sums_.size()), 1 - static_cast<double>(long_ones));
      if (chance <= kMaxChance) long_.emplace(process, ns / 2);
      else if (is_of_input) once.push_back(process);  // one pause of the system looks like work without a name
    }
    // Two ranks to which it happened once or twice take turns.
    if (once.size() == 1) long_.emplace(once.front(), sums_.at(once.front()).worst / 2);
  }

  bool is_long(const LateArrival& late) const {
    const auto at = long_.find(late.process);
    return at != long_.end() && may_be_noise(late) && late.late_ns >= at->second;
  }

  LateRank sum_of(const std::vector<const LateArrival*>& group) const {
    LateRank one;
    const LateArrival* worst = group.front();
    for (const LateArrival* late : group) {
      ++one.count;
      one.late_ns += late->late_ns;
      one.waited_ns += late->waited_ns;
      if (late->late_ns > worst->late_ns) worst = late;
    }
    one.all_late_ns = one.late_ns;
    one.all_waited_ns = one.waited_ns;
    const Collective& collective = ranks_.collectives[worst->collective];
    one.process = worst->process;
    one.name = process_name(reader_.contents(), worst->process);
    one.why = worst->why;
    one.where = worst->where;
    one.reason = reason_of(*worst, reader_);
    one.collective = collective_name(collective);
    one.file = collective.file;
    one.line = collective.line;
    if (worst->why == RankWork::kTracing) one.trace = worst->trace;
    const auto rank = std::ranges::find(ranks_.ranks, worst->process, &RankSums::process);
    if (rank != ranks_.ranks.end()) one.collectives = rank->collectives;
    one.worst_ns = worst->late_ns;
    one.other_ranks = collective.arrivals.size() - 1;
    return one;
  }

  bool is_costly(const LateRank& one) const {
    return one.all_late_ns >= kMinLate && one.all_waited_ns * kMinShare >= ranks_.took_ns;
  }

  // Ranks that are late for the same reason, each at its own time, have one cause.
  static std::vector<LateRank> with_same_reasons(std::vector<LateRank> all) {
    std::vector<LateRank> kept;
    for (LateRank& one : all) {
      const auto same = std::ranges::find_if(kept, [&](const LateRank& other) {
        return other.why == one.why && other.where == one.where && !one.where.empty();
      });
      if (same == kept.end()) {
        kept.push_back(std::move(one));
        continue;
      }
      same->all_late_ns += one.late_ns;
      same->all_waited_ns += one.waited_ns;
      if (same->name != one.name) same->also.push_back(one.name);
    }
    return kept;
  }

  const session::Reader& reader_;
  const Ranks& ranks_;
  std::map<ProcessId, size_t> first_;      // the first collective to which it came
  std::map<ProcessId, Sums> sums_;         // of arrivals that may be noise
  std::map<ProcessId, int64_t> long_;      // late seldom and long: from which lateness on
};

}  // namespace

std::vector<LateRank> late_beyond_chance(const session::Reader& reader, const Ranks& ranks) {
  if (!ranks.comparable || ranks.late.empty()) return {};
  return Judge(reader, ranks).judge();
}

}  // namespace footlight::query
