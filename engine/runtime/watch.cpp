// The watches that tf.debugging installs.
#include "engine/runtime/watch.h"

#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/ops/wanted.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/print.h"

#include <cmath>
#include <cstdio>

namespace footlight {

ResultWatch result_watch = nullptr;

namespace {

bool checking = false, logging = false;

struct NonFiniteCounts {
  int64_t minus = 0, plus = 0, nan = 0;
  bool any() const { return minus || plus || nan; }
};

NonFiniteCounts count_non_finite(const Tensor& t) {
  NonFiniteCounts found;
  with_plain_type(t.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || (sizeof(T) == 2 && !std::is_integral_v<T>)) {
      const T* x = t.data<T>();
      for (int64_t i = 0, n = t.elements(); i < n; ++i) {
        const double v = static_cast<double>(x[i]);
        if (std::isfinite(v)) continue;
        if (std::isnan(v)) ++found.nan;
        else ++(v < 0 ? found.minus : found.plus);
      }
    }
  });
  return found;
}

std::string input_text(const Tensor& t) {
  std::string out = str("shape=", t.shape().to_string(), ", dtype=", name_of(t.dtype()));
  if (is_plain(t.dtype())) out = summary(t, 3) + ", " + out;
  return out;
}

void watch(const OpRow& row, std::span<const Tensor> inputs, std::span<const Tensor> outputs, Device device) {
  if (logging) std::fprintf(stderr, "Executing op %s in device %s\n", row.name, full_name(device).c_str());
  // Ops that only pass on existing values are not to blame.
  if (!checking || row.copies_elements) return;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k] || !is_floating(outputs[k].dtype()) || !result_wanted(k)) continue;
    const NonFiniteCounts found = count_non_finite(gpu::on_host(outputs[k]));
    if (!found.any()) continue;
    std::string out = str("!!! Detected Infinity or NaN in output ", k, " of op \"", row.name,
                          "\" (# of outputs: ", outputs.size(), ") !!!\n  dtype: ", name_of(outputs[k].dtype()),
                          "\n  shape: ", outputs[k].shape().to_string());
    if (found.minus) out += str("\n  # of -Inf elements: ", found.minus);
    if (found.plus) out += str("\n  # of +Inf elements: ", found.plus);
    if (found.nan) out += str("\n  # of NaN elements: ", found.nan);
    out += "\n\n  Input tensor";
    if (inputs.size() == 1) out += ": " + input_text(inputs[0]);
    else {
      out += str("s (", inputs.size(), "):");
      for (size_t i = 0; i < inputs.size(); ++i) out += str("\n    ", i, ": ", input_text(inputs[i]));
    }
    invalid(out, "\n [Op:", row.name, "]");
  }
}

void install() { result_watch = checking || logging ? watch : nullptr; }

}  // namespace

void check_numerics(bool on) {
  checking = on;
  install();
}
void log_placement(bool on) {
  logging = on;
  install();
}

}  // namespace footlight
