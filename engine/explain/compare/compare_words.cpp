// What a comparison says in sentences, and the names of the groups.
#include "engine/explain/compare/comparison.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/compare/waterfall.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace footlight::explain {
namespace {

constexpr std::string_view kNotRepeated = "the call cannot be repeated";  // as repetitions.py says it
constexpr double kMaxUnexplained = 0.05;  // more is said in the sentence

struct Words {
  const char *name, *meaning;
};
constexpr Words kWords[kGroups] = {
    {"same", "Op and node, one to one"},
    {"fused", "Several ops became one kernel"},
    {"folded", "Ops on constants, computed when the graph was compiled"},
    {"pruned", "Ops without effect, which do not run"},
    {"hoisted", "Ops of every iteration of a loop, run once before it"},
    {"joined", "Equal ops that became one"},
    {"only traced", "Casts, identities, control flow and copies that tracing added"},
    {"only eager", "Ops for which the graph has no node"},
    {"in the executable", "Ops that one executable computes, against its kernels where those were seen"},
    {"other counts", "The same ops on the same lines, run more or less often"},
    {"only left", "Ops that ran on the left alone"},
    {"only right", "Ops that ran on the right alone"},
    {"one side recorded", "Ops of one side; those of the other were not recorded"},
};

std::string reason(const Part& part, bool recorded) {
  switch (part.kind) {
    case Part::Kind::kGroup:
      switch (part.group) {
        case Group::kSame: return recorded ? "the same ops" : "kernels";
        case Group::kCounts: return "ops run more or less often";
        case Group::kOnlyLeft: return "ops on the left alone";
        case Group::kOnlyRight: return "ops on the right alone";
        case Group::kOneRecorded: return "ops that one side alone recorded";
        case Group::kCompiled: return "ops run one by one";
        default: return part.name + " ops";
      }
    case Part::Kind::kCall: return recorded ? "the work of calls outside of their ops" : "the call itself";
    case Part::Kind::kOthers: return "many small parts";
    case Part::Kind::kShare: break;
  }
  return part.name;
}

// Zero lies within the error of the difference's mean.
bool nothing_known(const Comparison& c) { return c.known_within >= 1; }

// "4.3 times as fast"; a factor that would round to 1.0 as "2 % slower", of the time on the left.
std::string times_as(bool faster, double factor) {
  char text[48];
  if (factor < 1.05) {
    const long percent = std::lround(100 * (faster ? 1 - 1 / factor : factor - 1));
    return (percent ? std::to_string(percent) : "less than 1") + " % " + (faster ? "faster" : "slower");
  }
  std::snprintf(text, sizeof text, factor < 9.95 ? "%.1f times as %s" : "%.0f times as %s", factor,
                faster ? "fast" : "slow");
  return text;
}

// "12 % of the traced time is unexplained: 0.4 us."
std::string unexplained_of(const Comparison& c) {
  std::string text;
  for (const Side* side : {&c.eager, &c.traced}) {
    const double share = Comparison::unexplained_share(*side);
    if (share <= kMaxUnexplained) continue;
    if (!text.empty()) text += " ";
    const std::string time = time_text(std::abs(side->unexplained));
    text += std::to_string(std::lround(share * 100)) + " % of " +
            (c.recorded ? side->name + " is " + kNotRecorded : "the " + side->name + " time is unexplained") + ": " +
            (side->unexplained > 0 ? time : "the parts add up to " + time + " more than the total") + ".";
  }
  return text;
}

std::string upper(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

const char* name_of(Group group) { return kWords[static_cast<size_t>(group)].name; }
const char* meaning_of(Group group) { return kWords[static_cast<size_t>(group)].meaning; }

std::string time_text(double ns) {
  const double size = std::abs(ns);
  const auto [unit, divisor] = size < 1e3   ? std::pair{"ns", 1.0}
                               : size < 1e6 ? std::pair{"us", 1e3}
                               : size < 1e9 ? std::pair{"ms", 1e6}
                                            : std::pair{"s", 1e9};
  const double value = ns / divisor;
  const int digits = divisor == 1 || std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit);
  return text;
}

std::string sentence_of(const Comparison& c) {
  if (!c.pairs && c.stopped == kNotRepeated) return "The call cannot be repeated: " + c.error + ".";
  if (!c.pairs) return c.error.empty() ? "Nothing was compared." : "The comparison failed " + c.error + ".";
  const double eager = c.eager.total.mean, traced = c.traced.total.mean;
  std::string text = c.recorded ? c.eager.name + " took " + time_text(eager) + ", " + c.traced.name + " " +
                                      time_text(traced) + ": "
                                : time_text(eager) + " " + c.eager.name + ", " + time_text(traced) + " " +
                                      c.traced.name + ": ";
  const bool faster = traced <= eager;
  const double factor = faster ? eager / std::max(traced, 1.0) : traced / std::max(eager, 1.0);
  if (nothing_known(c)) {
    text += "no difference beyond the spread.";
  } else {
    text += times_as(faster, factor) + ".";
    const Part* largest = nullptr;
    for (const Part& part : c.parts) {
      const double now = faster ? -part.difference.mean : part.difference.mean;
      const double best = !largest ? 0 : faster ? -largest->difference.mean : largest->difference.mean;
      const bool known = part.kind != Part::Kind::kShare || part.share != Share::kUnexplained;
      if (now > best && known) largest = &part;
    }
    const std::string why = largest ? reason(*largest, c.recorded) : "";
    const bool many = why.ends_with("s") || why.starts_with("ops ");
    if (largest)
      text += " " + upper(why) + (many && largest->kind != Part::Kind::kCall ? " are" : " is") +
              " the largest reason: " + time_text(std::abs(largest->difference.mean)) +
              (std::abs(largest->difference.mean) <= std::abs(c.difference.mean)
                   ? " of " + time_text(std::abs(c.difference.mean)) + "."
                   : ", partly offset by other parts.");
  }
  if (const std::string unexplained = unexplained_of(c); !unexplained.empty()) text += " " + unexplained;
  if (!c.other_work.empty()) text += " " + c.other_work;
  return text;
}

// On a busy machine the repetitions that were recorded may be the shorter ones.
std::string recording_text(const Side& side) {
  return side.recording > 0 ? time_text(side.recording) : "nothing measurable";
}

std::string recording_of(const Comparison& c) {
  if (c.recorded) return "These times are as recorded: what recording took is in them.";
  if (!c.pairs || !c.pairs_with_events) return {};
  return "Noting when each part began and ended added " + recording_text(c.eager) + " to an " + c.eager.name +
         " repetition and " + recording_text(c.traced) + " to a " + c.traced.name +
         " one; the totals are of repetitions without that.";
}

std::string worth_of(const Comparison& c) {
  if (!c.pairs || !c.tracing_ns) return {};
  const std::string took = (c.traced.name == "compiled" ? "Tracing and compiling took " : "Tracing took ") +
                           time_text(static_cast<double>(c.tracing_ns));
  if (!c.other_work.empty())
    return took + "; whether it pays for that call is not known, since the repetitions did other work.";
  if (nothing_known(c))
    return took + "; whether it pays is within the spread.";
  if (!c.worth_from) return took + " and does not pay off.";
  const std::string called = c.trace_calls ? " The program called this trace " + how_often(c.trace_calls) + "." : "";
  return took + "; each " + c.traced.name + " call saves " +
         time_text(-c.difference.mean) + ": worth it from call " + with_commas(*c.worth_from) + "." + called;
}

}  // namespace footlight::explain
