// Reductions that are fused with elementwise nodes: their results are those of the ops one by one, bit for bit.
#include "tests/runtime/fused_programs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::test;

namespace {

size_t fused_reductions(trace::Concrete& f) {
  size_t n = 0;
  for (const fusion::FusedGroup& group : f.program().groups) n += group.num_reductions;
  return n;
}

}  // namespace

class TestReduced : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  // Of adjacent dimensions of what a loop computes or reads: of short rows, or at the end of it.
  void reductions_data() {
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
    QTest::newRow("blocks that end in a row") << QList{101, 1003} << QList{1};
    QTest::newRow("rows longer than a block") << QList{3, 30001} << QList{1};
    QTest::newRow("everything") << QList{201, 333} << QList{0, 1};
    QTest::newRow("everything, in pieces") << QList{3, 91001} << QList{1, 0};
    QTest::newRow("columns") << QList{41, 37} << QList{0};
    QTest::newRow("short columns, several at once") << QList{1003, 5} << QList{0};
    QTest::newRow("many rows, halved") << QList{2051, 33} << QList{0};
    QTest::newRow("columns in pieces") << QList{701, 377} << QList{-2};
    QTest::newRow("columns on all cores") << QList{23, 5003} << QList{0};
    QTest::newRow("long columns, in strips") << QList{5, 9001} << QList{0};
    QTest::newRow("few columns, made on all cores") << QList{9001, 4} << QList{0};
    QTest::newRow("one column") << QList{301, 1} << QList{0};
    QTest::newRow("columns of one") << QList{1, 301} << QList{0};
    QTest::newRow("no column") << QList{3, 0} << QList{0};
    QTest::newRow("empty columns") << QList{0, 3} << QList{0};
    QTest::newRow("channels of images") << QList{5, 9, 7, 3} << QList{0, 1, 2};
    QTest::newRow("in the middle") << QList{7, 601, 19} << QList{1};
    QTest::newRow("two in the middle") << QList{2, 3, 5, 70} << QList{1, 2};
  }
  void reductions() {
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
    const bool large = kSanitized || whole.elements() > 20000;  // not all of everything
    std::mt19937 random(8);
    for (const char* name : {"Sum", "Mean", "Prod", "Max", "Min", "All", "Any"}) {
      for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8,
                                DType::kInt32, DType::kInt64, DType::kUInt8, DType::kComplex64}) {
        const std::string_view op_name = name;
        const bool logical = op_name == "All" || op_name == "Any", extreme = op_name == "Max" || op_name == "Min";
        if ((logical && dtype != DType::kFloat32) || (extreme && is_complex(dtype))) continue;
        if (large && op_name != "Sum" && op_name != "Mean" && dtype != DType::kFloat32) continue;
        const std::vector<Tensor> arguments{random_tensor(random, dtype, whole), random_tensor(random, dtype, row),
                                            random_tensor(random, dtype, column)};
        for (const bool keep : {false, true}) {
          if (keep && kSanitized) continue;
          // Two of them: of what is made and may be a result too, and of what is read or made.
          const Body body = [&](std::span<const Tensor> in) {
            const Tensor x = op("Mul", {op("AddV2", {in[0], in[1]}), in[2]});
            const Tensor made = logical ? op("Less", {x, in[1]}) : x;
            const Tensor other = logical ? op("LogicalNot", {made}) : op("Square", {x});
            const auto reduce = [&](const char* by, const Tensor& of) {
              return apply(Op(by), {of, over}, {{AttrName("keep_dims"), keep}});
            };
            std::vector<Tensor> results{reduce(name, made), op("Sub", {in[0], in[1]}), reduce(name, other)};
            if (keep) results.push_back(made);
            if (!logical) results.push_back(reduce("Sum", in[0]));
            return results;
          };
          const auto one_by_one = body(arguments);
          for (const bool known : {true, false}) {
            if (large && known == keep) continue;
            auto f = traced_like(arguments, known ? shapes_of(arguments) : std::vector{open, row, open}, body);
            if (length > 1) QVERIFY(fused_reductions(*f) >= 2);  // of one element a pass may leave nothing
            for (int call = 0; call < 2; ++call) {
              with_machine_code(call > 0);
              const auto once = f->call(arguments);
              for (size_t k = 0; k < once.size(); ++k)
                QVERIFY2(same(once[k], one_by_one[k]), str(name, " of ", name_of(dtype), ", result ", k).c_str());
            }
          }
        }
      }
    }
  }

  // The first results are there before the last elements are read: they never take over memory of an input.
  void a_reduction_spares_what_the_loop_still_reads() {
    constexpr int64_t kSide = 400;  // many blocks
    const Body body = [](std::span<const Tensor> in) {
      const Tensor bias = op("Softmax", {in[1]});  // small, and dies in the loop
      const Tensor made = op("Square", {op("Sub", {in[0], bias})});
      return std::vector{op("Exp", {op("Sum", {made, ops::ints(std::vector<int64_t>{1})})})};
    };
    std::mt19937 random(3);
    const std::vector<Tensor> values{cast(random_tensor(random, DType::kInt32, {kSide, kSide}), DType::kFloat32),
                                     cast(random_tensor(random, DType::kInt32, {kSide}), DType::kFloat32)};
    auto f = traced_like(values, shapes_of(values), body);
    const auto one_by_one = body(values);
    for (int call = 0; call < 3; ++call) {
      with_machine_code(call > 0);
      QVERIFY(same(f->call(values)[0], one_by_one[0]));
    }
  }

  void what_is_in_one_loop() {
    std::mt19937 random(4);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {30, 20})};
    const Tensor last = ops::ints(std::vector<int64_t>{1}), first = ops::ints(std::vector<int64_t>{0});
    // How many nodes run in fused loops, and how many fused loops there are.
    using Counts = std::pair<size_t, size_t>;
    const auto counts = [&](const Body& body) {
      auto f = traced_like(x, shapes_of(x), body);
      const auto one_by_one = body(x), once = f->call(x);
      for (size_t k = 0; k < once.size(); ++k)
        if (!same(once[k], one_by_one[k])) return Counts();
      Counts n{0, fused_loops(f->program())};
      for (const compile::Instruction& in : f->program().code) n.first += in.skip;
      return n;
    };
    const auto chain = [](const Tensor& of) { return op("Tanh", {op("Square", {of})}); };
    const auto kept = [](const char* name, const Tensor& of, const Tensor& axes) {
      return apply(Op(name), {of, axes}, {{AttrName("keep_dims"), true}});
    };
    for (const Tensor& axis : {last, first}) {
      QCOMPARE(counts([&](std::span<const Tensor> in) {
        const Tensor y = chain(in[0]);
        return std::vector{op("Sum", {y, axis}), y};
      }), Counts(3, 1));
      QCOMPARE(counts([&](std::span<const Tensor> in) {
        const Tensor y = chain(in[0]);
        return std::vector{op("Sum", {y, axis}), op("Max", {y, axis}), op("Mean", {in[0], axis})};
      }), axis.raw() == last.raw() ? Counts(4, 1) : Counts(5, 1));
    }
    // Both axes: one ends a loop, which then does not run by rows.
    QCOMPARE(counts([&](std::span<const Tensor> in) {
      return std::vector{op("Sum", {chain(in[0]), first}), op("Sum", {op("Neg", {in[0]}), last})};
    }), Counts(5, 2));
    // A norm, in rows and down the columns, where another loop follows.
    const auto norm = [&](const Tensor& of, const Tensor& axes) {
      const Tensor centred = op("Sub", {of, kept("Mean", of, axes)});
      const Tensor scale = op("Rsqrt", {op("AddV2", {kept("Mean", op("Square", {centred}), axes), real(1)})});
      return op("Mul", {centred, scale});
    };
    QCOMPARE(counts([&](std::span<const Tensor> in) { return std::vector{norm(in[0], last)}; }), Counts(7, 1));
    QCOMPARE(counts([&](std::span<const Tensor> in) { return std::vector{norm(in[0], first)}; }), Counts(5, 2));
    // A sum without the dimension lies across the rows when it meets them again.
    const std::vector<Tensor> square{random_tensor(random, DType::kFloat32, {20, 20})};
    const Body across = [&](std::span<const Tensor> in) {
      const Tensor y = chain(in[0]);
      return std::vector{op("Mul", {y, op("Neg", {op("Sum", {y, last})})})};
    };
    auto f = traced_like(square, shapes_of(square), across);
    QVERIFY(same(f->call(square)[0], across(square)[0]));
    QCOMPARE(f->program().groups[0].num_reductions, uint16_t{1});
  }

  // Rows that are normalised, each while it lies in the cache: of dimensions that are known early or late.
  void rows_again_and_again_data() {
    QTest::addColumn<QList<int>>("sizes");
    QTest::addColumn<int>("axes");
    QTest::newRow("several at once") << QList{37, 41} << 1;
    QTest::newRow("very short") << QList{5001, 3} << 1;
    QTest::newRow("one at once") << QList{205, 1500} << 1;
    QTest::newRow("of two dimensions") << QList{11, 5, 9} << 2;
    QTest::newRow("a row") << QList{1, 77} << 1;
    QTest::newRow("no row") << QList{0, 7} << 1;
    QTest::newRow("empty rows") << QList{7, 0} << 1;
    QTest::newRow("of one") << QList{7, 1} << 1;
    QTest::newRow("too long") << QList{3, 20001} << 1;
  }
  void rows_again_and_again() {
    QFETCH(QList<int>, sizes);
    QFETCH(int, axes);
    Shape whole, column, open, left;
    std::vector<int64_t> over;
    for (int d = 0; d < sizes.size(); ++d) {
      const bool reduced = d >= sizes.size() - axes;
      whole.append(sizes[d]);
      column.append(reduced ? 1 : sizes[d]);
      open.append(reduced ? sizes[d] : kUnknownDim);
      if (reduced) over.push_back(d);
      else left.append(sizes[d]);
    }
    const Tensor axis = ops::ints(over);
    std::mt19937 random(12);
    size_t by_rows = 0;
    for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt32,
                              DType::kInt64, DType::kUInt8, DType::kInt8}) {
      const std::vector<Tensor> arguments{
          random_tensor(random, dtype, whole), random_tensor(random, dtype, {sizes.back()}),
          random_tensor(random, dtype, column), random_tensor(random, dtype, left)};
      const Body body = [&](std::span<const Tensor> in) {
        const auto reduce = [&](const char* name, const Tensor& of, bool keep = true) {
          return apply(Op(name), {of, axis}, {{AttrName("keep_dims"), keep}});
        };
        const Tensor most = reduce("Max", in[0]);
        const Tensor centred = op("Sub", {op("Mul", {op("Sub", {in[0], most}), in[1]}), reduce("Mean", in[0])});
        const Tensor spread = op("AddV2", {op("Square", {reduce("Sum", op("Square", {centred}))}), in[2]});
        const Tensor test = op("Less", {spread, in[2]});
        const Tensor scaled = op("SelectV2", {test, op("Mul", {centred, spread}), in[2]});
        const Tensor parts = op("Maximum", {reduce("Min", scaled, false), in[3]});
        return std::vector{cast(op("AddV2", {scaled, in[1]}), DType::kFloat64), spread, parts, centred};
      };
      const auto one_by_one = body(arguments);
      for (const bool known : {true, false}) {
        const Shape open_left = Shape::of_rank(left.rank());
        const std::vector<Shape> late{open, {sizes.back()}, Shape::of_rank(column.rank()), open_left};
        auto f = traced_like(arguments, known ? shapes_of(arguments) : late, body);
        for (const fusion::FusedGroup& group : f->program().groups) by_rows += group.by_rows;
        for (int call = 0; call < 2; ++call) {
          with_machine_code(call > 0);
          const auto once = f->call(arguments);
          for (size_t k = 0; k < once.size(); ++k)
            QVERIFY2(same(once[k], one_by_one[k]), str(name_of(dtype), known, ", result ", k).c_str());
        }
        for (const fusion::FusedGroup& group : f->program().groups)
          if (group.is_static) QVERIFY2(stays_inside(group, random), str(name_of(dtype)).c_str());
      }
    }
    int64_t length = 1;
    for (const int64_t d : over) length *= whole[static_cast<int>(d)];
    QCOMPARE(by_rows > 0, length > 1 && length < 20000);
  }

  // Random loops as above, whose results are reduced.
  void random_graphs_with_reductions() {
    size_t reduced = 0;
    for (uint32_t seed = 0; seed < some_of(200u); ++seed) {
      std::mt19937 random(seed + 7);
      static const Shape kShapes[] = {{5, 7}, {4, 1, 6}, {2, 17000}, {0, 3}, {40000}, {1, 1}};
      const Shape whole = kShapes[seed % std::size(kShapes)];
      std::vector<Tensor> arguments;
      for (uint32_t i = 0; i < 5; ++i)
        arguments.push_back(random_tensor(random, kPlain[(seed + i / 3) % 12], whole));
      const Body body = [&](std::span<const Tensor> in) {
        std::vector<Tensor> results = program(seed, in);
        std::vector<int64_t> axes;
        for (int64_t d = 0; d < whole.rank(); ++d)
          if (seed % 4 == 0 || d == (seed % 4 == 1 ? 0 : whole.rank() - 1)) axes.push_back(d);
        const size_t made = results.size();
        for (size_t k = 0; k < made; ++k) {
          Tensor& r = results[k];
          if (is_complex(r.dtype()) || r.dtype() == DType::kBool) continue;
          const Tensor of = op("Neg", {r}), over = ops::ints(axes);
          r = apply(Op(seed % 3 ? "Max" : "Sum"), {of, over}, {{AttrName("keep_dims"), k != 0}});
          if (k) results.push_back(op("Square", {op("Sub", {of, op("Abs", {r})})}));
        }
        return results;
      };
      const std::optional<std::vector<Tensor>> one_by_one = if_it_is_for_them(body, arguments);
      if (!one_by_one) continue;
      auto f = traced_like(arguments, shapes_of(arguments), body);
      reduced += fused_reductions(*f);
      for (int call = 0; call < 2; ++call) {
        with_machine_code(call > 0);
        const auto once = f->call(arguments);
        for (size_t k = 0; k < once.size(); ++k)
          QVERIFY2(same(once[k], (*one_by_one)[k]), qPrintable(QString("program %1, result %2").arg(seed).arg(k)));
      }
      for (const fusion::FusedGroup& group : f->program().groups)
        if (group.is_static) QVERIFY2(stays_inside(group, random), qPrintable(QString("program %1").arg(seed)));
    }
    QVERIFY2(reduced > some_of(size_t{200}), qPrintable(QString::number(reduced)));
  }

  // In rows and at the end: each node in its order, with what it read and made.
  void each_node_has_its_event() {
    const auto kept = [](const char* name, const Tensor& of, int64_t axis) {
      return apply(Op(name), {of, ops::ints(std::vector<int64_t>{axis})}, {{AttrName("keep_dims"), true}});
    };
    std::mt19937 random(6);
    const std::vector<Tensor> x{random_tensor(random, DType::kFloat32, {40, 500})};
    for (const int64_t axis : {1, 0}) {
      auto f = traced_like(x, shapes_of(x), [&](std::span<const Tensor> in) {
        const Tensor scale = op("Exp", {kept("Max", op("Square", {in[0]}), axis)});
        return std::vector{op("Mul", {in[0], scale})};
      });
      f->call(x);
      OpRing& ring = thread_rings().ops();
      ring.drain([](const OpEvent*, uint32_t) {});
      recording_level = RecordingLevel::kOps;
      f->call(x);
      recording_level = RecordingLevel::kOff;
      std::vector<std::string> names;
      std::vector<int64_t> took;
      ring.drain([&](const OpEvent* first, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) {
          names.push_back(f->graph()->node(first[i].node()).name);
          took.push_back(first[i].end_ns - first[i].start_ns);
        }
      });
      QCOMPARE(names, (std::vector<std::string>{"Square", "Max", "Exp", "Mul"}));
      QCOMPARE(f->program().groups[0].steps.size(), axis ? size_t{5} : size_t{2});  // one that repeats along the rows
      if (axis) QVERIFY(took[2] < took[0]);  // an exponential for each row costs less than a square of each element
    }
  }
};

QTEST_APPLESS_MAIN(TestReduced)
#include "test_reduced.moc"
