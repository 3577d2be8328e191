// Sizes that the two timelines are laid out and painted with.
#pragma once

namespace footlight::app::timelines {

inline constexpr double kLabels = 150;   // names of lanes
inline constexpr double kRight = 14, kTop = 10, kAxis = 26;

}  // namespace footlight::app::timelines
