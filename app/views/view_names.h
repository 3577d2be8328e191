// The tabs in the centre, in their order: names for commands and settings, titles for people.
#pragma once

#include <iterator>

namespace footlight::app {

inline constexpr const char* kViewNames[] = {"graph",   "retraces", "autograph", "timeline",
                                             "compare", "source",   "diff"};
inline constexpr const char* kViewTitles[] = {"Graph",   "Retraces", "AutoGraph", "Timeline",
                                              "Compare", "Source",   "Diff"};
inline constexpr int kViewCount = static_cast<int>(std::size(kViewNames));
static_assert(std::size(kViewTitles) == std::size(kViewNames));

}  // namespace footlight::app
