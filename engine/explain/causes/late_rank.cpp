// late_rank: a rank of a distributed run comes late to collectives, so that all others wait for it: it traces again,
// waits for its input, or has more to do. Fix: let it do that when the others do, or not at all.
#include "engine/explain/findings.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"
#include "engine/query/late_beyond_chance.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using query::LateRank;
using query::RankWork;

std::string time(int64_t ns) { return time_text(static_cast<double>(ns)); }

std::string others(size_t count) {
  return count == 1 ? "the other rank" : "the other " + with_commas(count) + " ranks";
}

bool is_again(const Evidence& evidence, const LateRank& late) {
  const session::TraceRecord* const trace = evidence.trace(late.trace);
  return trace && trace->number > 1;
}

std::string title_of(const Evidence& evidence, const LateRank& late) {
  const std::string what = late.name + " is late: ";
  switch (late.why) {
    case RankWork::kTracing: return what + "it traces " + late.where + (is_again(evidence, late) ? " again" : "");
    case RankWork::kInput: return what + "it waits for its input" + (late.where.empty() ? "" : ", " + late.where);
    case RankWork::kOps: return what + "its ops take longer" + (late.where.empty() ? "" : " in " + late.where);
    case RankWork::kOther: break;
  }
  return what + "Python takes longer" + (late.where.empty() ? "" : " in " + late.where);
}

std::string detail_of(const LateRank& late) {
  std::string text = late.count == 1 ? "At " + late.collective + " by " + time(late.worst_ns)
                                     : "At " + with_commas(late.count) + " of " + with_commas(late.collectives) +
                                           " collectives, at worst at " + late.collective + " by " +
                                           time(late.worst_ns);
  text += ": " + late.reason;
  if (late.waited_ns > 0)
    text += "; " + others(late.other_ranks) + " waited " + time(late.waited_ns) +
            (late.other_ranks > 1 ? " together" : "");
  if (!late.also.empty())
    text += "; for the same reason " + listed(late.also) + (late.also.size() == 1 ? " is" : " are") +
            " late at other times";
  return text;
}

// Another finding names what the rank's trace was made for, and how to do without it.
const Finding* finding_of_trace(const Findings& findings, TraceId trace) {
  const auto saves = [&](const Finding& f) { return std::ranges::find(f.saved, trace) != f.saved.end(); };
  const auto at = std::ranges::find_if(findings.found, saves);
  return at == findings.found.end() ? nullptr : &*at;
}

std::string fix_of_trace(const Evidence& evidence, const Findings& findings, const LateRank& late) {
  if (const Finding* const known = finding_of_trace(findings, late.trace); known && !known->fix.empty())
    return "Do without this trace: " + known->fix;
  if (!is_again(evidence, late))
    return "Call " + late.where + " once on all ranks before the loop, so that all trace it at the same time";
  const std::string& why = evidence.trace(late.trace)->why;
  return "Pass " + late.where + " on " + late.name + (why.empty() ? " what other calls pass" : " the same " + why) +
         (why.empty() ? "" : " as in its other calls") + ", or let all ranks trace it before the loop";
}

void add_fixes(const Evidence& evidence, const Findings& findings, const LateRank& late, Finding& f) {
  f.checked.why_not = "run all ranks again to measure it";
  const std::string from = late.where.empty() ? "its input" : late.where;
  switch (late.why) {
    case RankWork::kTracing: f.fix = fix_of_trace(evidence, findings, late); return;
    case RankWork::kInput:
      f.fix = "Compare what " + late.name + " reads with what the others read: the size of its share, where it lies, "
              "what is done to each element";
      add_alternative(f, "Make its elements ahead, in threads or processes of the loader", f.checked);
      return;
    case RankWork::kOps:
      f.fix = "Give " + late.name + " as much to compute as the others have: compare the sizes of its batches";
      add_alternative(f, "If its sizes are the same, compare its device or processor: what else runs there", f.checked);
      return;
    case RankWork::kOther: break;
  }
  f.fix = late.where.empty() ? "Let " + late.name + " do outside of the loop what it alone does there"
                             : "Move " + late.where + " out of the loop, or into a thread";
  f.fix += ", so that nobody waits for it";
}

// The line of the program that asked for the collective, in a recorded file.
Line line_of_collective(const Evidence& evidence, const LateRank& late) {
  const auto& files = evidence.records().files;
  const auto at = std::ranges::find(files, late.file, &session::FileRecord::path);
  return late.file.empty() || at == files.end() ? Line() : Line{at->id, late.line};
}

Finding finding_of(const Evidence& evidence, const Findings& findings, const LateRank& late) {
  Finding f;
  f.title = title_of(evidence, late);
  f.detail = detail_of(late);
  f.line = line_of_collective(evidence, late);
  f.collective = late.collective;
  f.calls = late.collectives;
  f.counted = "collectives";
  f.cost_ns = f.saved_ns = late.all_late_ns;
  if (const session::TraceRecord* const trace = evidence.trace(late.trace)) {
    f.function = trace->function;
    f.example = trace->id;
    edit_at(f, evidence.line(trace->source), "collective");
    const auto run = evidence.functions().find(trace->function);
    if (run != evidence.functions().end() && !trace->differing.empty())
      if (const Line made = evidence.value_line(run->second, f.line, trace->differing.front(), trace->id))
        f.related.push_back({"value", made});
  }
  f.facts = {{"Latest", time(late.worst_ns) + " at " + late.collective}, {"Why", late.reason}};
  if (late.count > 1) f.facts.push_back({"Late", with_commas(late.count) + " times, " + time(late.late_ns)});
  if (!late.also.empty()) f.facts.push_back({"Also late", listed(late.also)});
  f.facts.push_back({"Waited", time(late.waited_ns) + " in all, by " + others(late.other_ranks)});
  add_fixes(evidence, findings, late, f);
  return f;
}

void find_late_ranks(const Evidence& evidence, Findings& findings) {
  if (!evidence.records().late_ranks) return;
  std::vector<Finding> found;
  for (const LateRank& late : *evidence.records().late_ranks) found.push_back(finding_of(evidence, findings, late));
  for (Finding& f : found) findings.found.push_back(std::move(f));
}

const Cause late_rank("late_rank", find_late_ranks, nullptr, true);

}  // namespace
}  // namespace footlight::explain
