// Sizes that rows of ranks are laid out and painted with.
#pragma once

namespace footlight::app::ranks {

inline constexpr double kLabels = 136;             // names of ranks
inline constexpr double kRight = 14, kTop = 26;    // the axis is above the rows
inline constexpr double kBottom = 52;              // numbers of collectives, the bracket of the chosen one, a legend
inline constexpr double kFolded = 33, kOpen = 94;  // heights of a row

}  // namespace footlight::app::ranks
