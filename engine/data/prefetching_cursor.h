// A cursor whose worker prefetches up to `size` elements, from its first use on or at once. Keeps `held` alive. With
// `permits`, the worker holds one while it computes an element.
#pragma once

#include "engine/data/permits.h"
#include "engine/data/stage.h"

namespace footlight::data {

CursorPtr prefetching_cursor(StagePtr held, size_t size, const Start& start, CursorPtr input, bool at_once = false,
                             PermitsPtr permits = nullptr);

}  // namespace footlight::data
