// Cursors with threads: order, failures, cancellation while they wait, and being dropped while they work.
#include "engine/base/errors.h"
#include "engine/data/function.h"
#include "engine/data/iterator.h"
#include "engine/data/stage_registry.h"
#include "engine/eager/execute.h"
#include "engine/graph/graph.h"
#include "tests/base/thrown.h"

#include <QTest>

#include <chrono>
#include <stdexcept>
#include <thread>

using namespace footlight;
using namespace footlight::data;

namespace {

// A function whose run finds an internal bug.
class Broken final : public ElementFunction {
 public:
  void run(std::span<const Tensor> inputs, std::span<Tensor>) override { FL_CHECK(inputs.empty()); }
  Tensor with_new_streams() override { return {}; }
};

// x -> 2x; fails for multiples of `fails_at`.
class Double final : public ElementFunction {
 public:
  explicit Double(int64_t fails_at, int sleep_us = 0) : fails_at_(fails_at), sleep_us_(sleep_us) {}
  void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const int64_t x = *inputs[0].data<int64_t>();
    if (sleep_us_) std::this_thread::sleep_for(std::chrono::microseconds(x % 7 * sleep_us_));
    if (fails_at_ && x && x % fails_at_ == 0) throw Error(ErrorKind::kInvalidArgument, "no");
    outputs[0] = Tensor::scalar(2 * x);
  }
  Tensor with_new_streams() override { return {}; }

 private:
  const int64_t fails_at_;
  const int sleep_us_;
};

const std::vector<DType> kTypes{DType::kInt64};
const std::vector<Shape> kShapes{Shape()};

Tensor op(const char* name, std::vector<Tensor> inputs, Attrs attrs = {}) {
  attrs.set(AttrName("output_types"), kTypes);
  attrs.set(AttrName("output_shapes"), kShapes);
  return eager::execute(*find_row(name), inputs, attrs)[0];
}
Tensor number(int64_t n) { return Tensor::scalar(n); }
Tensor range(int64_t n) { return op("RangeDataset", {number(0), number(n), number(1)}); }

Tensor mapped(const Tensor& input, int64_t threads, bool ordered, ElementFunction* function) {
  auto graph = std::make_shared<Graph>("double");
  graph->outputs.resize(1);
  Attrs attrs;
  attrs.set(AttrName("f"), graph);
  attrs.set(handed_in("f"), function_value(function));
  attrs.set(AttrName("Targuments"), std::vector<DType>());
  attrs.set(AttrName("deterministic"), std::string(ordered ? "true" : "false"));
  return op("ParallelMapDatasetV2", {input, number(threads)}, std::move(attrs));
}
Tensor prefetched(const Tensor& input, int64_t size) { return op("PrefetchDataset", {input, number(size)}); }

int64_t value(const Element& element) { return *element[0].data<int64_t>(); }

}  // namespace

class TestCursors : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    eager::init();
    data::init();
  }

  void order() {
    Iterator iterator;
    iterator.make(stage_of(prefetched(mapped(range(3000), 4, true, new Double(0, 3)), 2)));
    Element element;
    for (int64_t i = 0; i < 3000; ++i) {
      QVERIFY(iterator.next(element));
      QCOMPARE(value(element), 2 * i);
    }
    QVERIFY(!iterator.next(element));
    QVERIFY(!iterator.next(element));
  }

  void all_in_any_order() {
    Iterator iterator;
    iterator.make(stage_of(mapped(range(3000), 4, false, new Double(0, 3))));
    Element element;
    int64_t sum = 0, count = 0;
    for (; iterator.next(element); ++count) sum += value(element);
    QCOMPARE(count, int64_t{3000});
    QCOMPARE(sum, int64_t{3000 * 2999});
  }

  void failures_take_the_place_of_their_element() {
    Iterator iterator;
    iterator.make(stage_of(prefetched(mapped(range(50), 3, true, new Double(10)), 3)));
    Element element;
    int failures = 0;
    for (int64_t i = 0; i < 50; ++i) {
      try {
        QVERIFY(iterator.next(element));
        QCOMPARE(value(element), 2 * i);
      } catch (const Error& e) {
        QCOMPARE(e.kind(), ErrorKind::kInvalidArgument);
        QCOMPARE(i % 10, int64_t{0});
        ++failures;
      }
    }
    QCOMPARE(failures, 4);
    QVERIFY(!iterator.next(element));
  }

  // A check that fails in a thread of a pipeline is an exception where elements are taken; the pipeline goes on.
  void failed_checks() {
    Iterator iterator;
    iterator.make(stage_of(prefetched(mapped(range(20), 3, true, new Broken), 3)));
    Element element;
    for (int i = 0; i < 20; ++i) QVERIFY_THROWS_EXCEPTION(std::logic_error, iterator.next(element));
    QVERIFY(!iterator.next(element));
  }

  // Windows know what their elements consist of, also right above a source, which infers it from its tensors.
  void windows_of_a_source() {
    for (const char* source : {"TensorSliceDataset", "TensorDataset"}) {
      const Tensor numbers = Tensor::scalar(int64_t{7}).reshaped(Shape{1});
      Attrs attrs;
      attrs.set(AttrName("output_shapes"), kShapes);
      const Tensor dataset = eager::execute(*find_row(source), {{numbers}}, attrs)[0];
      Iterator windows, window;
      windows.make(stage_of(op("WindowDataset", {dataset, number(2), number(2), number(1), Tensor::scalar(false)})));
      Element element;
      QVERIFY(windows.next(element));
      QCOMPARE(element.size(), size_t{1});
      window.make(stage_of(element[0]));
      QVERIFY(window.next(element));
      QCOMPARE(value(element), int64_t{7});
    }
  }

  void dropped_while_threads_work() {
    for (int i = 0; i < 20; ++i) {
      Iterator iterator;
      iterator.make(stage_of(prefetched(mapped(prefetched(range(1 << 20), 4), 3, i % 2 == 0, new Double(0, 5)), 4)));
      Element element;
      for (int k = 0; k < i; ++k) QVERIFY(iterator.next(element));
    }
  }

  void cancelled_by_another_thread() {
    Iterator iterator;
    iterator.make(stage_of(prefetched(mapped(range(1 << 20), 2, true, new Double(0, 20)), 2)));
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      iterator.cancel();
    });
    Element element;
    const ErrorKind kind = kind_thrown([&] {
      while (iterator.next(element)) {
      }
    });
    other.join();
    QCOMPARE(kind, ErrorKind::kCancelled);
  }

  void threads_share_an_iterator() {
    Iterator iterator;
    iterator.make(stage_of(prefetched(range(2000), 3)));
    std::atomic<int64_t> sum{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        Element element;
        while (iterator.next(element)) sum += value(element);
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(sum.load(), int64_t{1000 * 1999});
  }

  void a_cache_serves_later_iterations() {
    Element element;
    const Tensor cached = op("CacheDatasetV2", {range(5), Tensor::string(""), Tensor::resource(new Resource)});
    for (int i = 0; i < 3; ++i) {
      Iterator iterator;
      iterator.make(stage_of(cached));
      for (int64_t k = 0; k < 5; ++k) {
        QVERIFY(iterator.next(element));
        QCOMPARE(value(element), k);
      }
      QVERIFY(!iterator.next(element));
    }
  }
};

QTEST_APPLESS_MAIN(TestCursors)
#include "test_cursors.moc"
