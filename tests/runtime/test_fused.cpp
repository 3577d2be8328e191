// Groups of elementwise nodes that run in one walk: their results are those of the ops run one by one, bit for bit.
#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/watch.h"
#include "kernels/loops.h"
#include "tests/trace/support.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <optional>
#include <random>

using namespace footlight;
using namespace footlight::test;
using compile::Step;

namespace {

constexpr DType kPlain[] = {DType::kFloat32, DType::kFloat64, DType::kFloat16,   DType::kBFloat16,   DType::kInt8,
                            DType::kInt16,   DType::kInt32,   DType::kInt64,     DType::kUInt8,      DType::kUInt16,
                            DType::kUInt32,  DType::kUInt64,  DType::kComplex64, DType::kComplex128, DType::kBool};

Tensor cast(const Tensor& x, DType to) {
  return apply(Op("Cast"), {x}, {{AttrName("DstT"), to}});
}

// Numbers of both signs, and for some dtypes what is hard: zeros of both signs, infinities, no number.
Tensor random_tensor(std::mt19937& random, DType dtype, const Shape& shape) {
  Tensor x = Tensor::empty(DType::kFloat64, shape);
  static constexpr double kHard[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 2.0, 1e-30, 3e4};
  const bool whole = !is_floating(dtype) && !is_complex(dtype);
  for (int64_t i = 0; i < x.elements(); ++i) {
    const uint32_t n = random();
    double v = static_cast<double>(static_cast<int>(n % 4001) - 2000) / 300.0;
    if (!whole && n % 7 == 0) v = kHard[(n >> 8) % std::size(kHard)];
    x.data<double>()[i] = whole ? std::trunc(v * 10) : v;
  }
  return cast(x, dtype);
}

// The ops one by one; none where their dtype is not for one of them.
std::optional<std::vector<Tensor>> if_it_is_for_them(const Body& body, std::span<const Tensor> arguments) {
  try {
    return body(arguments);
  } catch (const Error&) {
    return {};
  }
}

template <class T>
bool same_numbers(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.elements(); ++i) {
    const T x = a.data<T>()[i], y = b.data<T>()[i];
    const bool none = std::isnan(static_cast<double>(x)) && std::isnan(static_cast<double>(y));
    if (std::memcmp(&x, &y, sizeof x) != 0 && !none) return false;
  }
  return true;
}

// A number that is none has no sign or bits of its own.
bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  switch (a.dtype()) {
    case DType::kFloat32: return same_numbers<float>(a, b);
    case DType::kFloat64: return same_numbers<double>(a, b);
    case DType::kFloat16: return same_numbers<Float16>(a, b);
    case DType::kBFloat16: return same_numbers<BFloat16>(a, b);
    case DType::kComplex64:
    case DType::kComplex128: {
      const bool wide = a.dtype() == DType::kComplex128;
      const Shape parts{a.elements() * 2};
      const DType part = wide ? DType::kFloat64 : DType::kFloat32;
      const Tensor x = Tensor::within(part, parts, Device::cpu(), a.body()->buffer, a.raw());
      const Tensor y = Tensor::within(part, parts, Device::cpu(), b.body()->buffer, b.raw());
      return same(x, y);
    }
    default: return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  }
}

size_t walks(const compile::Program& program) {
  size_t n = 0;
  for (const compile::Instruction& in : program.code) n += in.step == Step::kFused;
  return n;
}

std::shared_ptr<trace::Concrete> traced_like(const std::vector<Tensor>& arguments, const std::vector<Shape>& shapes,
                                             const Body& body) {
  trace::GraphBuilder builder("test");
  std::vector<Tensor> parameters;
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters.push_back(builder.parameter(arguments[i].dtype(), shapes[i], "x", "x"));
  {
    const PauseTapes quiet;
    const trace::Building building(&builder);
    builder.finish(body(parameters));
  }
  return std::make_shared<trace::Concrete>(builder);
}

std::vector<Shape> shapes_of(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
  for (const Tensor& t : tensors) shapes.push_back(t.shape());
  return shapes;
}

