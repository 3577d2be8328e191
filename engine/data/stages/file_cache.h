// A cache in a file.
#pragma once

#include "engine/data/stage.h"

namespace footlight::data {

Stage* file_cache(StagePtr input, std::string path);

}  // namespace footlight::data
