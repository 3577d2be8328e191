// What passes over single graphs make of them: text before and after; and that every bit of the results stays.
#include "tests/base/thrown.h"
#include "tests/optimize/rewritten.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace footlight;
using namespace footlight::test;

namespace {

Tensor whole(int32_t value) { return Tensor::scalar(value).as_constant(); }
Tensor truth(bool value) { return Tensor::scalar(value).as_constant(); }
Tensor cast(const Tensor& x, DType to) { return apply(Op("Cast"), {x}, {{AttrName("DstT"), to}}); }
Tensor axes(std::vector<int64_t> of) { return ops::ints(of); }
Tensor constant(std::vector<float> values) { return Tensor::vector<float>(values).as_constant(); }

// The numbers on which identities of real numbers fail.
Tensor odd_floats() {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  return Tensor::vector<float>(
      std::vector<float>{0.f, -0.f, inf, -inf, nan, -nan, 1e-42f, -1e-45f, 3.4e38f, -1.5f, 7.f});
}
Tensor odd_ints() {
  return Tensor::vector<int32_t>(
      std::vector<int32_t>{0, 1, -1, 2, -7, 8, 1 << 30, INT32_MAX, INT32_MIN, INT32_MIN + 1});
}

void check_same(const std::shared_ptr<trace::Concrete>& f, const std::vector<Tensor>& arguments) {
  const auto plain = as_traced(*f, arguments), passed = f->call(arguments);
  for (size_t i = 0; i < plain.size(); ++i) QVERIFY2(same_bits(plain[i], passed[i]), qPrintable(QString::number(i)));
}

// Instructions without those of whole groups, whose nodes follow as instructions of their own.
size_t code_size(const std::shared_ptr<trace::Concrete>& f) {
  return static_cast<size_t>(std::ranges::count_if(
      f->program().code, [](const compile::Instruction& in) { return in.opcode != compile::Opcode::kFused; }));
}

}  // namespace

