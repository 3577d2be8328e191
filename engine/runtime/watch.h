// Inspects the results of every op, eager or in a program: detects NaN and infinity, and logs device placement.
// When disabled, this costs one load and a branch.
#pragma once

#include "engine/ops/row.h"
#include "engine/tensor/device.h"

#include <span>

namespace footlight {

using ResultWatch = void (*)(const OpRow&, std::span<const Tensor> inputs, std::span<const Tensor> outputs, Device);
extern ResultWatch result_watch;  // null: disabled

// tf.debugging.enable_check_numerics: a float result with NaN or infinity is kInvalidArgument.
void check_numerics(bool on);
// tf.debugging.set_log_device_placement: a line per op on standard error.
void log_placement(bool on);

}  // namespace footlight
