// Elements that a front end computes one by one: Dataset.from_generator iterates them.
#pragma once

#include "engine/data/stage.h"
#include "engine/ops/attrs.h"

#include <span>

namespace footlight::data {

// Passed as the attribute `_generator` of a HostGeneratorDataset.
class Generator : public Resource {
 public:
  // Starts a new iteration with these arguments. Any thread may call next() of the cursor.
  virtual CursorPtr start(std::span<const Tensor> arguments) = 0;
};
Tensor generator_value(Generator*);

}  // namespace footlight::data
