// Devices from C++: names, messages of refusals, copies, where ops run, what the recorder sees. Against a
// fake device (fake_device.cpp), each refusal in a process of its own.
#include "engine/base/device_hooks.h"
#include "engine/eager/execute.h"
#include "engine/tensor/gpu.h"
#include "kernels/place.h"
#include "tests/base/thrown.h"
#include "tests/source_path.h"

#include <sys/wait.h>
#include <unistd.h>

#include <QTest>

#include <cstdlib>
#include <cstring>

using namespace footlight;

namespace {

Tensor floats(std::initializer_list<float> values, Shape shape) {
  Tensor t = Tensor::empty(DType::kFloat32, shape);
  std::copy(values.begin(), values.end(), t.data<float>());
  return t;
}

std::vector<float> values(const Tensor& t) {
  const Tensor host = gpu::on_host(t);
  return {host.data<float>(), host.data<float>() + host.elements()};
}

// What `body` writes to standard error in a new process.
template <class Body>
QString said_by(Body body) {
  int ends[2];
  if (pipe(ends)) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    body();
    fflush(stderr);
    _exit(0);
  }
  close(ends[1]);
  QByteArray said;
  char part[512];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, n);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? QString::fromUtf8(said) : QString("ended with %1: ").arg(status) + said;
}

const Device kGpu0 = Device::gpu(0);

}  // namespace

class TestDevice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Must be first, before this process asks for a device: child processes see what they set.
  void says_why_there_is_none_data() {
    QTest::addColumn<QByteArray>("part");
    QTest::addColumn<QByteArray>("refusal");
    QTest::addColumn<QString>("words");
    QTest::newRow("not built") << QByteArray("/no/such/libfootlight-cuda.so") << QByteArray()
                               << "this Footlight was built without its CUDA part";
    QTest::newRow("not a library") << test::source_path("tests/gpu/test_device.cpp").toLocal8Bit() << QByteArray()
                                   << "the CUDA part does not load: ";
    QTest::newRow("another library") << QByteArray("libm.so.6") << QByteArray()
                                     << "belongs to another version of Footlight";
    QTest::newRow("refused") << QByteArray(FAKE_DEVICE) << QByteArray("no CUDA driver is installed")
                             << "no CUDA driver is installed";
  }
  void says_why_there_is_none() {
    QFETCH(QByteArray, part);
    QFETCH(QByteArray, refusal);
    QFETCH(QString, words);
    const QString said = said_by([&] {
      setenv("FOOTLIGHT_CUDA_PART", part.constData(), 1);
      if (!refusal.isEmpty()) setenv("FAKE_DEVICE_REFUSES", refusal.constData(), 1);
      if (gpu::count() != 0 || !gpu::in_words().starts_with("none: ") || open_devices.load()) _exit(2);
      gpu::synchronize();
      std::fprintf(stderr, "[%s]", gpu::why_not().c_str());
      // A soft request warns once; an explicit one fails each time.
      for (int i = 0; i < 3; ++i)
        if (gpu::soft(kGpu0) != Device::cpu()) _exit(3);
      for (int i = 0; i < 2; ++i) try {
          gpu::copy_to(Tensor::scalar(1.0f), kGpu0);
          _exit(4);
        } catch (const Error& e) {
          if (e.kind() != ErrorKind::kInvalidArgument || !strstr(e.what(), "device:GPU:0 is not there")) _exit(5);
        }
    });
    QVERIFY2(said.contains(words), qPrintable(said));
    QCOMPARE(said.count("was asked for and is not there"), 1);
    QVERIFY2(said.contains("Footlight: /device:GPU:0 was asked for"), qPrintable(said));
  }

#ifdef REAL_PART
  // The real CUDA part on a machine without a device: it loads without a driver and explains itself.
  void the_real_part_needs_no_driver() {
    if (access("/dev/nvidiactl", F_OK) == 0 || access("/dev/nvidia0", F_OK) == 0) QSKIP("this machine has a driver");
    const QString said = said_by([] {
      setenv("FOOTLIGHT_CUDA_PART", REAL_PART, 1);
      std::fprintf(stderr, "%d %s", gpu::count(), gpu::why_not().c_str());
    });
    QCOMPARE(said, QString("0 no CUDA driver is installed (libcuda.so.1 was not found)"));
  }
