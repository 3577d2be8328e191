// Shape rules shared by several rows. Each sets the shape of every output of its kind; dtypes that the signature
// determines are already set.
#pragma once

#include "engine/ops/row.h"

#include <optional>

namespace footlight::infer {

void none(Inference&);         // for ops without outputs
void same(Inference&);         // every output like input 0
void broadcast(Inference&);    // NumPy's broadcasting of all inputs
void scalar(Inference&);       // every output a scalar
void unknown(Inference&);      // every output of unknown rank
void vector(Inference&);       // rank 1 of unknown length

// The following are helpers for rules.

// Normalises a negative axis; throws kInvalidArgument naming the op, the axis and the rank.
int64_t normalize_axis(int64_t axis, int rank, const OpRow&);
// The elements of an int32 or int64 input; empty if its value is not known.
std::optional<std::vector<int64_t>> constant_ints(Inference&, size_t input);
std::vector<int64_t> ints_of(const Tensor&);
// The shape given by a shape input (int32/int64 vector): from its value, else from its length, else unknown. A negative
// size is an error, unless the op defines a meaning of -1 (NegativeSizes::kAllowed).
enum class NegativeSizes { kRefused, kAllowed };
Shape shape_from(Inference&, size_t input, NegativeSizes = NegativeSizes::kRefused);
// Throws kInvalidArgument if the input has a known rank other than `rank`.
void check_rank(Inference&, size_t input, int rank);

}  // namespace footlight::infer
