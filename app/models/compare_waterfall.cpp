// Lays the parts of a comparison end to end.
#include "app/models/compare_waterfall.h"

#include "app/models/compare_facts.h"
#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {
namespace {

using explain::Part;

QString meaning_of(const Part& part) {
  if (!part.meaning.empty()) return q(part.meaning);
  switch (part.kind) {
    case Part::Kind::kShare: return QLatin1String(explain::meaning_of(part.share));
    case Part::Kind::kGroup: return QLatin1String(explain::meaning_of(part.group));
    case Part::Kind::kCall: return QStringLiteral("What a traced call itself costs, beside its ops");
    case Part::Kind::kOthers: break;
  }
  return counted(part.joined.size(), "part", "parts") +
         QStringLiteral(" below 2 % of the difference each: press Enter to see them");
}

WaterfallBar total_bar(const explain::Comparison& c, const explain::Side& side, bool traced) {
  WaterfallBar bar;
  bar.kind = traced ? WaterfallBar::Kind::kTraced : WaterfallBar::Kind::kEager;
  bar.name = side_title(c, side);
  bar.value = time_words(side.total.mean);
  bar.meaning = (c.recorded ? QStringLiteral("As recorded: %1 to %2 in nine of ten calls")
                          : QStringLiteral("What a call takes when nothing is recorded: %1 to %2 in nine of ten "
                                           "repetitions"))
                    .arg(time_words(side.total.p5), time_words(side.total.p95));
  bar.to = side.total.mean;
  bar.low = side.total.p5;
  bar.high = side.total.p95;
  return bar;
}

WaterfallBar part_bar(const explain::Comparison& c, const Part& part, double from, const ColumnUnit& unit) {
  WaterfallBar bar;
  bar.name = capitalized(q(part.name));
  bar.value = change_text(part.difference.mean, unit);
  bar.meaning = QStringLiteral("%1\n%2: %3, %4: %5; the difference is %6 to %7 in nine of ten %8")
                    .arg(meaning_of(part), q(c.eager.name), time_words(part.eager), q(c.traced.name),
                         time_words(part.traced), time_words(part.difference.p5), time_words(part.difference.p95),
                         c.recorded ? QStringLiteral("calls") : QStringLiteral("pairs"));
  bar.from = from;
  bar.to = from + part.difference.mean;
  bar.low = from + part.difference.p5;
  bar.high = from + part.difference.p95;
  bar.part = part;
  bar.joins_small = part.kind == Part::Kind::kOthers;
  return bar;
}

}  // namespace

Waterfall waterfall_of(const explain::Comparison& c, bool opened) {
  Waterfall made;
  made.opened = opened;
  const ColumnUnit unit = unit_for(std::max(c.eager.total.mean, c.traced.total.mean));
  made.bars.push_back(total_bar(c, c.eager, false));
  double at = c.eager.total.mean;
  const auto add = [&](const Part& part, bool was_small) {
    made.bars.push_back(part_bar(c, part, at, unit));
    made.bars.back().was_small = was_small;
    at = made.bars.back().to;
  };
  for (const Part& part : c.parts) {
    if (part.kind != Part::Kind::kOthers || !opened) add(part, false);
    else for (const Part& small : part.joined) add(small, true);
  }
  made.bars.push_back(total_bar(c, c.traced, true));
  made.highest = 0;
  for (const WaterfallBar& bar : made.bars) {
    made.lowest = std::min({made.lowest, bar.from, bar.to});
    made.highest = std::max({made.highest, bar.from, bar.to});
  }
  if (made.highest <= made.lowest) made.highest = made.lowest + 1;
  return made;
}

int bar_of_group(const Waterfall& waterfall, explain::Group group) {
  const auto of_group = [group](const Part& part) { return part.kind == Part::Kind::kGroup && part.group == group; };
  for (size_t i = 0; i < waterfall.bars.size(); ++i) {
    const WaterfallBar& bar = waterfall.bars[i];
    if (bar.kind != WaterfallBar::Kind::kPart) continue;
    if (of_group(bar.part) || std::any_of(bar.part.joined.begin(), bar.part.joined.end(), of_group))
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace footlight::app
