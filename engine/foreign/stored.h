// An event as it lies in the temporary file: fixed fields, then texts that no table has.
#pragma once

#include "engine/foreign/builder.h"

#include <cstring>

namespace footlight::foreign {

struct Builder::Stored {
  uint64_t correlation = 0, external = 0, bytes = 0;  // a counter keeps the bits of its value in `bytes`
  uint32_t lane = 0;
  uint32_t number = UINT32_MAX;     // of an op or a span
  uint32_t name = Texts::kNone;     // kNone: the text follows
  uint32_t category = Texts::kNone;
  uint32_t device = 0, context = 0, stream = 0;
  uint32_t op = UINT32_MAX, signature = UINT32_MAX;
  uint32_t annotation = Texts::kNone;
  uint32_t name_size = 0, category_size = 0, args_size = 0;
  Locations::Frame frame = Locations::kNoFrame;
  EventKind kind = EventKind::kSpan;
};

}  // namespace footlight::foreign