#endif

  void finds_devices() {
    setenv("FOOTLIGHT_CUDA_PART", FAKE_DEVICE, 1);
    eager::init();
    QVERIFY(open_devices.load() == nullptr);
    QCOMPARE(gpu::count(), 2);
    QVERIFY(gpu::why_not().empty());
    QCOMPARE(QString::fromStdString(gpu::in_words()),
             "Fake GPU (compute capability 9.0, 0.2 GiB), Fake GPU (compute capability 9.1, 0.2 GiB)");
    QVERIFY(gpu::exists(Device::cpu()) && gpu::exists(Device::gpu(1)) && !gpu::exists(Device::gpu(2)));
    QCOMPARE(QString::fromStdString(open_devices.load()->names.at(1).name), "/gpu:1");
    QCOMPARE(QString::fromStdString(message_thrown([] { gpu::copy_to(Tensor::scalar(1.0f), Device::gpu(7)); })),
             "/job:localhost/replica:0/task:0/device:GPU:7 is not there: this machine has 2 GPUs, numbers 0 to 1");
  }

  void copies_there_and_back() {
    const Tensor host = floats({1, 2, 3, 4, 5, 6}, Shape{2, 3});
    const Tensor there = gpu::copy_to(host, kGpu0);
    QVERIFY(there.device() == kGpu0);
    QVERIFY(there.shape() == host.shape());
    QVERIFY(gpu::copy_to(there, kGpu0).body() == there.body());
    QVERIFY(values(there) == values(host));
    const Tensor other = gpu::copy_to(there, Device::gpu(1));
    QVERIFY(other.device() == Device::gpu(1));
    QVERIFY(values(other) == values(host));
    QVERIFY(gpu::copy_to(Tensor::empty(DType::kFloat32, Shape{0, 4}), kGpu0).elements() == 0);
    QVERIFY(memory_use(kGpu0).current >= 24);
    QVERIFY_THROWS_EXCEPTION(Error, gpu::copy_to(Tensor::string("no"), kGpu0));
  }

  void ops_run_where_their_inputs_are() {
    static const Op kAdd{"AddV2"}, kMatMul{"MatMul"}, kExp{"Exp"};
    const Tensor x = floats({1, 2, 3, 4}, Shape{2, 2});
    const Tensor there = gpu::copy_to(x, kGpu0);
    const Tensor sum = eager::binary(kAdd.row(), there, there);
    QVERIFY(sum.device() == kGpu0);
    QVERIFY(values(sum) == std::vector<float>({2, 4, 6, 8}));
    const Tensor mixed = eager::binary(kAdd.row(), Tensor::scalar(10.0f), there);
    QVERIFY(mixed.device() == kGpu0);
    QVERIFY(values(mixed) == std::vector<float>({11, 12, 13, 14}));
    const Tensor product = eager::execute1(kMatMul, {}, there, there);
    QVERIFY(product.device() == kGpu0);
    QVERIFY(values(product) == std::vector<float>({7, 10, 15, 22}));
    // No kernel on the device: runs on the host, with its result there.
    const Tensor power = eager::unary(kExp.row(), gpu::copy_to(Tensor::scalar(0.0f), kGpu0));
    QVERIFY(power.device() == Device::cpu());
    QVERIFY(values(power) == std::vector<float>({1}));
  }

  void runs_where_it_is_told() {
    static const Op kAdd{"AddV2"};
    const Tensor x = floats({1, 2}, Shape{2});
    this_thread.device = &kGpu0;
    const Tensor there = eager::binary(kAdd.row(), x, x);
    static const Device host = Device::cpu();
    this_thread.device = &host;
    const Tensor here = eager::binary(kAdd.row(), there, x);
    this_thread.device = nullptr;
    QVERIFY(there.device() == kGpu0);
    QVERIFY(here.device() == Device::cpu());
    QVERIFY(values(here) == std::vector<float>({3, 6}));
  }

  // Eager and traced ops share this decision.
  void places_follow_from_rows_and_inputs() {
    static const Op kAdd{"AddV2"}, kExp{"Exp"}, kReshape{"Reshape"}, kAssert{"Assert"};
    const Tensor here = floats({1, 2}, Shape{2}), there = gpu::copy_to(here, kGpu0);
    const std::vector<int64_t> two{2};
    const Tensor shape_there = gpu::copy_to(Tensor::vector<int64_t>(two), kGpu0);
    const auto on = [](const Op& op, std::initializer_list<Tensor> inputs, const Device* asked = nullptr) {
      const std::vector<Tensor> all(inputs);
      const Placement place = place_of(op.row(), all, dispatch_dtype(op.row(), all, {}), asked);
      return place.kernel ? place.device : Device::gpu(9);
    };
    static const Device host = Device::cpu();
    QVERIFY(on(kAdd, {here, here}) == Device::cpu());
    QVERIFY(on(kAdd, {here, there}) == kGpu0);
    QVERIFY(on(kAdd, {here, here}, &kGpu0) == kGpu0);
    QVERIFY(on(kAdd, {there, there}, &host) == Device::cpu());
    QVERIFY(on(kExp, {there}) == Device::cpu());             // no kernel on the device
    QVERIFY(on(kReshape, {there, shape_there}) == kGpu0);    // a view needs none
    QVERIFY(on(kReshape, {here, shape_there}) == Device::cpu());  // the shape is read on the host anyway
    QVERIFY(on(kAssert, {Tensor::scalar(true), there}, &kGpu0) == Device::cpu());
    std::vector<Tensor> moved;
    QVERIFY(move_inputs(kReshape.row(), std::vector<Tensor>{there, shape_there}, kGpu0, moved));
    QVERIFY(moved[0].device() == kGpu0 && moved[1].device() == Device::cpu());
  }

  // The recorder's hooks see one bracket per device op, with the id of the op event that follows; none for host ops.
  void brackets_device_work() {
    static std::vector<std::pair<uint64_t, uint64_t>> begun;
    static int ended;
    static const DeviceHooks hooks{[](uint64_t op, CallId call) {
                                     begun.push_back({op, call.value});
                                   },
                                   [](bool) { ++ended; }};
    begun.clear();
    ended = 0;
    static const Op kAdd{"AddV2"}, kExp{"Exp"};
    const Tensor x = floats({1, 2}, Shape{2});
    const Tensor there = gpu::copy_to(x, kGpu0);
    recording_level = RecordingLevel::kOps;
    recorder_hooks.device_work = &hooks;
    std::vector<uint64_t> ids;
    eager::binary(kAdd.row(), x, x);
    ids.push_back(thread_rings().next_op_event());
    eager::binary(kAdd.row(), there, x);
    this_thread.call = CallId(9);
    ids.push_back(thread_rings().next_op_event());
    eager::unary(kExp.row(), there);
    this_thread.call = {};
    gpu::on_host(there);  // belongs to no op
    recorder_hooks.device_work = nullptr;
    recording_level = RecordingLevel::kOff;
    QCOMPARE(begun.size(), size_t{2});
    QCOMPARE(ended, 2);
    QCOMPARE(begun[0].first, ids[0]);
    QCOMPARE(begun[0].second, CallId().value);
    QCOMPARE(begun[1].first, ids[1]);
    QCOMPARE(begun[1].second, uint64_t{9});
    std::vector<OpEvent> events;
    thread_rings().ops().drain([&](const OpEvent* e, uint32_t n) { events.insert(events.end(), e, e + n); });
    QCOMPARE(events.size(), size_t{3});
    QCOMPARE(int(events[1].device), 1);
    QCOMPARE(int(events[2].device), 0);
    QCOMPARE(ThreadRings::op_event_id(thread_rings().number(), events[1].sequence), ids[0]);
  }
};

QTEST_GUILESS_MAIN(TestDevice)
#include "test_device.moc"
