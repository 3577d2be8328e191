// Kernels that check values (assertions, NaN and infinity), and timestamps.
#include "kernels/cpu/register.h"

#include "engine/base/assertion.h"
#include "engine/base/text.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/print.h"

#include <chrono>
#include <cmath>

namespace footlight::FL_ISA {

namespace {

// Escapes strings as C does, except characters beyond ASCII.
Tensor escaped(const Tensor& strings) {
  if (strings.dtype() != DType::kString) return strings;
  Tensor out = Tensor::empty(DType::kString, strings.shape());
  for (int64_t i = 0; i < strings.elements(); ++i) {
    std::string& text = out.data<std::string>()[i];
    for (const char byte : strings.data<std::string>()[i]) {
      std::string quoted;
      if (static_cast<unsigned char>(byte) < 0x80) append_quoted(quoted, {&byte, 1});
      text += quoted.empty() ? std::string(1, byte) : quoted.substr(1, quoted.size() - 2);
    }
  }
  return out;
}

void assert_true(KernelContext& c) {
  if (*c.in<bool>(0)) return;
  const int64_t count = c.attrs.get_or("summarize"_attr, int64_t{3});
  const bool of_program = c.attrs.get_or("_assert"_attr, false);
  std::string text = "assertion failed:";
  for (size_t k = 1; k < c.inputs.size(); ++k) {
    const Tensor data = gpu::on_host(c.inputs[k]);
    text += " " + first_elements(of_program ? data : escaped(data), count);
  }
  if (of_program) throw AssertionFailure(text);
  invalid(text);
}

struct NonFinite {
  bool nan = false, plus = false, minus = false;
};

template <class T>
NonFinite find_non_finite(const T* x, int64_t n) {
  NonFinite found;
  // 0 * x is 0 for every finite number: one sum tells whether there is anything to look for.
  using F = std::conditional_t<sizeof(T) == 8, double, float>;
  F sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<F>(x[i]) * F(0);
  if (sum == F(0)) return found;
  for (int64_t i = 0; i < n; ++i) {
    const F v = static_cast<F>(x[i]);
    if (std::isnan(v)) found.nan = true;
    else if (std::isinf(v)) (v > 0 ? found.plus : found.minus) = true;
  }
  return found;
}

template <class T>
void check(KernelContext& c, bool signs) {
  const NonFinite found = find_non_finite(c.in<T>(0), c.inputs[0].elements());
  c.outputs[0] = c.inputs[0].alias();
  std::string what;
  const auto add = [&](const char* word) { what += what.empty() ? word : std::string(" and ") + word; };
  if (signs && found.minus) add("-Inf");
  if (signs && found.plus) add("+Inf");
  if (!signs && (found.minus || found.plus)) add("Inf");
  if (found.nan) add("NaN");
  if (what.empty()) return;
  invalid(c.attrs.get_or("message"_attr, std::string()), " : Tensor had ", what, " values [Op:", c.row.name, "]");
}

template <class T>
void checks() {
  on_cpu("CheckNumerics", bit_of(dtype_of<T>), [](KernelContext& c) { check<T>(c, false); });
  on_cpu("CheckNumericsV2", bit_of(dtype_of<T>), [](KernelContext& c) { check<T>(c, true); });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("Assert", kAllTypes, assert_true);
  checks<float>();
  checks<double>();
  checks<Float16>();
  checks<BFloat16>();
  on_cpu("Timestamp", kAllTypes, [](KernelContext& c) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    *c.out<double>() = std::chrono::duration<double>(now).count();
  });
}

}  // namespace footlight::FL_ISA
