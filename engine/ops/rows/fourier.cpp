// Fourier transforms along the last dimension.
#include "engine/ops/define.h"

namespace footlight {
namespace {

void transform_shape(Inference& i) {
  if (i.shape(0).has_rank() && i.shape(0).rank() < 1)
    invalid("Input must have rank at least 1, its shape is ", i.shape(0).to_string(), " [Op:", i.row.name, "]");
  i.output_shapes[0] = i.shape(0);
}

RowDef transform(const char* name, const char* doc) {
  return {name, "input: Tcomplex -> output: Tcomplex", "Tcomplex: complex = complex64", transform_shape, nullptr,
          OpFamily::kProduct, doc};
}

}  // namespace

FL_ROWS(fourier) {
  return {transform("FFT", "the discrete Fourier transform of each row"),
          transform("IFFT", "the row of which this is the discrete Fourier transform")};
}

}  // namespace footlight
