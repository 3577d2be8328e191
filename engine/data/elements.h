// Datasets of elements that are in memory already.
#pragma once

#include "engine/data/stage.h"

namespace footlight::data {

Tensor dataset_of(std::vector<Element> elements, const std::vector<DType>& types, const std::vector<Shape>& shapes);
// Makes a dataset for each component.
Element columns_of(std::vector<Element> elements, const std::vector<DType>& types, const std::vector<Shape>& shapes);

}  // namespace footlight::data