class TestRewrites : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    start();
    optimize::verify_passes = true;
  }

  void equal_nodes_are_joined() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      const Tensor a = op("Exp", {op("Mul", {in[0], number(2)})}), b = op("Exp", {op("Mul", {in[0], number(2)})});
      return std::vector{op("Sub", {a, b})};
    });
    QCOMPARE(QString::fromStdString(before_and_after(*f, optimize::join_equal)),
             QString("(x)\n"
                     "Mul/y = Const() 2\n"
                     "Mul = Mul(x, Mul/y)\n"
                     "Exp = Exp(Mul)\n"
                     "Mul_1/y = Const() 2\n"
                     "Mul_1 = Mul(x, Mul_1/y)\n"
                     "Exp_1 = Exp(Mul_1)\n"
                     "Sub = Sub(Exp, Exp_1)\n"
                     "return Sub\n"
                     "->\n"
                     "(x)\n"
                     "Mul/y = Const() 2\n"
                     "Mul = Mul(x, Mul/y)\n"
                     "Exp = Exp(Mul)\n"
                     "Sub = Sub(Exp, Exp)\n"
                     "return Sub\n"));
  }

  // The user's error, not the passes': also where it came from a function that was put in place of its call.
  void placeholders_that_nobody_feeds_are_errors_of_the_run() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      const Attrs of{{AttrName("dtype"), DType::kFloat32}, {AttrName("shape"), Shape{2}}};
      return std::vector{op("Mul", {in[0], op("Exp", {apply(Op("Placeholder"), {}, of)})})};
    });
    auto caller = traced({kScalar}, [&](std::span<const Tensor> in) { return f->call(std::vector{in[0]}); });
    for (const auto& function : {f, caller}) {
      std::string message;
      QCOMPARE(kind_thrown([&] { function->call(std::vector{real(1)}); }, &message), ErrorKind::kInvalidArgument);
      QVERIFY(says(message, "Placeholder' with dtype float and shape [2]"));
    }
  }

  // A tape tells tensors apart by their ids.
  void results_that_are_one_value_are_two_tensors() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return std::vector{op("Exp", {in[0]}), op("Exp", {in[0]}), op("Mul", {in[0], number(1)})};
    });
    const Tensor x = real(1);
    const auto results = f->call(std::vector{x});
    QCOMPARE(code_size(f), size_t{1});
    QVERIFY(results[0].id() != results[1].id());
    QVERIFY(results[2].id() != x.id());
  }

  void what_differs_is_not_joined() {
    auto f = traced({{DType::kFloat32, {3}}}, [](std::span<const Tensor> in) {
      const Attrs keep{{AttrName("keep_dims"), true}};
      const Tensor zero = op("Mul", {in[0], number(0)}), minus = op("Mul", {in[0], number(-0.f)});
      return std::vector{zero, minus, apply(Op("Sum"), {in[0], axes({0})}), apply(Op("Sum"), {in[0], axes({0})}, keep),
                         cast(in[0], DType::kInt32), cast(in[0], DType::kInt64),
                         op("Sub", {in[0], zero}), op("Sub", {zero, in[0]})};
    });
    optimize::ProgramRewrite rewrites(*f->graph());
    tidy(rewrites);
    run_pass(rewrites, optimize::join_equal);
    std::string text = text_of(rewrites);
    QCOMPARE(text.substr(text.find("return")),
             std::string("return Mul, Mul_1, Sum, Sum_1, Cast, Cast_1, Sub, Sub_1\n"));
  }

  void random_numbers_and_lists_are_not_joined() {
    auto f = traced({}, [](std::span<const Tensor>) {
      const Attrs drawn{{AttrName("dtype"), DType::kFloat32}}, list{{AttrName("element_dtype"), DType::kFloat32}};
      const auto draw = [&] { return apply(Op("RandomUniform"), {axes({2})}, drawn); };
      const Tensor a = draw(), b = draw();
      const Tensor c = apply(Op("EmptyValueList"), {}, list), d = apply(Op("EmptyValueList"), {}, list);
      return std::vector{op("Sub", {a, b}), apply(Op("TensorListPushBack"), {c, a}, list),
                         apply(Op("TensorListPushBack"), {d, a}, list)};
    });
    optimize::ProgramRewrite rewrites(*f->graph());
    tidy(rewrites);
    run_pass(rewrites, optimize::join_equal);
    const std::string text = text_of(rewrites);
    QVERIFY(text.find("RandomUniform, RandomUniform_1") != std::string::npos);
    QVERIFY2(text.find("return Sub, TensorListPushBack, TensorListPushBack_1\n") != std::string::npos, text.c_str());
  }

  void arithmetic_that_does_nothing_goes() {
    auto f = traced({{DType::kFloat32, {kUnknownDim}}}, [](std::span<const Tensor> in) {
      const Tensor y = op("Mul", {number(1), op("Neg", {op("Neg", {op("Mul", {in[0], number(1)})})})});
      return std::vector{op("RealDiv", {op("Sub", {op("AddV2", {y, number(-0.f)}), number(0)}), number(1)}),
                         op("RealDiv", {in[0], number(4)})};
    });
    const auto twice = [](optimize::Rewrite& r, optimize::ProgramRewrite& u) {
      optimize::simplify_arithmetic(r, u);
    };
    const std::string text = before_and_after(*f, twice);
    QCOMPARE(text.substr(text.find("->")), std::string("->\n"
                     "(x)\n"
                     "RealDiv_1/by_reciprocal/y = Const() 0.25\n"
                     "RealDiv_1/by_reciprocal = Mul(x, RealDiv_1/by_reciprocal/y)\n"
                     "return x, RealDiv_1/by_reciprocal\n"));
    check_same(f, {odd_floats()});
  }

  void a_bias_along_the_last_dimension_is_a_sum() {
    const auto with_bias = [](Shape x, Shape bias, const char* format) {
      auto f = traced({{DType::kFloat32, x}, {DType::kFloat32, bias}}, [&](std::span<const Tensor> in) {
        return std::vector{apply(Op("BiasAdd"), {in[0], in[1]}, {{AttrName("data_format"), std::string(format)}})};
      });
      optimize::ProgramRewrite rewrites(*f->graph());
      tidy(rewrites);
      run_pass(rewrites, optimize::simplify_arithmetic);
      check_same(f, {op("Fill", {Tensor::vector<int32_t>(std::vector{2, 3, 3}), number(1.5f)}),
                     Tensor::vector<float>(std::vector{1.f, 2.f, 4.f})});
      return text_of(rewrites).find("AddV2(") != std::string::npos;
    };
    QVERIFY(with_bias({2, 3, 3}, {3}, "NHWC"));
    QVERIFY(with_bias({kUnknownDim, kUnknownDim, 3}, {3}, "NHWC"));
    // Other channels, and where a bias that does not fit would be repeated instead of refused.
    QVERIFY(!with_bias({2, 3, 3}, {3}, "NCHW"));
    QVERIFY(!with_bias({2, 3, kUnknownDim}, {3}, "NHWC"));
    QVERIFY(!with_bias({2, 3, 3}, {kUnknownDim}, "NHWC"));
    QVERIFY(!with_bias(Shape::unknown_rank(), {3}, "NHWC"));
  }

  // Each of these changes some number.
  void arithmetic_that_does_something_stays() {
    auto f = traced({{DType::kFloat32, {kUnknownDim}}}, [](std::span<const Tensor> in) {
      const Tensor x = in[0];
      return std::vector{op("AddV2", {x, number(0)}),       op("Sub", {x, number(-0.f)}), op("Sub", {x, x}),
                         op("Mul", {x, number(0)}),         op("RealDiv", {x, x}),        op("RealDiv", {x, number(3)}),
                         op("Sub", {number(-0.f), x}),      op("RealDiv", {number(1), x}), op("Mul", {x, number(-1)}),
                         op("FloorDiv", {x, number(1)}),    op("Pow", {x, number(1)})};
    });
    QCOMPARE(code_size(f), size_t{11});
    check_same(f, {odd_floats()});
  }

  void shapes_that_arithmetic_makes_stay() {
    auto f = traced({{DType::kFloat32, {kUnknownDim}}, {DType::kFloat32, {2}}}, [](std::span<const Tensor> in) {
      const Tensor ones = constant({1, 1});
      return std::vector{op("Mul", {in[0], ones}), op("Mul", {in[1], ones}),
                         op("Mul", {in[1], op("Reshape", {ones, axes({2, 1})})})};
    });
    QCOMPARE(code_size(f), size_t{2});  // in[0] may have one element, which becomes two
    check_same(f, {Tensor::vector<float>(std::vector<float>{5}), Tensor::vector<float>(std::vector<float>{5, 6})});
    check_same(f, {Tensor::vector<float>(std::vector<float>{5, 7}), Tensor::vector<float>(std::vector<float>{5, 6})});
  }

  void integers_wrap_as_before() {
    auto f = traced({{DType::kInt32, {10}}}, [](std::span<const Tensor> in) {
      const Tensor x = in[0];
      return std::vector{op("AddV2", {x, whole(0)}),     op("Mul", {x, whole(0)}),      op("Sub", {x, x}),
                         op("FloorDiv", {x, whole(1)}),  op("FloorDiv", {x, whole(8)}), op("FloorMod", {x, whole(8)}),
                         op("FloorMod", {x, whole(1)}),  op("Pow", {x, whole(2)}),      op("Pow", {x, whole(1)}),
                         op("Neg", {op("Neg", {x})}),    op("FloorDiv", {x, whole(-8)}), op("FloorMod", {x, whole(6)}),
                         op("BitwiseXor", {x, x}),       op("BitwiseAnd", {x, x}),
                         op("TruncateDiv", {x, whole(2)}),
                         op("FloorMod", {x, whole(1 << 30)})};
    });
    check_same(f, {odd_ints()});
    for (const compile::Instruction& in : f->program().code) {
      const std::string name = f->program().node(in).op->name;
      QVERIFY2(name != "Sub" && name != "Neg" && name != "Pow", name.c_str());
    }
  }

  void shapes_that_do_not_fit_still_fail() {
    auto f = traced({{DType::kInt32, {kUnknownDim}}}, [](std::span<const Tensor> in) {
      const Tensor zeros = Tensor::vector<int32_t>(std::vector<int32_t>{0, 0});
      return std::vector{op("Mul", {in[0], zeros}), op("BitwiseAnd", {in[0], zeros})};
    });
    check_same(f, {Tensor::vector<int32_t>(std::vector<int32_t>{5})});
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{Tensor::vector<int32_t>(std::vector<int32_t>{1, 2, 3})}));
  }

  void division_by_zero_still_fails() {
    auto f = traced({{DType::kInt32, {2}}}, [](std::span<const Tensor> in) {
      return std::vector{op("Mul", {op("FloorDiv", {in[0], whole(0)}), whole(0)})};
    });
    // The product is 0 whatever the quotient is: nothing needs it, and what nothing needs does not run.
    QVERIFY(same_bits(f->call(std::vector{Tensor::vector<int32_t>(std::vector<int32_t>{1, 2})})[0],
                      Tensor::vector<int32_t>(std::vector<int32_t>{0, 0})));
    auto g = traced({{DType::kInt32, {2}}},
                    [](std::span<const Tensor> in) { return std::vector{op("FloorMod", {in[0], whole(0)})}; });
    QVERIFY_THROWS_EXCEPTION(Error, g->call(std::vector{Tensor::vector<int32_t>(std::vector<int32_t>{1, 2})}));
  }

  void logic_is_simplified() {
    auto f = traced({{DType::kBool, {}}, {DType::kFloat32, {2}}}, [](std::span<const Tensor> in) {
      const Tensor p = in[0];
      return std::vector{op("LogicalAnd", {p, truth(true)}), op("LogicalOr", {p, p}),
                         op("LogicalNot", {op("LogicalNot", {p})}), op("LogicalOr", {p, truth(true)}),
                         op("SelectV2", {truth(true), in[1], op("Exp", {in[1]})})};
    });
    QCOMPARE(code_size(f), size_t{0});
    check_same(f, {Tensor::scalar(false), Tensor::vector<float>(std::vector<float>{1, -0.f})});
  }

  void moves_that_undo_each_other_go() {
    auto f = traced({{DType::kFloat32, {2, 3}}}, [](std::span<const Tensor> in) {
      Tensor x = op("Transpose", {op("Transpose", {in[0], axes({1, 0})}), axes({1, 0})});
      x = op("Reshape", {op("Reshape", {op("ExpandDims", {x, whole(0)}), axes({6})}), axes({2, 3})});
      x = cast(cast(x, DType::kFloat64), DType::kFloat32);
      x = op("BroadcastTo", {x, axes({2, 3})});
      x = op("Slice", {x, axes({0, 0}), axes({-1, 3})});
      x = op("Pad", {x, op("Reshape", {axes({0, 0, 0, 0}), axes({2, 2})})});
      const std::vector<Tensor> one{x, whole(0)};
      return std::vector{op("Tile", {footlight::apply(Op("ConcatV2").row(), one), axes({1, 1})})};
    });
    QCOMPARE(code_size(f), size_t{0});
    const Tensor x = Tensor::vector<float>(std::vector<float>{1, -0.f, 3, 4, 5, 6}).reshaped(Shape{2, 3});
    QVERIFY(same_bits(f->call(std::vector{x})[0], x));
  }

  void moves_are_put_together() {
    auto f = traced({{DType::kFloat32, {2, 3, 4}}, {DType::kFloat32, {1, 5}}}, [](std::span<const Tensor> in) {
      return std::vector{op("Transpose", {op("Transpose", {in[0], axes({1, 2, 0})}), axes({1, 0, 2})}),
                         op("Transpose", {in[1], axes({1, 0})}),
                         op("Reshape", {op("Squeeze", {in[1]}), axes({5, 1, 1})})};
    });
    const std::string text = before_and_after(*f, optimize::cancel_moves);
    QCOMPARE(text.substr(text.find("->")),
             std::string("->\n"
                     "(x, x_1)\n"
                     "Transpose_1/both/perm = Const() [2, 1, 0] int32 (3,)\n"
                     "Transpose_1/both = Transpose(x, Transpose_1/both/perm)\n"
                     "Transpose_2/reshape/shape = Const() [5, 1] int64 (2,)\n"
                     "Transpose_2/reshape = Reshape(x_1, Transpose_2/reshape/shape)\n"
                     "Reshape/reshape/shape = Const() [5, 1, 1] int64 (3,)\n"
                     "Reshape/reshape = Reshape(x_1, Reshape/reshape/shape)\n"
                     "return Transpose_1/both, Transpose_2/reshape, Reshape/reshape\n"));
    Tensor x = Tensor::empty(DType::kFloat32, Shape{2, 3, 4}), y = Tensor::empty(DType::kFloat32, Shape{1, 5});
    for (int i = 0; i < 24; ++i) x.data<float>()[i] = static_cast<float>(i);
    for (int i = 0; i < 5; ++i) y.data<float>()[i] = static_cast<float>(-i);
    check_same(f, {x, y});
  }

  void casts_that_lose_something_stay() {
    auto f = traced({{DType::kFloat32, {11}}, {DType::kInt32, {10}}}, [](std::span<const Tensor> in) {
      return std::vector{cast(cast(in[0], DType::kFloat16), DType::kFloat32),
                         cast(cast(in[1], DType::kFloat32), DType::kInt32),
                         cast(cast(in[1], DType::kInt8), DType::kInt32),
                         cast(cast(in[1], DType::kInt64), DType::kInt8),     // one cast
                         cast(cast(in[1], DType::kFloat64), DType::kFloat32),  // one cast
                         cast(cast(in[1], DType::kInt64), DType::kInt32)};   // none
    });
    QCOMPARE(code_size(f), size_t{6});  // two are there already: to int8, to float32
    check_same(f, {odd_floats(), odd_ints()});
  }

  void shapes_that_are_not_known_are_checked_when_it_runs() {
    auto f = traced({{DType::kFloat32, Shape::unknown_rank()}}, [](std::span<const Tensor> in) {
      return std::vector{op("Transpose", {op("Transpose", {in[0], axes({1, 0})}), axes({1, 0})}),
                         op("Reshape", {op("Reshape", {in[0], axes({6})}), axes({2, 3})})};
    });
    const Tensor good = Tensor::empty(DType::kFloat32, Shape{2, 3});
    std::fill_n(good.data<float>(), 6, 1.f);
    check_same(f, {good});
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{Tensor::empty(DType::kFloat32, Shape{6})}));
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{Tensor::empty(DType::kFloat32, Shape{2, 2})}));
  }

  void known_shapes_become_constants() {
    auto f = traced({{DType::kFloat32, {8, 32}}, {DType::kFloat32, {kUnknownDim, 5}}}, [](std::span<const Tensor> in) {
      const auto part = [&](const Tensor& x, int32_t at) {
        return op("GatherV2", {op("Shape", {x}), whole(at), whole(0)});
      };
      return std::vector{op("Shape", {in[0]}), op("Size", {in[0]}), op("Rank", {in[1]}), part(in[1], 1), part(in[1], 0),
                         op("ZerosLike", {op("Slice", {in[0], axes({0, 0}), axes({1, 2})})})};
    });
    optimize::ProgramRewrite rewrites(*f->graph(), runtime::run_op);
    tidy(rewrites);
    run_pass(rewrites, optimize::known_shapes);
    const std::string text = text_of(rewrites);
    for (const char* line : {"Shape/known = Const() [8, 32] int32 (2,)\n", "Size/known = Const() 256\n",
                     "Rank/known = Const() 2\n", "GatherV2/known = Const() 5\n",
                     "ZerosLike/known = Const() [0, 0] float32 (1, 2)\n"})
      QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    QVERIFY2(text.find("GatherV2_1 = GatherV2(Shape_2,") != std::string::npos, text.c_str());
    check_same(f, {Tensor::empty(DType::kFloat32, Shape{8, 32}), Tensor::empty(DType::kFloat32, Shape{3, 5})});
  }

  // Sizes that are not known are looked at by these: nothing follows from the others.
  void what_compares_sizes_waits_for_them() {
    const Spec rows{DType::kFloat32, {kUnknownDim, 5}};
    auto f = traced({rows}, [](std::span<const Tensor> in) {
      const Tensor shape = op("Shape", {in[0]});
      const std::vector<Tensor> both{shape, axes({3, 5})};
      std::vector<Tensor> results = apply_all(Op("BroadcastGradientArgs").row(), both, {});
      results.push_back(op("Where", {op("NotEqual", {shape, whole(0)})}));
      return results;
    });
    for (const int64_t size : {0, 1, 3}) check_same(f, {Tensor::empty(DType::kFloat32, Shape{size, 5})});
  }

  // A shape that is computed must fit when it runs, even where only one would.
  void operands_that_are_not_known_are_checked_when_it_runs() {
    const Spec pair{DType::kInt32, {2}};
    auto f = traced({{DType::kFloat32, {2, 3}}, pair}, [](std::span<const Tensor> in) {
      return std::vector{op("BroadcastTo", {in[0], in[1]}), op("Slice", {in[0], in[1], axes({2, 3})})};
    });
    const Tensor x = Tensor::empty(DType::kFloat32, Shape{2, 3});
    const auto pair_of = [](int32_t a, int32_t b) { return Tensor::vector<int32_t>(std::vector<int32_t>{a, b}); };
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{x, pair_of(2, 4)}));
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{x, pair_of(0, 1)}));
  }

  void reductions_of_single_elements_are_reshapes() {
    auto f = traced({{DType::kFloat32, {11, 1}}, {DType::kInt32, {1, 10}}}, [](std::span<const Tensor> in) {
      return std::vector{op("Max", {in[0], axes({1})}), op("Min", {in[0], axes({1})}), op("Prod", {in[0], axes({1})}),
                         op("Max", {in[0], axes({})}), op("Sum", {in[1], axes({0})}),
                         op("Sum", {in[0], axes({1})}), op("Mean", {in[0], axes({1})})};
    });
    check_same(f, {odd_floats().reshaped(Shape{11, 1}), odd_ints().reshaped(Shape{1, 10})});
    size_t sums = 0;
    for (const compile::Instruction& in : f->program().code) {
      if (in.opcode == compile::Opcode::kFused) continue;  // its nodes follow
      const std::string name = f->program().node(in).op->name;
      sums += name == "Sum" || name == "Mean";
      QVERIFY2(name == "Reshape" || name == "Sum" || name == "Mean", name.c_str());
    }
    QCOMPARE(sums, size_t{2});  // of floats: 0 + -0 is 0
  }

  // The user may have said a wrong shape: then nothing follows from any.
  void shapes_that_users_set_are_no_reason() {
    auto f = traced({{DType::kFloat32, {kUnknownDim}}}, [](std::span<const Tensor> in) {
      const Tensor x = op("Identity", {in[0]});
      x.graph()->node(x.node()).shapes.own()[0] = Shape{3};
      x.graph()->node(x.node()).shape_said = true;
      const Tensor known = x.graph()->tensor({x.node(), 0});
      return std::vector{op("Shape", {known}), op("Mul", {known, constant({1, 1, 1})})};
    });
    const auto results = f->call(std::vector{Tensor::vector<float>(std::vector<float>{5})});
    QCOMPARE(results[0].data<int32_t>()[0], 1);
    QCOMPARE(results[1].shape(), Shape{3});
  }

  void long_rows_take_linear_time_and_no_stack() {
    constexpr int kMany = 100000;
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      Tensor x = in[0], y = in[0];
      for (int i = 0; i < kMany / 4; ++i) {
        x = op("Neg", {op("Mul", {x, number(1)})});
        y = op("Exp", {op("Identity", {y})});
      }
      return std::vector{x, y, op("Exp", {in[0]})};
    });
    const optimize::ProgramRewrite rewrites = optimize::optimize(*f->graph(), runtime::run_op);
    QCOMPARE(rewrites.root().resolve(f->graph()->outputs[0]).node, f->graph()->inputs[0]);
    QVERIFY(rewrites.root().changes().size() < 4 * f->graph()->size());
    QCOMPARE(value(f->call(std::vector{real(2)})[0]), 2.f);
  }
};

QTEST_APPLESS_MAIN(TestRewrites)
#include "test_rewrites.moc"
