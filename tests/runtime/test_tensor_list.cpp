// Lists of tensors: each stays what it is whatever is made from it, in constant time, and the ops on them.
#include "engine/base/errors.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/list_value.h"
#include "engine/runtime/tensor_list.h"
#include "tests/base/thrown.h"
#include "tests/sanitizers/sanitized.h"

#include <QTest>

#include <array>
#include <thread>

using namespace footlight;

namespace {

const AttrName kDType("element_dtype"), kResize("resize_if_index_out_of_bounds"), kNum("num_elements");

Tensor real(float value) { return Tensor::scalar(value); }
Tensor whole(int32_t value) { return Tensor::scalar(value); }
Tensor ints(std::vector<int32_t> values) { return Tensor::vector(std::span<const int32_t>(values)); }
Tensor longs(std::vector<int64_t> values) { return Tensor::vector(std::span<const int64_t>(values)); }
Tensor reals(std::vector<float> values) { return Tensor::vector(std::span<const float>(values)); }
float value(const Tensor& t) { return *t.data<float>(); }

std::vector<Tensor> run(const char* op, std::vector<Tensor> inputs, Attrs attrs = {}) {
  const Op row(op);
  for (const AttrSpec& attr : row.row().attrs)
    if (attr.key == kDType && !attrs.find(kDType)) attrs.set(kDType, DType::kFloat32);
  return runtime::run_op(row.row(), inputs, attrs);
}
Tensor unknown() { return whole(-1); }
Tensor reserve(int32_t size) { return run("TensorListReserve", {unknown(), whole(size)})[0]; }
Tensor push(const Tensor& list, float v) { return run("TensorListPushBack", {list, real(v)})[0]; }
Tensor set(const Tensor& list, int32_t at, float v) {
  return run("TensorListSetItem", {list, whole(at), real(v)})[0];
}
float get(const Tensor& list, int32_t at) {
  return value(run("TensorListGetItem", {list, whole(at), unknown()})[0]);
}
std::vector<float> contents(const Tensor& list) {
  const Tensor all = run("TensorListStack", {list, ints({})})[0];
  return {all.data<float>(), all.data<float>() + all.elements()};
}
int32_t length(const Tensor& list) { return *run("TensorListLength", {list})[0].data<int32_t>(); }

}  // namespace

