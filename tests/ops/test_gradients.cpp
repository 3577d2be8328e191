// Every differentiable op against numeric differentiation, and its gradient against the same again.
#include "engine/eager/execute.h"
#include "engine/eager/tape.h"
#include "engine/ops/indexed_slices.h"
#include "tests/ops/values.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace footlight;
using namespace footlight::testing;

namespace {

bool real(const Tensor& t) { return t.dtype() == DType::kFloat64; }

double weight(int64_t k) { return static_cast<double>((7 * k + 3) % 11 - 5) / 4; }

// The weighted sum of the elements of all float tensors.
double weighted(std::span<const Tensor> tensors) {
  double sum = 0;
  for (const Tensor& t : tensors) {
    if (!t || !real(t)) continue;
    for (int64_t i = 0; i < t.elements(); ++i) sum += weight(i) * t.data<double>()[i];
  }
  return sum;
}

Tensor weights_for(const Tensor& t) {
  Tensor w = Tensor::empty(DType::kFloat64, t.shape());
  for (int64_t i = 0; i < w.elements(); ++i) w.data<double>()[i] = weight(i);
  return w;
}

// The gradients of the weighted sum of an op's outputs; with `order` 2, the gradients of the weighted sum of those.
std::vector<Tensor> differentiate(const Case& c, std::span<const Tensor> inputs, int order) {
  Tape outer(true);
  Tape inner(true);
  std::vector<Tensor> sources;
  for (const Tensor& t : inputs)
    if (real(t)) sources.push_back(t);
  for (Tape* tape : {&outer, &inner}) {
    tape->start();
    for (const Tensor& t : sources) tape->watch(t);
  }
  const std::vector<Tensor> outputs = apply_all(*find_row(c.op), inputs, c.attrs);
  std::vector<Tensor> targets;
  std::vector<Tensor> flowing;
  for (const Tensor& t : outputs) {
    if (!real(t)) continue;
    targets.push_back(t);
    flowing.push_back(weights_for(t));
  }
  inner.stop();
  std::vector<Tensor> first = inner.gradient(targets, sources, flowing, Unconnected::kZero);
  for (Tensor& t : first) t = ops::dense(t);
  if (order == 1) return first;
  std::vector<Tensor> weights;
  for (const Tensor& t : first) weights.push_back(weights_for(t));
  outer.stop();
  std::vector<Tensor> second = outer.gradient(first, sources, weights, Unconnected::kZero);
  for (Tensor& t : second) t = ops::dense(t);
  return second;
}

double value(const Case& c, std::span<const Tensor> inputs, int order) {
  if (order == 1) return weighted(eager::execute(*find_row(c.op), inputs, c.attrs));
  return weighted(differentiate(c, inputs, 1));
}

// Inputs for which an op has a slope but no gradient, because no op computes it.
bool without_gradient(const std::string& op, size_t input) {
  return ((op == "Zeta" || op == "Polygamma") && input == 0) || (op == "Betainc" && input < 2) ||
         (op == "MatrixDiagV3" && input == 4) || ((op == "MatrixDiagPartV3" || op == "MatrixSolveLs") && input == 2);
}
// Ops whose gradient uses an op without a gradient.
bool without_second_order(const std::string& op) {
  return op == "Igamma" || op == "Igammac" || op == "RGBToHSV";
}

std::string compare(const Case& c, int order) {
  if (order == 2 && without_second_order(c.op)) return {};
  std::vector<Tensor> inputs = c.inputs;
  const std::vector<Tensor> analytic = differentiate(c, inputs, order);
  size_t source = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!real(inputs[k])) continue;
    const Tensor& g = analytic[source++];
    if (without_gradient(c.op, k)) continue;
    if (!(g.shape() == inputs[k].shape())) return "the gradient has shape " + g.shape().to_string();
    const Tensor original = inputs[k];
    for (int64_t i = 0; i < original.elements(); ++i) {
      constexpr double kStep = 1e-5;
      double values[2];
      for (int side = 0; side < 2; ++side) {
        Tensor moved = Tensor::empty(DType::kFloat64, original.shape());
        std::copy(original.data<double>(), original.data<double>() + original.elements(), moved.data<double>());
        moved.data<double>()[i] += side ? kStep : -kStep;
        inputs[k] = moved;
        values[side] = value(c, inputs, order);
      }
      inputs[k] = original;
      const double numeric = (values[1] - values[0]) / (2 * kStep);
      const double got = g.data<double>()[i];
      if (!(std::abs(got - numeric) <= 1e-4 * (1 + std::abs(numeric))))
        return "input " + std::to_string(k) + " element " + std::to_string(i) + ": " + std::to_string(got) +
               ", numerically " + std::to_string(numeric);
    }
  }
  return {};
}

}  // namespace

