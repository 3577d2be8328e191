// A cursor whose worker prefetches up to `size` elements, from its first use on or at once. Keeps `held` alive.
#pragma once

#include "engine/data/stage.h"

namespace footlight::data {

CursorPtr prefetching_cursor(StagePtr held, size_t size, const Start& start, CursorPtr input, bool at_once = false);

}  // namespace footlight::data