class TestTensorList : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    init_cpu_kernels();
    runtime::register_list_kernels();
  }

  // What autograph makes of a list that grows: the values with one more row. Counts how often they are copied.
  void appended_rows_are_copied_rarely() {
    const auto append = [](const Tensor& values, std::vector<float> more) {
      return run("ConcatV2", {values, reals(std::move(more)), whole(0)})[0];
    };
    Tensor values = reals({0, 1});
    Tensor early;
    int copies = 0;
    for (int i = 2; i < 20000; ++i) {
      Tensor next = append(values, {static_cast<float>(i)});
      copies += next.raw() != values.raw();
      if (i == 5000) early = next;  // kept, as a gradient would
      values = std::move(next);
    }
    QVERIFY2(copies < 64 + 16, qPrintable(QString::number(copies)));  // the small ones, then one per doubling
    QCOMPARE(values.elements(), int64_t{20000});
    for (int i = 0; i < 20000; ++i) QCOMPARE(values.data<float>()[i], static_cast<float>(i));

    // Two that go on from the same values, and one that takes nothing.
    const Tensor a = append(early, {-1, -2}), b = append(early, {-3}), same = append(early, {}), c = append(a, {-4});
    QCOMPARE(early.elements(), int64_t{5001});
    QCOMPARE(early.data<float>()[5000], 5000.f);
    QCOMPARE(values.data<float>()[5001], 5001.f);
    QCOMPARE(a.data<float>()[5001], -1.f);
    QCOMPARE(a.data<float>()[5002], -2.f);
    QCOMPARE(b.data<float>()[5001], -3.f);
    QCOMPARE(c.data<float>()[5002], -2.f);
    QCOMPARE(c.data<float>()[5003], -4.f);
    QCOMPARE(same.elements(), int64_t{5001});
  }

  void values_are_appended_to_by_many_threads() {
    std::vector<float> first(100);
    const Tensor shared = run("ConcatV2", {reals(first), reals(first), whole(0)})[0];
    std::vector<std::thread> threads;
    std::array<Tensor, 4> made;
    for (size_t t = 0; t < made.size(); ++t)
      threads.emplace_back([&, t] {
        const auto own = static_cast<float>(t + 1);
        made[t] = shared;
        for (int i = 0; i < 100; ++i) made[t] = run("ConcatV2", {made[t], reals({own}), whole(0)})[0];
      });
    for (std::thread& thread : threads) thread.join();
    for (size_t t = 0; t < made.size(); ++t)
      for (int i = 0; i < 100; ++i) QCOMPARE(made[t].data<float>()[200 + i], static_cast<float>(t + 1));
  }

  void pushed_and_popped() {
    const auto pop = [](const Tensor& list) { return run("TensorListPopBack", {list, unknown()}); };
    const Tensor none = run("EmptyTensorList", {unknown(), whole(-1)})[0];
    const Tensor one = push(none, 1), two = push(one, 2), other = push(one, 3);
    QCOMPARE(value(pop(two)[1]), 2.f);
    QCOMPARE(value(pop(other)[1]), 3.f);
    QCOMPARE(value(pop(pop(other)[0])[1]), 1.f);
    QVERIFY_THROWS_EXCEPTION(Error, pop(none));
    Tensor longer = none;
    for (int i = 0; i < 200000; ++i)
      longer = push(longer, static_cast<float>(i));  // destruction must not recurse
    QCOMPARE(value(pop(longer)[1]), 199999.f);
  }

  // A graph of a file may say anything.
  void elements_are_of_the_dtype_and_shape_of_the_list() {
    const Tensor pairs = run("EmptyTensorList", {ints({2}), whole(1)})[0];
    const auto said = [](const char* op, std::vector<Tensor> inputs, Attrs attrs = {}) {
      return QString::fromStdString(message_thrown([&] { run(op, std::move(inputs), std::move(attrs)); }));
    };
    const Attrs of_ints{{kDType, DType::kInt32}};
    QVERIFY(said("TensorListPushBack", {pairs, ints({1, 2})}, of_ints).contains("data types; op elements int32"));
    QVERIFY(said("TensorListPushBack", {pairs, reals({1})}).contains("incompatible shape"));
    const Tensor full = run("TensorListPushBack", {pairs, reals({1, 2})})[0];
    QVERIFY(said("TensorListPushBack", {full, reals({3, 4})}).contains("full list. list size: 1 max_num_elements: 1"));
    QVERIFY(said("TensorListPopBack", {full, unknown()}, of_ints).contains("list elements float32"));
    QVERIFY(said("TensorListPopBack", {full, ints({3})}).contains("asked for [3], it has [2]"));
    const Tensor whole_numbers = run("TensorListReserve", {unknown(), whole(1)}, of_ints)[0];
    QVERIFY(said("AddN", {full, whole_numbers}).contains("different dtypes"));
    const Tensor kept = run("TensorListPopBack", {full, ints({2})})[1];
    QCOMPARE(kept.data<float>()[1], 2.f);
  }

  void every_version_keeps_its_contents() {
    std::vector<Tensor> lists{reserve(4)};
    std::vector<std::vector<float>> wanted{{0, 0, 0, 0}};
    unsigned seed = 7;
    const auto next = [&](unsigned below) { return (seed = seed * 1103515245u + 12345u) / 65536u % below; };
    for (int step = 0; step < 400; ++step) {
      const size_t from = next(static_cast<unsigned>(lists.size()));
      std::vector<float> now = wanted[from];
      const float v = static_cast<float>(step);
      switch (now.empty() ? 0 : next(3)) {
        case 0:
          now.push_back(v);
          lists.push_back(push(lists[from], v));
          break;
        case 1: {
          const unsigned at = next(static_cast<unsigned>(now.size()));
          now[at] = v;
          lists.push_back(set(lists[from], static_cast<int32_t>(at), v));
          break;
        }
        default: {
          now.resize(next(static_cast<unsigned>(now.size()) + 3));
          lists.push_back(run("TensorListResize", {lists[from], whole(static_cast<int32_t>(now.size()))})[0]);
        }
      }
      wanted.push_back(now);
    }
    for (size_t i = 0; i < lists.size(); ++i) QVERIFY(contents(lists[i]) == wanted[i]);
    for (size_t i = lists.size(); i-- > 0;) QVERIFY(contents(lists[i]) == wanted[i]);
  }

  void many_versions_are_freed() {
    const Tensor first = set(set(reserve(2), 0, 1), 1, 1);
    Tensor latest = first;
    for (int i = 0; i < 200000; ++i) latest = set(latest, i % 2, static_cast<float>(i));
    QCOMPARE(get(latest, 1), 199999.f);
    QCOMPARE(get(first, 1), 1.f);  // found along 200,000 versions
    std::vector<Tensor> all{first};
    for (int i = 0; i < 200000; ++i) all.push_back(set(all.back(), 0, static_cast<float>(i)));
    const Tensor oldest = all[0];
    all.clear();
    QCOMPARE(get(oldest, 0), 1.f);
  }

  void threads_share_versions() {
    const Tensor base = set(set(set(reserve(3), 0, 1), 1, 2), 2, 3);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        Tensor own = base;
        for (int i = 0; i < footlight::test::some_of(2000); ++i) {
          own = set(own, t % 3, static_cast<float>(i));
          if (get(own, t % 3) != static_cast<float>(i) || get(base, 1) != 2.f)
            ++wrong[static_cast<size_t>(t)];
        }
      });
    for (std::thread& thread : threads) thread.join();
    QVERIFY(wrong == std::vector<int>(4, 0));
  }

  void elements_without_a_value_are_zeros() {
    const Tensor list = run("TensorListSetItem", {reserve(2), whole(1), reals({5, 6})})[0];
    const Tensor all = run("TensorListStack", {list, unknown()})[0];
    QVERIFY(all.shape() == (Shape{2, 2}));
    QCOMPARE(all.data<float>()[1], 0.f);
    QCOMPARE(all.data<float>()[3], 6.f);
    QVERIFY_THROWS_EXCEPTION(Error, run("TensorListStack", {reserve(2), unknown()}));
    QVERIFY_THROWS_EXCEPTION(Error, run("TensorListGetItem", {reserve(2), whole(0), unknown()}));
  }

  void rows_and_parts() {
    const Tensor tensor = reals({1, 2, 3, 4});
    const Tensor list = run("TensorListFromTensor", {tensor, unknown()})[0];
    QCOMPARE(length(list), 4);
    const Tensor some = run("TensorListGather", {list, ints({3, 0, 3}), unknown()})[0];
    QCOMPARE(some.data<float>()[2], 4.f);
    const Tensor spread = run("TensorListScatterV2", {reals({8, 9}), ints({2, 0}), ints({}), whole(4)})[0];
    QVERIFY((contents(spread) == std::vector<float>{9, 0, 8, 0}));
    const Tensor into = run("TensorListScatterIntoExistingList", {list, reals({7}), ints({5})})[0];
    QCOMPARE(length(into), 6);
    const Tensor parts = run("TensorListSplit", {tensor, unknown(), longs({1, 0, 3})})[0];
    QCOMPARE(length(parts), 3);
    const std::vector<Tensor> joined = run("TensorListConcatV2", {parts, unknown(), longs({})});
    QCOMPARE(joined[0].elements(), int64_t{4});
    QCOMPARE(joined[1].data<int64_t>()[2], int64_t{3});
    QVERIFY_THROWS_EXCEPTION(Error, run("TensorListSplit", {tensor, unknown(), longs({1, 2})}));
    QVERIFY_THROWS_EXCEPTION(Error, run("TensorListGather", {list, ints({4}), unknown()}));
    QVERIFY_THROWS_EXCEPTION(Error,
                             run("TensorListScatterV2", {tensor, ints({0, 9, 1, 2}), unknown(), whole(3)}));
    QVERIFY_THROWS_EXCEPTION(Error, run("TensorListStack", {list, unknown()}, {{kNum, int64_t{3}}}));
  }

  void indices_shapes_and_dtypes_are_checked() {
    QVERIFY_THROWS_EXCEPTION(Error, set(reserve(2), 2, 1));
    QVERIFY_THROWS_EXCEPTION(Error, set(reserve(2), -1, 1));
    const Tensor grown = run("TensorListSetItem", {reserve(2), whole(4), real(1)}, {{kResize, true}})[0];
    QCOMPARE(length(grown), 5);
    const Tensor pairs = run("TensorListReserve", {ints({2}), whole(1)})[0];
    QVERIFY_THROWS_EXCEPTION(Error, run("TensorListSetItem", {pairs, whole(0), reals({1, 2, 3})}));
    QVERIFY_THROWS_EXCEPTION(
        Error, run("TensorListSetItem", {pairs, whole(0), ints({1, 2})}, {{kDType, DType::kInt32}}));
    QVERIFY_THROWS_EXCEPTION(Error, reserve(-1));
  }

  void sums_and_zeros() {
    const Tensor a = run("TensorListFromTensor", {reals({1, 2}), unknown()})[0];
    const Tensor sum = run("AddN", {a, set(reserve(2), 1, 10), reserve(2)})[0];
    QVERIFY((contents(sum) == std::vector<float>{1, 12}));
    QVERIFY((contents(run("ZerosLike", {sum})[0]) == std::vector<float>{0, 0}));
    QVERIFY_THROWS_EXCEPTION(Error, run("AddN", {a, reserve(3)}));
  }
};

QTEST_APPLESS_MAIN(TestTensorList)
#include "test_tensor_list.moc"
