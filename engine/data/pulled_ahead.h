// A cursor whose thread pulls up to `size` elements ahead, from its first use on or at once. `held` lives as long.
#pragma once

#include "engine/data/stage.h"

namespace footlight::data {

CursorPtr pulled_ahead(StagePtr held, size_t size, const Start& start, CursorPtr input, bool at_once = false);

}  // namespace footlight::data
