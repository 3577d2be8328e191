// The tabs in the centre, in their order: names for commands and settings, titles for people.
#pragma once

#include <iterator>

namespace footlight::app {

inline constexpr const char* kViewNames[] = {"graph",   "retraces", "autograph", "timeline",
                                             "compare", "source",   "diff",      "values",   "sql"};
inline constexpr const char* kViewTitles[] = {"Graph",   "Retraces", "AutoGraph", "Timeline",
                                              "Compare", "Source",   "Diff",      "Values",   "SQL"};
// The key that opens each view. Ctrl+7 and up open the panels below the views.
inline constexpr const char* kViewKeys[] = {"Ctrl+1", "Ctrl+2", "Ctrl+3",       "Ctrl+4", "Ctrl+5",
                                            "Ctrl+6", "Ctrl+D", "Ctrl+Shift+V", "Ctrl+L"};
inline constexpr int kViewCount = static_cast<int>(std::size(kViewNames));
static_assert(std::size(kViewTitles) == std::size(kViewNames) && std::size(kViewKeys) == std::size(kViewNames));

}  // namespace footlight::app
