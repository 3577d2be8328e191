// Every op's values, dtypes, shapes and errors, from the cases in tests/ops/cases; and what tracing infers for them.
#include "engine/eager/execute.h"
#include "engine/ops/shape_inputs.h"
#include "tests/ops/values.h"

#include <QTest>

#include <set>

using namespace footlight;
using namespace footlight::testing;

namespace {

const char* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument: return "InvalidArgument";
    case ErrorKind::kUnimplemented: return "Unimplemented";
    case ErrorKind::kFailedPrecondition: return "FailedPrecondition";
    case ErrorKind::kDataLoss: return "DataLoss";
    case ErrorKind::kNotFound: return "NotFound";
    case ErrorKind::kResourceExhausted: return "ResourceExhausted";
    case ErrorKind::kValue: return "Value";
    case ErrorKind::kType: return "Type";
    default: return "another";
  }
}

// What a trace would know: symbolic inputs with some dimensions or the rank unknown, no values except the given ones.
class PartInference final : public Inference {
 public:
  PartInference(const Case& c, std::span<const Tensor> inputs, bool values)
      : Inference(*find_row(c.op), c.attrs, inputs), case_(c), values_(values) {}
  Tensor constant(size_t input) override {
    if (!shape_depends_on_value(row, input, case_.inputs[input].dtype())) looked_at_others = true;
    return values_ ? case_.inputs[input] : Tensor();
  }
  bool looked_at_others = false;  // at a value that the row does not list as read

 private:
  const Case& case_;
  bool values_;
};

}  // namespace

class TestOps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    eager::init();
    cases_ = read_cases(OPS_TESTS "/cases");
    QVERIFY(cases_.size() > 300);
  }

  void values_and_errors() {
    int failed = 0;
    for (const Case& c : cases_) {
      std::string message;
      try {
        const std::vector<Tensor> got = eager::execute(*find_row(c.op), c.inputs, c.attrs);
        if (!c.error_kind.empty()) {
          message = "no error came";
        } else {
          bool same = got.size() == c.outputs.size();
          for (size_t i = 0; same && i < got.size(); ++i) {
            const DType t = got[i].dtype();
            const double tolerance = t == DType::kFloat16    ? 1e-3
                                     : t == DType::kBFloat16 ? 8e-3
                                     : t == DType::kFloat64  ? 1e-8
                                                             : 1e-6;
            same = equal(got[i], c.outputs[i], tolerance);
          }
          if (!same)
            for (const Tensor& t : got) message += " " + to_text(t);
        }
      } catch (const Error& e) {
        if (c.error_kind != kind_name(e.kind())) message = std::string(kind_name(e.kind())) + ": " + e.message();
        for (const std::string& part : c.error_says)
          if (e.message().find(part) == std::string::npos)
            message = "the message lacks \"" + part + "\": " + e.message();
      }
      if (message.empty()) continue;
      ++failed;
      qWarning("%s\n    gave: %s", c.line.c_str(), message.c_str());
    }
    QCOMPARE(failed, 0);
  }

  // With less known, the rule must give something that the true shape fits, and never throw.
  void shapes_with_unknown_dimensions() {
    int failed = 0;
    for (const Case& c : cases_) {
      if (!c.error_kind.empty()) continue;
      // Shapes that do not broadcast compare to a scalar, which no rule can foresee with less known.
      if (c.line.find("incompatible_shape_error=false") != std::string::npos) continue;
      const OpRow& row = *find_row(c.op);
      for (int mode = 0; mode < 4; ++mode) {
        std::vector<Tensor> inputs;
        for (const Tensor& t : c.inputs) {
          Shape shape = t.shape();
          if (mode == 1) shape = Shape::of_rank(shape.rank());
          if (mode == 2 && shape.rank() > 0) shape.set(0, kUnknownDim);
          if (mode == 3) shape = Shape::unknown_rank();
          inputs.push_back(Tensor::symbolic(t.dtype(), shape, nullptr, nullptr, NodeId(0), 0));
        }
        try {
          PartInference inference(c, inputs, mode == 0);
          const size_t count = output_count(row, inputs, c.attrs);
          std::vector<DType> dtypes(count);
          std::vector<Shape> shapes(count);
          inference.output_dtypes = dtypes;
          inference.output_shapes = shapes;
          infer_outputs(inference);
          // A traced call skips a rule if shapes and these inputs were already known.
          if (inference.looked_at_others) {
            ++failed;
            qWarning("%s\n    its shape rule looks at an input that the row does not say it reads", c.line.c_str());
          }
          for (size_t i = 0; i < count; ++i) {
            const bool fits = dtypes[i] == c.outputs[i].dtype() && is_subshape(c.outputs[i].shape(), shapes[i]);
            if (fits) continue;
            ++failed;
            qWarning("%s\n    with less known (%d): %s", c.line.c_str(), mode, shapes[i].to_string().c_str());
          }
        } catch (const Error& e) {
          ++failed;
          qWarning("%s\n    with less known (%d): %s", c.line.c_str(), mode, e.what());
        }
      }
    }
    QCOMPARE(failed, 0);
  }

  void every_row_has_a_case() {
    // Covered by other tests: variables and random numbers change from call to call, graphs are traced.
    const std::set<OpFamily> elsewhere{OpFamily::kVariable, OpFamily::kRandom, OpFamily::kControl};
    std::set<std::string> covered;
    for (const Case& c : cases_) covered.insert(c.op);
    std::string missing;
    for (const OpRow* row : all_rows()) {
      if (elsewhere.contains(row->family) || covered.contains(row->name) || row->stateful()) continue;
      if (std::string_view(row->name) == "Placeholder") continue;  // its value comes from outside
      missing += std::string(" ") + row->name;
    }
    QVERIFY2(missing.empty(), missing.c_str());
  }

  void rows_are_complete() {
    for (const OpRow* row : all_rows()) {
      QVERIFY(row->infer);
      QVERIFY2(row->doc[0], row->name);
      QCOMPARE(&row_of(row->id), row);
      QCOMPARE(find_row(row->name), row);
    }
    QVERIFY(!find_row("NoSuchOp"));
  }

  void attributes_that_a_node_carries() {
    const Tensor x = Tensor::scalar(1.f);
    const Tensor both[] = {x, x};
    const Attrs add = complete_attrs(*find_row("AddV2"), both, {});
    QCOMPARE(add.get<DType>(AttrName("T")), DType::kFloat32);
    QCOMPARE(add.size(), size_t{1});
    const Attrs pack = complete_attrs(*find_row("Pack"), both, {});
    QCOMPARE(pack.get<int64_t>(AttrName("N")), int64_t{2});
    QCOMPARE(pack.get<int64_t>(AttrName("axis")), int64_t{0});
    const Attrs product = complete_attrs(*find_row("MatMul"), both, {{AttrName("transpose_b"), true}});
    QCOMPARE(product.get<bool>(AttrName("transpose_a")), false);
    QCOMPARE(product.get<bool>(AttrName("transpose_b")), true);
  }

  void missing_kernels_are_said() {
    const Tensor r = Tensor::empty(DType::kVariant, Shape());
    const Tensor both[] = {r, r};
    QVERIFY_THROWS_EXCEPTION(Error, eager::execute(*find_row("Equal"), both));
    QVERIFY_THROWS_EXCEPTION(Error, eager::execute(*find_row("Softmax"), {}));
  }

 private:
  std::vector<Case> cases_;
};

QTEST_GUILESS_MAIN(TestOps)
#include "test_ops.moc"
