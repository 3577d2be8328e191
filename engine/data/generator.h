// Elements that a front end makes one by one: what Dataset.from_generator iterates.
#pragma once

#include "engine/data/stage.h"
#include "engine/ops/attrs.h"

#include <span>

namespace footlight::data {

// Handed in as the attribute `_generator` of a HostGeneratorDataset.
class Generator : public Resource {
 public:
  // A new iteration with these arguments. Its next() may be called from any thread.
  virtual CursorPtr start(std::span<const Tensor> arguments) = 0;
};
Tensor generator_value(Generator*);
extern const AttrName kGenerator;

}  // namespace footlight::data