class TestGradients : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    eager::init();
    for (Case& c : read_cases(OPS_TESTS "/cases")) {
      if (!c.error_kind.empty() || !find_row(c.op)->gradient) continue;
      bool any = false;
      for (const Tensor& t : c.inputs) any |= real(t) && t.elements() > 0;
      for (const Tensor& t : c.inputs) any &= t.dtype() != DType::kComplex128;
      bool out = false;
      for (const Tensor& t : c.outputs) out |= real(t);
      if (any && out) cases_.push_back(std::move(c));
    }
  }

  void first_order() { check(1); }
  void second_order() { check(2); }

  void every_gradient_is_checked() {
    const std::set<std::string> elsewhere{"Angle", "Cast", "Complex", "ComplexAbs", "Conj",
                                          "Imag",  "Real", "ReadVariableOp",   // covered by test_tape
                                          "Cholesky",  // its gradient assumes changes that stay symmetric
                                          "Eig",  // to complex numbers: recorded in tests/python
                                          // from real to complex numbers, or back: recorded in tests/golden/ops
                                          "FFT",   "IFFT",   "RFFT",   "IRFFT",   "FFT2D", "IFFT2D", "RFFT2D",
                                          "IRFFT2D", "FFT3D", "IFFT3D", "RFFT3D", "IRFFT3D",
                                          // whose results are of float32 always, or whose gradient is an estimate
                                          "ResizeBilinear", "ResizeBilinearGrad", "ResizeBicubic", "ResizeBicubicGrad",
                                          "ScaleAndTranslate", "CropAndResize", "ImageProjectiveTransformV3",
                                          "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars",
                                          "FakeQuantWithMinMaxVarsPerChannel", "CTCLoss",
                                          // of float32 or shorter only: recorded in tests/python
                                          "ApproxTopK", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3",
                                          "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"};
    std::set<std::string> covered;
    for (const Case& c : cases_) covered.insert(c.op);
    std::string missing;
    for (const OpRow* row : all_rows())
      if (row->gradient && row->family != OpFamily::kControl && row->family != OpFamily::kRandom &&
          row->family != OpFamily::kVariable && !covered.contains(row->name) && !elsewhere.contains(row->name))
        missing += std::string(" ") + row->name;
    QVERIFY2(missing.empty(), missing.c_str());
  }

 private:
  void check(int order) {
    int failed = 0;
    for (const Case& c : cases_) {
      // A sample changes with its parameter through the quantile, not the random words: differences do not apply.
      if (find_row(c.op)->family == OpFamily::kRandom) continue;
      std::string message;
      try {
        message = compare(c, order);
      } catch (const Error& e) {
        message = e.message();
      }
      if (message.empty()) continue;
      ++failed;
      qWarning("%s\n    gradient: %s", c.line.c_str(), message.c_str());
    }
    QCOMPARE(failed, 0);
  }

  std::vector<Case> cases_;
};

QTEST_GUILESS_MAIN(TestGradients)
#include "test_gradients.moc"
