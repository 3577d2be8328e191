// Strides, dilations, windows and paddings as the public functions of convolution and pooling take them.
#pragma once

#include "engine/ops/composite/define.h"

#include <functional>

namespace footlight::composite {

// One entry per dimension, from none (all 1), one, one per spatial dimension, or all.
std::vector<int64_t> per_dimension(const Arg&, int spatial, bool channels_first, const char* what);

// "SAME", "VALID", or a list of pairs, one per dimension.
struct PaddingAttrs {
  std::string padding;
  std::vector<int64_t> pairs;
};
PaddingAttrs padding_of(const Arg&, int rank);
PaddingAttrs padding_without_pairs(const Arg&, const char* function);

// The attributes of every windowed op: strides, padding, data_format.
Attrs window_attrs(const std::vector<int64_t>& strides, const PaddingAttrs&, const std::string& format);
bool starts_with_nc(const Arg& format);

// "NHWC" from any name of a layout: "NWC", "NC...", None; `names` are the two allowed ones.
bool channels_first(const Arg& format, const char* last, const char* first);

// Applies `body` with all leading dimensions flattened into one, then restores them.
Tensor over_flat_batch(const Tensor& x, int inner_rank, std::string_view name,
                       const std::function<Tensor(const Tensor&)>& body);

}  // namespace footlight::composite