// A random program over values of several dtypes and shapes: the same for the same seed.
std::vector<Tensor> program(uint32_t seed, std::span<const Tensor> in) {
  static constexpr const char* kUnary[] = {"Neg",  "Abs", "Square", "Sign",    "Relu",
                                           "Tanh", "Exp", "Sqrt",   "Sigmoid", "Floor"};
  static constexpr const char* kBinary[] = {"AddV2",   "Sub",     "Mul",              "Maximum",
                                            "Minimum", "RealDiv", "SquaredDifference"};
  static constexpr const char* kCompare[] = {"Less", "GreaterEqual", "Equal", "NotEqual"};
  std::mt19937 random(seed);
  std::vector<Tensor> values(in.begin(), in.end());
  const auto pick = [&](auto&& suits) {
    std::vector<Tensor> some;
    for (const Tensor& v : values)
      if (suits(v)) some.push_back(v);
    return some.empty() ? Tensor() : some[random() % some.size()];
  };
  const auto works = [](const char* name, DType dtype) { return bool(loop_for(Op(name).id(), dtype, dtype)); };
  const int steps = 6 + static_cast<int>(random() % 20);
  for (int i = 0; i < steps; ++i) {
    const Tensor a = values[random() % values.size()];
    const Tensor b = pick([&](const Tensor& v) { return v.dtype() == a.dtype(); });
    const uint32_t kind = random() % 8, which = random();
    if (kind < 3) {
      const char* name = kUnary[which % std::size(kUnary)];
      if (works(name, a.dtype())) values.push_back(op(name, {a}));
    } else if (kind < 6) {
      const char* name = kBinary[which % std::size(kBinary)];
      if (works(name, a.dtype())) values.push_back(op(name, {a, b}));
    } else if (kind == 6 && which % 2) {
      if (!works("AddN", a.dtype())) continue;
      std::vector<Tensor> alike{a, op("AddV2", {a, a})};
      for (uint32_t k = 0; k < which % 5; ++k) alike.push_back(k % 2 ? op("Mul", {alike[k], alike[1]}) : a);
      values.push_back(apply_all(Op("AddN").row(), alike, {})[0]);
    } else if (kind == 6) {
      const char* name = kCompare[which % std::size(kCompare)];
      if (!loop_for(Op(name).id(), a.dtype(), DType::kBool)) continue;
      const Tensor test = op(name, {a, b});
      const Tensor c = pick([&](const Tensor& v) { return v.dtype() == a.dtype(); });
      values.push_back(op("SelectV2", {test, a, c}));
    } else {
      values.push_back(cast(a, kPlain[which % 12]));
    }
  }
  return {values.back(), values[values.size() / 2], values[random() % values.size()]};
}

}  // namespace

