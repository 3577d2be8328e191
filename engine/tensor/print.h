// How tf.print and tf.strings.format show a tensor: `[[1 2 3 ... 8 9 10]`, a few elements at either end.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>
#include <string_view>

namespace footlight {

// `ends`: how many elements of each dimension are shown at either end; negative: all.
std::string summary(const Tensor&, int64_t ends);

// How a failed assertion shows one: `[1 2 3...]`, the first elements in a row; negative: all. Text is not escaped.
std::string first_elements(const Tensor&, int64_t count, std::string_view between = " ");

// The shortest decimal of 6 or 9 (15 or 17) digits that reads back as the same number.
std::string number_text(float);
std::string number_text(double);

}  // namespace footlight
