// Tensors: where their elements live, who owns them, and the allocator behind them.
#include "engine/tensor/borrowed.h"
#include "engine/tensor/free_list.h"
#include "engine/tensor/size.h"
#include "engine/tensor/variable.h"
#include "tests/base/thrown.h"

#include <QTest>

#include <atomic>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

using namespace footlight;

namespace {

struct Counted : Resource {
  explicit Counted(int& c) : count(c) { ++count; }
  ~Counted() override { --count; }
  int& count;
};

}  // namespace

class TestTensor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scalars_live_in_their_body() {
    const Tensor t = Tensor::scalar(2.5f);
    QCOMPARE(t.dtype(), DType::kFloat32);
    QCOMPARE(*t.data<float>(), 2.5f);
    QVERIFY(!t.body()->buffer);
    QCOMPARE(t.raw(), static_cast<void*>(t.body()->inline_data));
    QVERIFY(!Tensor::empty(DType::kFloat64, {2}).body()->buffer);
    QVERIFY(Tensor::empty(DType::kFloat64, {3}).body()->buffer);
  }

  void large_ones_are_aligned() {
    for (int64_t n : {3, 100, 5000, 100000}) {
      const Tensor t = Tensor::empty(DType::kFloat64, {n});
      QCOMPARE(reinterpret_cast<uintptr_t>(t.raw()) % 64, uintptr_t{0});
      std::fill(t.data<double>(), t.data<double>() + n, 1.0);
    }
  }

  void copies_are_handles() {
    Tensor a = Tensor::scalar(1);
    QVERIFY(a.exclusive());
    const Tensor b = a;
    QVERIFY(!a.exclusive());
    QCOMPARE(a.id(), b.id());
    *a.data<int>() = 5;
    QCOMPARE(*b.data<int>(), 5);
  }

  void other_shapes_share_memory() {
    const Tensor a = Tensor::empty(DType::kInt32, {2, 6});
    const Tensor b = a.reshaped({3, 4});
    QCOMPARE(a.raw(), b.raw());
    QVERIFY(a.id() != b.id());
    QVERIFY(!a.exclusive() && !b.exclusive());
    const Tensor small = Tensor::scalar(7).reshaped({1, 1});
    QCOMPARE(*small.data<int>(), 7);
  }

  void texts() {
    const Tensor t = Tensor::string(std::string(1000, 'x'));
    QCOMPARE(t.data<std::string>()->size(), size_t{1000});
    const Tensor many = Tensor::empty(DType::kString, {2, 2});
    for (int i = 0; i < 4; ++i) QVERIFY(many.data<std::string>()[i].empty());
    many.data<std::string>()[3] = "last";
    QCOMPARE(many.reshaped({4}).data<std::string>()[3], std::string("last"));
  }

  void resources_live_as_long_as_their_handles() {
    int alive = 0;
    {
      const Tensor a = Tensor::resource(new Counted(alive));
      const Tensor b = a.alias();
      QCOMPARE(a.resource_object(), b.resource_object());
      QCOMPARE(a.tape_id(), b.tape_id());
      QVERIFY(a.id() != b.id());
      const Tensor list = Tensor::empty(DType::kResource, {3});
      list.data<Resource*>()[1] = a.resource_object();
      a.resource_object()->ref();
      QCOMPARE(alive, 1);
    }
    QCOMPARE(alive, 0);
    Counted* seen = new Counted(alive);
    {
      const Tensor held = Tensor::resource(seen);
      const Tensor symbolic = Tensor::symbolic(DType::kResource, Shape(), nullptr, nullptr, NodeId(3), 1);
      QVERIFY(!symbolic.resource_object());
      symbolic.stands_for(seen);
      QCOMPARE(symbolic.tape_id(), held.tape_id());
    }
    QCOMPARE(alive, 0);
  }

  void borrowed_memory_is_given_back_once() {
    int released = 0;
    float data[4] = {1, 2, 3, 4};
    {
      const Tensor t = Tensor::borrow(DType::kFloat32, {4}, data, [](void* c) { ++*static_cast<int*>(c); }, &released);
      const Tensor view = t.reshaped({2, 2});
      QCOMPARE(view.raw(), static_cast<void*>(data));
    }
    QCOMPARE(released, 1);
  }

  void borrowed_memory_is_never_written() {
    float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    Tensor t = Tensor::borrow(DType::kFloat32, {8}, data, nullptr, nullptr);
    QVERIFY(!t.exclusive());
    QVERIFY(is_borrowed(t) && is_borrowed(t.reshaped({2, 4})) && !is_borrowed(Tensor::empty(DType::kFloat32, {8})));
    Variable v(DType::kFloat32, {8});
    v.assign(t);
    QVERIFY(v.read().raw() != static_cast<void*>(data));
    data[0] = 100;
    QCOMPARE(v.read().data<float>()[0], 1.f);
  }

  void sizes_that_do_not_fit() {
    const int64_t large = int64_t{1} << 40;
    for (const Shape& s : {Shape{large, large}, Shape{large, 0, large}, Shape{0, large, large}, Shape{-2}})
      QCOMPARE(kind_thrown([&] { Tensor::empty(DType::kFloat32, s); }), ErrorKind::kInvalidArgument);
    QCOMPARE(Tensor::empty(DType::kFloat32, {0, int64_t{1} << 62}).bytes(), size_t{0});
    QCOMPARE(kind_thrown([&] { check_memory(DType::kUInt8, {large * 1024}); }), ErrorKind::kResourceExhausted);
    QCOMPARE(kind_thrown([] { unknown_dimensions(kMaxDimensions + 1); }), ErrorKind::kInvalidArgument);
    QCOMPARE(kind_thrown([] { add_sizes(INT64_MAX, 1); }), ErrorKind::kInvalidArgument);
    QCOMPARE(kind_thrown([&] { multiply_sizes(large, large); }), ErrorKind::kInvalidArgument);
    QCOMPARE(add_sizes(kUnknownDim, INT64_MAX), kUnknownDim);
    QCOMPARE(multiply_sizes(large, kUnknownDim), kUnknownDim);
    QCOMPARE(steps_over(INT64_MAX, 2), int64_t{1} << 62);
    QCOMPARE(steps_over(0, INT64_MAX), int64_t{0});
  }

  void ids_are_never_given_twice() {
    std::vector<uint64_t> ids[3];
    std::vector<std::thread> threads;
    for (auto& list : ids)
      threads.emplace_back([&list] {
        for (int i = 0; i < 100000; ++i) list.push_back(Tensor::scalar(i).id());
      });
    for (std::thread& t : threads) t.join();
    std::set<uint64_t> all;
    for (auto& list : ids) all.insert(list.begin(), list.end());
    QCOMPARE(all.size(), size_t{300000});
  }

  void memory_comes_back() {
    const size_t before = memory_use(Device::cpu()).current;
    void* first;
    {
      const Tensor t = Tensor::empty(DType::kFloat32, {100});
      first = t.raw();
      QVERIFY(memory_use(Device::cpu()).current >= before + 400);
    }
    QCOMPARE(memory_use(Device::cpu()).current, before);
    if (FL_CACHE_MEMORY) QCOMPARE(Tensor::empty(DType::kFloat32, {100}).raw(), first);
    {
      const Tensor t = Tensor::empty(DType::kFloat32, {1 << 20});
      first = t.raw();
      QVERIFY(memory_use(Device::cpu()).peak >= before + (4u << 20));
    }
    QCOMPARE(memory_use(Device::cpu()).current, before);
    if (FL_CACHE_MEMORY) QCOMPARE(Tensor::empty(DType::kFloat32, {1 << 20}).raw(), first);
  }

  void made_here_and_freed_elsewhere() {
    for (int round = 0; round < 50; ++round) {
      std::vector<Tensor> tensors;
      for (int i = 0; i < 200; ++i) tensors.push_back(Tensor::empty(DType::kFloat32, {i + 1}));
      std::thread other([moved = std::move(tensors)]() mutable { moved.clear(); });
      other.join();
    }
  }

  // Threads publish in steps what they use: one that released may come before the one that allocated.
  void memory_is_never_less_than_nothing() {
    const size_t before = memory_use(Device::cpu()).current;
    std::vector<Tensor> tensors;
    for (int i = 0; i < 1000; ++i) tensors.push_back(Tensor::empty(DType::kFloat32, {100}));
    std::atomic<bool> made = false, looked = false;
    std::thread other([&] {  // 3 kB, which it does not publish yet
      Tensor mine = Tensor::empty(DType::kFloat32, {700});
      tensors.push_back(std::move(mine));
      made = true;
      while (!looked) std::this_thread::yield();
    });
    while (!made) std::this_thread::yield();
    tensors.clear();
    const size_t now = memory_use(Device::cpu()).current;
    looked = true;
    other.join();
    QVERIFY2(now <= before, std::to_string(now).c_str());
    QCOMPARE(memory_use(Device::cpu()).current, before);
  }

  void too_large_is_an_error() {
    // More elements than can be counted, and more bytes than exist.
    for (const auto& [shape, kind, words] :
         {std::tuple(Shape{int64_t{1} << 40, int64_t{1} << 40}, ErrorKind::kInvalidArgument, "2**63 - 1 elements"),
          std::tuple(Shape{int64_t{1} << 61}, ErrorKind::kResourceExhausted, "shape (")}) {
      std::string message;
      QCOMPARE(kind_thrown([&] { Tensor::empty(DType::kFloat64, shape); }, &message), kind);
      QVERIFY(says(message, words));
    }
  }

  void python_numbers() {
    const Tensor t = Tensor::scalar(1).as_constant();
    QVERIFY(t.body()->python_number);
    const Tensor a = Tensor::scalar(2);
    const Tensor keeper = a;
    QVERIFY(a.as_constant().body()->python_number);
    QVERIFY(!a.body()->python_number);
  }

  void variables() {
    auto* v = new Variable(DType::kFloat32, {kUnknownDim}, "v");
    const Tensor handle = Tensor::resource(v);
    QCOMPARE(variable_of(handle), v);
    QVERIFY(!v->initialized());
    QCOMPARE(kind_thrown([&] { v->read(); }), ErrorKind::kFailedPrecondition);
    v->assign(Tensor::empty(DType::kFloat32, {3}));
    QCOMPARE(v->read().shape().to_string(), std::string("(3,)"));
    v->assign(Tensor::empty(DType::kFloat32, {4}));
    QCOMPARE(kind_thrown([&] { v->assign(Tensor::scalar(1.f)); }), ErrorKind::kValue);
    QCOMPARE(kind_thrown([&] { v->assign(Tensor::empty(DType::kInt32, {3})); }), ErrorKind::kInvalidArgument);
    QVERIFY(v->read().id() != v->read().id());
  }
};

QTEST_GUILESS_MAIN(TestTensor)
#include "test_tensor.moc"