class TestFused : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  // Each op with a loop, for each dtype, in a walk with others.
  void every_loop() {
    size_t tried = 0;
    std::mt19937 random(5);
    for (const OpRow* row : all_rows()) {
      for (const DType dtype : kPlain) {
        if (!loop_for(row->id, dtype, dtype) || row->inputs.size() > 2 || row->inputs[0].list) continue;
        std::vector<Tensor> arguments;
        if (std::string_view(row->name) == "Cast" && dtype == DType::kFloat32) continue;  // nothing is left of it
        for (size_t i = 0; i < 2; ++i) arguments.push_back(random_tensor(random, dtype, {3, 41}));
        arguments.push_back(random_tensor(random, DType::kBool, {3, 41}));
        const Body body = [&](std::span<const Tensor> in) {
          const auto apply_row = [&](std::span<const Tensor> to) {
            Attrs attrs;
            if (std::string_view(row->name) == "Cast") attrs.set(AttrName("DstT"), DType::kFloat32);
            return apply(*row, to, attrs);
          };
          const size_t n = row->inputs.size();
          const std::vector<Tensor> forwards(in.begin(), in.begin() + static_cast<ptrdiff_t>(n));
          const std::vector<Tensor> backwards(in.rbegin() + 1, in.rbegin() + 1 + static_cast<ptrdiff_t>(n));
          return std::vector{op("SelectV2", {in.back(), apply_row(forwards), apply_row(backwards)})};
        };
        const std::optional<std::vector<Tensor>> one_by_one = if_it_is_for_them(body, arguments);
        if (!one_by_one) continue;
        auto f = traced_like(arguments, shapes_of(arguments), body);
        QCOMPARE(walks(f->program()), size_t{1});
        QVERIFY2(same(f->call(arguments)[0], (*one_by_one)[0]), str(row->name, " of ", name_of(dtype)).c_str());
        ++tried;
      }
    }
    QVERIFY2(tried > 300, qPrintable(QString::number(tried)));
  }

  void random_graphs() {
    size_t fused = 0;
    for (uint32_t seed = 0; seed < 400; ++seed) {
      std::mt19937 random(seed + 99);
      static const Shape kShapes[] = {{5, 7}, {4, 1, 6}, {}, {0, 3}, {1300}, {2, 700}, {1, 1}, {3, 2, 2, 5}};
      const Shape whole = kShapes[seed % std::size(kShapes)];
      std::vector<Tensor> arguments;
      std::vector<Shape> shapes;
      for (int i = 0; i < 5; ++i) {
        Shape own = whole, known;
        for (int d = 0; d < own.rank(); ++d)
          if (random() % 3 == 0) own.set(d, own[d] == 0 ? 0 : 1);
        if (i == 0 || random() % 2) own = whole;
        if (own.rank() && random() % 4 == 0) own = Shape(own.dims().subspan(1));
        known = own;
        for (int d = 0; d < known.rank(); ++d)
          if (seed % 3 == 0 && random() % 2) known.set(d, kUnknownDim);
        if (seed % 11 == 0) known = Shape::unknown_rank();
        const DType dtype = kPlain[(seed + static_cast<uint32_t>(i) / 3) % std::size(kPlain)];
        arguments.push_back(random_tensor(random, dtype, own));
        shapes.push_back(known);
      }
      const auto one_by_one = program(seed, arguments);
      auto f = traced_like(arguments, shapes, [&](std::span<const Tensor> in) { return program(seed, in); });
      fused += walks(f->program());
      std::vector<Tensor> kept;  // arguments are never written to
      for (const Tensor& t : arguments) kept.push_back(op("Identity", {t}));
      std::vector<Tensor> first;
      for (int call = 0; call < 3; ++call) {
        const auto once = f->call(arguments);
        if (call == 0) first = once;
        for (size_t k = 0; k < once.size(); ++k) {
          QVERIFY2(same(once[k], one_by_one[k]), qPrintable(QString("program %1, result %2").arg(seed).arg(k)));
          QVERIFY2(same(first[k], one_by_one[k]), qPrintable(QString("program %1: a result changed").arg(seed)));
        }
      }
    }
    QVERIFY2(fused > 300, qPrintable(QString::number(fused)));
  }

  void large_ones_on_all_cores_data() {
    QTest::addColumn<int>("rows");
    QTest::newRow("in the caches") << 400;
    QTest::newRow("written past the caches") << 17000;  // a tile does not begin where a vector does
  }
  void large_ones_on_all_cores() {
    QFETCH(int, rows);
    std::mt19937 random(1);
    const std::vector<Tensor> arguments{random_tensor(random, DType::kFloat32, {rows, 501}),
                                        random_tensor(random, DType::kFloat32, {501}),
                                        random_tensor(random, DType::kFloat32, {rows, 1}), real(2)};
    const Body body = [](std::span<const Tensor> in) {
      const Tensor a = op("Mul", {op("AddV2", {in[0], in[1]}), in[2]});
      const Tensor b = op("Sub", {op("Tanh", {a}), in[3]});
      return std::vector{op("Sqrt", {op("Square", {b})}), op("Less", {a, b})};
    };
    auto f = traced_like(arguments, shapes_of(arguments), body);
    QCOMPARE(walks(f->program()), size_t{1});
    const auto once = f->call(arguments), one_by_one = body(arguments);
    QVERIFY(same(once[0], one_by_one[0]));
    QVERIFY(same(once[1], one_by_one[1]));
  }

  // A product lies between: y needs it, and it needs x.
  void what_lies_between_is_kept_apart() {
    auto f = traced({{DType::kFloat32, {4, 4}}}, [](std::span<const Tensor> in) {
      const Tensor x = op("Neg", {op("Square", {in[0]})});
      return std::vector{op("AddV2", {op("MatMul", {x, x}), x})};
    });
    QCOMPARE(walks(f->program()), size_t{1});
    QCOMPARE(f->program().code[0].skip, uint16_t{2});
    std::mt19937 random(2);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {4, 4})};
    f->call(x);
  }

  // Shapes that turn out not to broadcast to one are an error of the node, as they are without a walk.
  void wrong_shapes_name_their_node() {
    const Spec open{DType::kFloat32, Shape{kUnknownDim}};
    auto f = traced({open, open}, [](std::span<const Tensor> in) {
      return std::vector{op("Mul", {op("Neg", {in[0]}), op("Exp", {in[1]})})};
    });
    QCOMPARE(walks(f->program()), size_t{1});
    const std::vector<float> two{1, 2}, three{1, 2, 3}, one{4};
    QCOMPARE(f->call(std::vector{Tensor::vector<float>(two), Tensor::vector<float>(one)})[0].elements(), int64_t{2});
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{Tensor::vector<float>(two), Tensor::vector<float>(three)}));
    const runtime::Failure failure = runtime::take_failure();
    QVERIFY(failure.graph);
    QCOMPARE(failure.graph->node(failure.node).name, std::string("Mul"));
  }

  // A sum of a list wants one shape of all, also where the shapes are known late.
  void a_list_does_not_broadcast() {
    const Spec open{DType::kFloat32, Shape{kUnknownDim}};
    auto f = traced({open, open, open}, [](std::span<const Tensor> in) {
      return std::vector{op("Neg", {apply_all(Op("AddN").row(), std::vector{in[0], in[1], in[2]}, {})[0]})};
    });
    QCOMPARE(walks(f->program()), size_t{1});
    const std::vector<float> two{1, 2}, one{4};
    const Tensor x = Tensor::vector<float>(two);
    QCOMPARE(f->call(std::vector{x, x, x})[0].data<float>()[1], -6.f);
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector{x, Tensor::vector<float>(one), x}));
    runtime::take_failure();
  }

  // A reduction over the last dimensions of what a walk makes, at the end of it.
  void trailing_reductions_data() {
    QTest::addColumn<QList<int>>("sizes");
    QTest::addColumn<QList<int>>("axes");
    QTest::newRow("rows") << QList{37, 41} << QList{1};
    QTest::newRow("short rows") << QList{5001, 3} << QList{-1};
    QTest::newRow("rows of one") << QList{700, 1} << QList{1};
    QTest::newRow("one row") << QList{1, 1001} << QList{1};
    QTest::newRow("one element") << QList{1, 1} << QList{0, 1};
    QTest::newRow("no row") << QList{0, 3} << QList{1};
    QTest::newRow("empty rows") << QList{3, 0} << QList{1};
    QTest::newRow("nothing") << QList{0} << QList{0};
    QTest::newRow("two of three") << QList{9, 13, 6} << QList{2, 1};
    QTest::newRow("blocks that end in a row") << QList{501, 1003} << QList{1};
    QTest::newRow("rows longer than a block") << QList{3, 150001} << QList{1};
    QTest::newRow("everything") << QList{201, 333} << QList{0, 1};
    QTest::newRow("everything, in pieces") << QList{3, 187777} << QList{1, 0};
  }
  void trailing_reductions() {
    QFETCH(QList<int>, sizes);
    QFETCH(QList<int>, axes);
    Shape whole, row, column, open;
    for (const int n : sizes) {
      whole.append(n);
      column.append(whole.rank() == 1 ? n : 1);
      open.append(kUnknownDim);
    }
    row.append(sizes.back());
    int length = 1;
    for (const int axis : axes) length *= sizes[axis < 0 ? axis + sizes.size() : axis];
    const Tensor over = ops::ints(std::vector<int64_t>(axes.begin(), axes.end()));
    std::mt19937 random(8);
    for (const char* name : {"Sum", "Mean", "Prod", "Max", "Min", "All", "Any"}) {
      for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8,
                                DType::kInt32, DType::kInt64, DType::kUInt8, DType::kComplex64}) {
        const std::string_view op_name = name;
        const bool logical = op_name == "All" || op_name == "Any", extreme = op_name == "Max" || op_name == "Min";
        if ((logical && dtype != DType::kFloat32) || (extreme && is_complex(dtype))) continue;
        const std::vector<Tensor> arguments{random_tensor(random, dtype, whole), random_tensor(random, dtype, row),
                                            random_tensor(random, dtype, column)};
        for (const bool keep : {false, true}) {
          const Body body = [&](std::span<const Tensor> in) {
            const Tensor x = op("Mul", {op("AddV2", {in[0], in[1]}), in[2]});
            const Tensor made = logical ? op("Less", {x, in[1]}) : x;
            return std::vector{apply(Op(name), {made, over}, {{AttrName("keep_dims"), keep}}),
                               op("Sub", {in[0], in[1]})};
          };
          const auto one_by_one = body(arguments);
          for (const bool known : {true, false}) {
            auto f = traced_like(arguments, known ? shapes_of(arguments) : std::vector{open, row, open}, body);
            size_t reductions = 0;
            for (const compile::FusedGroup& group : f->program().groups) reductions += group.reduction.has_value();
            if (length != 1) QCOMPARE(reductions, size_t{1});  // of one element a pass may leave nothing
            for (int call = 0; call < 2; ++call) {
              const auto once = f->call(arguments);
              for (const size_t k : {0, 1})
                QVERIFY2(same(once[k], one_by_one[k]), str(name, " of ", name_of(dtype), ", result ", k).c_str());
            }
          }
        }
      }
    }
  }

  // The first results are there before the last elements are read: they never take over memory of an input.
  void a_reduction_spares_what_the_walk_still_reads() {
    constexpr int64_t kSide = 400;  // many blocks
    const Body body = [](std::span<const Tensor> in) {
      const Tensor bias = op("Softmax", {in[1]});  // small, and dies in the walk
      const Tensor made = op("Square", {op("Sub", {in[0], bias})});
      return std::vector{op("Exp", {op("Sum", {made, ops::ints(std::vector<int64_t>{1})})})};
    };
    std::mt19937 random(3);
    const std::vector<Tensor> values{cast(random_tensor(random, DType::kInt32, {kSide, kSide}), DType::kFloat32),
                                     cast(random_tensor(random, DType::kInt32, {kSide}), DType::kFloat32)};
    auto f = traced_like(values, shapes_of(values), body);
    const auto one_by_one = body(values);
    for (int call = 0; call < 3; ++call) QVERIFY(same(f->call(values)[0], one_by_one[0]));
  }

  void what_others_read_too_is_not_only_reduced() {
    std::mt19937 random(4);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {30, 20})};
    const Tensor last = ops::ints(std::vector<int64_t>{1}), first = ops::ints(std::vector<int64_t>{0});
    const auto reductions = [&](const Body& body) {
      auto f = traced_like(x, shapes_of(x), body);
      const auto one_by_one = body(x), once = f->call(x);
      for (size_t k = 0; k < once.size(); ++k)
        if (!same(once[k], one_by_one[k])) return -1;
      int n = 0;
      for (const compile::FusedGroup& group : f->program().groups) n += group.reduction.has_value();
      return n;
    };
    const auto chain = [](const Tensor& of) { return op("Tanh", {op("Square", {of})}); };
    QCOMPARE(reductions([&](std::span<const Tensor> in) {
      const Tensor y = chain(in[0]);
      return std::vector{op("Sum", {y, last}), y};
    }), 0);
    QCOMPARE(reductions([&](std::span<const Tensor> in) {
      const Tensor y = chain(in[0]);
      return std::vector{op("Sum", {y, last}), op("Max", {y, last})};
    }), 0);
    QCOMPARE(reductions([&](std::span<const Tensor> in) { return std::vector{op("Sum", {chain(in[0]), first})}; }), 0);
    QCOMPARE(reductions([&](std::span<const Tensor> in) { return std::vector{op("Sum", {op("Exp", {in[0]}), last})}; }),
             1);
    // What the sum gives is used by an op of the same shape as those that it reduces.
    QCOMPARE(reductions([&](std::span<const Tensor> in) {
      const Tensor y = op("Square", {in[0]}), z = op("Neg", {y});
      const Tensor sum = apply(Op("Sum"), {z, last}, {{AttrName("keep_dims"), true}});
      return std::vector{op("Mul", {op("Exp", {y}), sum})};
    }), 1);
  }

  // Random walks as above, whose results are reduced.
  void random_graphs_with_reductions() {
    size_t reduced = 0;
    for (uint32_t seed = 0; seed < 120; ++seed) {
      std::mt19937 random(seed + 7);
      static const Shape kShapes[] = {{5, 7}, {4, 1, 6}, {2, 17000}, {0, 3}, {40000}, {1, 1}};
      const Shape whole = kShapes[seed % std::size(kShapes)];
      std::vector<Tensor> arguments;
      for (uint32_t i = 0; i < 5; ++i)
        arguments.push_back(random_tensor(random, kPlain[(seed + i / 3) % 12], whole));
      const Body body = [&](std::span<const Tensor> in) {
        std::vector<Tensor> results = program(seed, in);
        std::vector<int64_t> axes;
        for (int64_t d = seed % 2 ? whole.rank() - 1 : 0; d < whole.rank(); ++d) axes.push_back(d);
        for (Tensor& r : results)
          if (!is_complex(r.dtype()) && r.dtype() != DType::kBool)
            r = op(seed % 3 ? "Max" : "Sum", {op("Neg", {r}), ops::ints(axes)});
        return results;
      };
      const std::optional<std::vector<Tensor>> one_by_one = if_it_is_for_them(body, arguments);
      if (!one_by_one) continue;
      auto f = traced_like(arguments, shapes_of(arguments), body);
      for (const compile::FusedGroup& group : f->program().groups) reduced += group.reduction.has_value();
      for (int call = 0; call < 2; ++call) {
        const auto once = f->call(arguments);
        for (size_t k = 0; k < once.size(); ++k)
          QVERIFY2(same(once[k], (*one_by_one)[k]), qPrintable(QString("program %1, result %2").arg(seed).arg(k)));
      }
    }
    QVERIFY2(reduced > 60, qPrintable(QString::number(reduced)));
  }

  // Whoever watches each result sees each node.
  void watched_nodes_run_one_by_one() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return std::vector{op("Exp", {op("Reciprocal", {op("Neg", {in[0]})})})};
    });
    QCOMPARE(value(f->call(std::vector{real(0)})[0]), 0.f);
    check_numerics(true);
    std::string message;
    try {
      f->call(std::vector{real(0)});
    } catch (const Error& e) {
      message = e.what();
    }
    check_numerics(false);
    QVERIFY2(message.find("\"Reciprocal\"") != std::string::npos, message.c_str());
    QCOMPARE(value(f->call(std::vector{real(1)})[0]), std::exp(-1.f));
  }

  void each_node_has_its_event() {
    auto f = traced({{DType::kFloat32, {2000}}}, [](std::span<const Tensor> in) {
      const std::vector<Tensor> terms{op("Tanh", {in[0]}), op("Neg", {in[0]}), in[0]};
      const Tensor sum = apply_all(Op("AddN").row(), terms, {})[0];
      return std::vector{op("Mean", {sum, ops::ints(std::vector<int64_t>{0})})};
    });
    QCOMPARE(walks(f->program()), size_t{1});
    const std::vector<Tensor> x{Tensor::empty(DType::kFloat32, {2000})};
    std::fill_n(x[0].data<float>(), 2000, 0.5f);
    f->call(x);
    OpRing& ring = thread_rings().ops();
    ring.drain([](const OpEvent*, uint32_t) {});
    recording_level = RecordingLevel::kOps;
    f->call(x);
    recording_level = RecordingLevel::kOff;
    std::vector<OpEvent> events;
    ring.drain([&](const OpEvent* first, uint32_t count) { events.insert(events.end(), first, first + count); });
    QCOMPARE(events.size(), size_t{4});
    std::vector<std::string> names;
    for (size_t i = 0; i < events.size(); ++i) {
      names.push_back(f->graph()->node(events[i].node()).name);
      QVERIFY(events[i].signature.valid());
      QVERIFY(events[i].start_ns <= events[i].end_ns);
      if (i) QCOMPARE(events[i].start_ns, events[i - 1].end_ns);
    }
    QCOMPARE(names, (std::vector<std::string>{"Tanh", "Neg", "AddN", "Mean"}));
    // By what they cost: Tanh is the dear one.
    QVERIFY(events[0].end_ns - events[0].start_ns > events[1].end_ns - events[1].start_ns);
  }
};

QTEST_APPLESS_MAIN(TestFused)
#include "test_fused.moc"
