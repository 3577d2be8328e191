// The recorder of device activity against a fake libcupti: reading every version, linking work to its cause, the
// order of calls, the messages when recording is refused, and overload.
#include "engine/base/clock.h"
#include "engine/base/device_hooks.h"
#include "engine/base/device_pause.h"
#include "engine/record/cupti_recorder.h"
#include "tests/gpu/fake_cupti.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <map>
#include <optional>

using namespace footlight;

namespace {

struct Fake {
  explicit Fake(const char* path = FAKE_CUPTI) : handle(dlopen(path, RTLD_NOW)) {
    if (!handle) return;
    load(control, "fake_cupti");
    load(launch, "fake_launch");
    load(copy, "fake_copy");
    load(overhead, "fake_overhead");
    load(reset, "fake_reset");
  }
  template <class F>
  void load(F& f, const char* name) {
    f = reinterpret_cast<F>(dlsym(handle, name));
  }
  void* handle;
  decltype(&fake_cupti) control = nullptr;
  decltype(&fake_launch) launch = nullptr;
  decltype(&fake_copy) copy = nullptr;
  decltype(&fake_overhead) overhead = nullptr;
  decltype(&fake_reset) reset = nullptr;
};

struct Sink : cupti::DeviceSink {
  std::vector<session::DeviceRecord> all;
  std::map<std::string, uint64_t> drops;
  std::vector<std::string> notes;
  void records(std::vector<session::DeviceRecord> r) override {
    std::lock_guard lock(mutex);
    all.insert(all.end(), r.begin(), r.end());
  }
  void dropped(const std::string& why, uint64_t count) override {
    std::lock_guard lock(mutex);
    drops[why] += count;
  }
  void note(const std::string& words) override {
    std::lock_guard lock(mutex);
    notes.push_back(words);
  }
  std::vector<session::DeviceRecord> of(const std::string& kind) {
    std::lock_guard lock(mutex);
    std::vector<session::DeviceRecord> out;
    for (const auto& r : all)
      if (r.kind == kind) out.push_back(r);
    return out;
  }
  std::mutex mutex;
};

cupti::RecorderOptions options() {
  cupti::RecorderOptions o;
  o.driver = FAKE_CUDA;
  o.candidates = {FAKE_CUPTI};
  o.flush_ms = 5;
  o.buffer_bytes = 64 << 10;
  return o;
}

// Runs an op as the engine does: device work in a bracket, then its event.
template <class Body>
uint64_t run_op(Body body) {
  const uint64_t id = thread_rings().next_op_event();
  {
    DeviceWork work;
    body();
  }
  record_op(OpEvent{});
  return id;
}

}  // namespace

class TestCupti : public QObject {
  Q_OBJECT

  Fake fake_;
  std::optional<Sink> sink_;
  std::string words_;

  std::unique_ptr<cupti::Recorder> start(const cupti::RecorderOptions& with = options()) {
    return cupti::Recorder::start(*sink_, words_, with);
  }

 private Q_SLOTS:
  void init() {
    QVERIFY2(fake_.handle, dlerror());
    fake_.reset();
    sink_.emplace();
    words_.clear();
  }

  void reads_every_version_data() {
    QTest::addColumn<uint>("version");
    QTest::addColumn<int>("extra");
    QTest::newRow("12.0") << 19u << 0;
    QTest::newRow("12.8") << 26u << 0;
    QTest::newRow("13.0") << 130001u << 0;
    QTest::newRow("newer, longer records") << 130500u << 24;
  }
  void reads_every_version() {
    QFETCH(uint, version);
    QFETCH(int, extra);
    // A library is opened only once and keeps its version: so each version is a library of its own.
    QTemporaryDir folder;
    const std::string path = folder.filePath("libcupti.so").toStdString();
    QVERIFY(QFile::copy(FAKE_CUPTI, QString::fromStdString(path)));
    Fake fake(path.c_str());
    QVERIFY2(fake.handle, dlerror());
    fake.control()->version = version;
    fake.control()->extra_bytes = static_cast<size_t>(extra);
    auto o = options();
    o.candidates = {path};
    auto recorder = start(o);
    QVERIFY2(recorder, words_.c_str());
    QCOMPARE(recorder->version(), version);
    const auto now = static_cast<uint64_t>(now_ns());
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < 3; ++i)
      ids.push_back(run_op([&] {
        fake.launch("k", now + i, now + i + 10);
        fake.copy(2, 100 + i, now + i, now + i + 20);
        fake.overhead(now, now + 1);
      }));
    recorder->stop();
    for (const char* kind : {"kernel", "memcpy", "overhead"}) QCOMPARE(sink_->of(kind).size(), size_t{3});
    for (const char* kind : {"runtime", "driver"}) QCOMPARE(sink_->of(kind).size(), size_t{6});
    for (size_t i = 0; i < 3; ++i) {
      QCOMPARE(sink_->of("kernel")[i].op_event, ids[i]);
      QCOMPARE(sink_->of("kernel")[i].end_ns - sink_->of("kernel")[i].start_ns, int64_t{10});
      QCOMPARE(sink_->of("memcpy")[i].op_event, ids[i]);
      QCOMPARE(sink_->of("memcpy")[i].bytes, uint64_t{100} + i);
      QCOMPARE(QString::fromStdString(sink_->of("memcpy")[i].name), "copy device to host");
    }
    QVERIFY(sink_->drops.empty());
  }

  void refuses_versions_that_are_too_old() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("libcupti.so").toStdString();
    QVERIFY(QFile::copy(FAKE_CUPTI, QString::fromStdString(path)));
    Fake fake(path.c_str());
    fake.control()->version = 18;
    auto o = options();
    o.candidates = {path};
    QVERIFY(!start(o));
    QVERIFY2(QString::fromStdString(words_).contains("older than CUDA 12.0"), words_.c_str());
  }

  void names_the_op_and_the_call() {
    auto recorder = start();
    QVERIFY2(recorder, words_.c_str());
    QCOMPARE(QString::fromStdString(words_), "recorded with CUPTI 13.0.1");

    const auto now = static_cast<uint64_t>(now_ns());
    const uint64_t add = run_op([&] { fake_.launch("_Z3addPfS_S_", now, now + 500); });
    this_thread.call = CallId(42);
    const uint64_t copy = run_op([&] {
      fake_.copy(1, 4096, now + 1000, now + 1500);
      fake_.launch("matmul_kernel", now + 2000, now + 9000);
    });
    this_thread.call = {};
    fake_.launch("orphan", now + 10000, now + 10100);
    recorder->stop();

    const auto kernels = sink_->of("kernel");
    QCOMPARE(kernels.size(), size_t{3});
    QCOMPARE(QString::fromStdString(kernels[0].name), "add(float*, float*, float*)");
    QCOMPARE(kernels[0].op_event, add);
    QVERIFY(!kernels[0].call.valid());
    QCOMPARE(kernels[0].start_ns, int64_t(now));
    QCOMPARE(kernels[0].end_ns, int64_t(now + 500));
    QCOMPARE(kernels[0].stream, 7u);
    QCOMPARE(QString::fromStdString(kernels[1].name), "matmul_kernel");
    QCOMPARE(kernels[1].op_event, copy);
    QCOMPARE(kernels[1].call.value, uint64_t{42});
    QCOMPARE(kernels[2].op_event, uint64_t{0});
    const auto copies = sink_->of("memcpy");
    QCOMPARE(copies.size(), size_t{1});
    QCOMPARE(QString::fromStdString(copies[0].name), "copy host to device");
    QCOMPARE(copies[0].bytes, uint64_t{4096});
    QCOMPARE(copies[0].op_event, copy);
    QVERIFY(add != copy);

    const auto runtime = sink_->of("runtime"), driver = sink_->of("driver");
    QCOMPARE(runtime.size(), size_t{4});
    QCOMPARE(driver.size(), size_t{4});
    QCOMPARE(QString::fromStdString(runtime[0].name), "cudaLaunchKernel");
    QCOMPARE(QString::fromStdString(driver[1].name), "cuMemcpyHtoDAsync");
    QCOMPARE(runtime[0].op_event, add);
    QCOMPARE(runtime[0].thread, 77u);
    QCOMPARE(runtime[0].correlation, kernels[0].correlation);
    FakeCupti& fake = *fake_.control();
    QCOMPARE(fake.pushed.load(), 3);  // two brackets, one of them in a call
    QCOMPARE(fake.popped.load(), 3);
    QVERIFY(sink_->drops.empty());
    QVERIFY(sink_->notes.empty());
  }

  void keeps_the_order_of_calls() {
    static std::atomic<int> synchronized_at_flushes;
    auto o = options();
    o.flush_ms = 60000;
    o.synchronize = [] { synchronized_at_flushes = 1; };
    auto recorder = start(o);
    QVERIFY(recorder);
    recorder->stop();
    const QString order = fake_.control()->order;
    const QStringList calls = order.split(' ', Qt::SkipEmptyParts);
    QCOMPARE(calls.mid(0, 5), QStringList({"subscribe", "thread_id", "attribute", "callbacks", "enable39"}));
    QVERIFY(calls.contains("enable10"));
    QVERIFY(!calls.contains("enable3"));  // would serialise kernels
    QVERIFY(calls.contains("dump9"));
    QVERIFY(calls.indexOf("flush_forced") > calls.indexOf("enable4"));
    QVERIFY(calls.indexOf("disable") > calls.indexOf("flush_forced"));
    QCOMPARE(calls.last(), QString("unsubscribe"));
    QCOMPARE(synchronized_at_flushes.load(), 1);
    QVERIFY(fake_.control()->muted > 20);
    QVERIFY(recorder_hooks.device_work.load() == nullptr);
    recorder->stop();  // no further calls
    QCOMPARE(QString(fake_.control()->order), order);
  }

  // The fake ends the process if it is asked for its version without a driver, as CUPTI 13.2 does: it must not even be
  // opened.
  void without_a_driver_cupti_stays_closed_data() {
    QTest::addColumn<QString>("driver");
    QTest::addColumn<QByteArray>("init");
    QTest::addColumn<QByteArray>("devices");
    QTest::addColumn<QString>("words");
    QTest::newRow("none") << "libno-such-cuda.so" << QByteArray("0") << QByteArray("1")
                          << "no CUDA driver is installed (libno-such-cuda.so was not found)";
    QTest::newRow("another library") << "libm.so.6" << QByteArray("0") << QByteArray("1")
                                     << "libm.so.6 is not a CUDA driver";
    QTest::newRow("stub") << FAKE_CUDA << QByteArray("34") << QByteArray("1") << "stub";
    QTest::newRow("does not start") << FAKE_CUDA << QByteArray("802") << QByteArray("1")
                                    << "the CUDA driver could not be started (CUDA error 802)";
    QTest::newRow("no device") << FAKE_CUDA << QByteArray("100") << QByteArray("0")
                               << "the CUDA driver finds no device";
    QTest::newRow("none counted") << FAKE_CUDA << QByteArray("0") << QByteArray("0")
                                  << "the CUDA driver finds no device";
  }
  void without_a_driver_cupti_stays_closed() {
    QFETCH(QString, driver);
    QFETCH(QByteArray, init);
    QFETCH(QByteArray, devices);
    QFETCH(QString, words);
    qunsetenv("FAKE_CUDA_STARTED");
    qunsetenv("CUDA_VISIBLE_DEVICES");
    qputenv("FAKE_CUDA_INIT", init);
    qputenv("FAKE_CUDA_DEVICES", devices);
    QTemporaryDir folder;
    const QString path = folder.filePath("libcupti.so");
    QVERIFY(QFile::copy(FAKE_CUPTI, path));
    auto o = options();
    o.driver = driver.toStdString();
    o.candidates = {path.toStdString()};
    QVERIFY(!start(o));
    QVERIFY2(QString::fromStdString(words_).contains(words), words_.c_str());
    QVERIFY(!dlopen(o.candidates[0].c_str(), RTLD_NOW | RTLD_NOLOAD));
    for (const char* name : {"FAKE_CUDA_INIT", "FAKE_CUDA_DEVICES"}) qunsetenv(name);
  }

  void says_why_it_is_refused_data() {
    QTest::addColumn<int>("result");
    QTest::addColumn<QString>("words");
    QTest::newRow("999") << 999 << "no CUDA driver";
    QTest::newRow("35") << 35 << "NVreg_RestrictProfilingToAdminUsers=0";
    QTest::newRow("40") << 40 << "NVreg_RestrictProfilingToAdminUsers=0";
    QTest::newRow("39") << 39 << "CUPTI for Nsight Systems";
    QTest::newRow("15") << 15 << "too old";
    QTest::newRow("27") << 27 << "error 27";
  }
  void says_why_it_is_refused() {
    QFETCH(int, result);
    QFETCH(QString, words);
    FakeCupti& fake = *fake_.control();
    fake.subscribe_result = result;
    qstrcpy(fake.other_subscriber, "CUPTI for Nsight Systems");
    QVERIFY(!start());
    QVERIFY2(QString::fromStdString(words_).contains(words), words_.c_str());
    // Only the probe was called, and ops run without brackets.
    QCOMPARE(QString(fake.order), QString("subscribe "));
    QVERIFY(recorder_hooks.device_work.load() == nullptr);
  }

  void says_what_library_is_missing() {
    auto o = options();
    o.candidates = {"libno-such-cupti.so"};
    QVERIFY(!start(o));
    QVERIFY2(QString::fromStdString(words_).contains("libno-such-cupti.so"), words_.c_str());
    o.candidates = {"libno-such-cupti.so", "libm.so.6"};
    QVERIFY(!start(o));
    QVERIFY2(QString::fromStdString(words_).contains("cuptiGetVersion"), words_.c_str());
    o.candidates = {};
    QVERIFY(!start(o));
    QVERIFY2(QString::fromStdString(words_).contains("FOOTLIGHT_CUPTI"), words_.c_str());
  }

  void goes_back_when_a_kind_is_refused() {
    fake_.control()->refuse_kind = 10;
    QVERIFY(!start());
    QVERIFY2(QString::fromStdString(words_).contains("error 21"), words_.c_str());
    QVERIFY(QString(fake_.control()->order).endsWith("unsubscribe "));
    fake_.reset();
    fake_.control()->refuse_kind = 17;  // only overhead records: recorded without them
    auto recorder = start();
    QVERIFY2(recorder, words_.c_str());
    recorder->stop();
  }

  void one_at_a_time_and_again() {
    Sink second;
    auto recorder = start();
    QVERIFY(recorder);
    QVERIFY(!cupti::Recorder::start(second, words_, options()));
    QVERIFY(QString::fromStdString(words_).contains("already"));
    recorder.reset();  // stops
    recorder = cupti::Recorder::start(second, words_, options());
    QVERIFY(recorder);
    const auto now = static_cast<uint64_t>(now_ns());
    const uint64_t id = run_op([&] { fake_.launch("k", now, now + 5); });
    recorder->stop();
    QVERIFY(sink_->all.empty());
    QCOMPARE(second.of("kernel").size(), size_t{1});
    QCOMPARE(second.of("kernel")[0].op_event, id);
  }

  void waits_for_causes_that_come_late() {
    fake_.control()->kernel_first = true;
    auto recorder = start();
    QVERIFY(recorder);
    const auto now = static_cast<uint64_t>(now_ns());
    const uint64_t id = run_op([&] { fake_.launch("late", now, now + 5); });
    QTRY_COMPARE(sink_->of("kernel").size(), size_t{1});  // while still recording
    QCOMPARE(sink_->of("kernel")[0].op_event, id);
    recorder->stop();
  }

  // A comparison is written after the work of its repetitions, for who reads the log while it grows.
  void delivers_when_asked() {
    cupti::RecorderOptions slow = options();
    slow.flush_ms = 3'600'000;
    auto recorder = start(slow);
    QVERIFY(recorder);
    const auto now = static_cast<uint64_t>(now_ns());
    run_op([&] { fake_.launch("asked_for", now, now + 5); });
    QVERIFY(sink_->of("kernel").empty());
    recorder_hooks.deliver_devices.load()();
    QCOMPARE(sink_->of("kernel").size(), size_t{1});
    fake_.launch("no cause", now + 10, now + 15);  // held back for some flushes
    recorder_hooks.deliver_devices.load()();
    QCOMPARE(sink_->of("kernel").size(), size_t{2});
    recorder->stop();
    QVERIFY(!recorder_hooks.deliver_devices.load());
  }

  void overload_is_dropped_and_counted() {
    auto o = options();
    o.flush_ms = 60000;
    o.buffer_bytes = 4096;
    o.most_buffers = 4;
    auto recorder = start(o);
    QVERIFY(recorder);
    const auto now = static_cast<uint64_t>(now_ns());
    constexpr int kLaunches = 500;
    for (int i = 0; i < kLaunches; ++i) run_op([&] { fake_.launch("k", now, now + 5); });
    recorder->stop();
    const uint64_t dropped = sink_->drops["CUPTI's buffers were full"];
    QVERIFY(dropped > 0);
    // Per launch: one external correlation, two API records, one kernel. Nothing is lost without being counted.
    QVERIFY(sink_->all.size() < size_t{kLaunches} * 3);
    QVERIFY(sink_->all.size() + dropped >= size_t{kLaunches} * 3);
    QVERIFY(sink_->all.size() + dropped <= size_t{kLaunches} * 4);
  }

  void counts_what_it_cannot_read() {
    auto o = options();
    o.flush_ms = 60000;
    auto recorder = start(o);
    QVERIFY(recorder);
    const auto now = static_cast<uint64_t>(now_ns());
    fake_.control()->cut_last_record = true;
    fake_.launch("a", now, now + 5);
    fake_.launch("b", now, now + 5);
    recorder->stop();
    QCOMPARE(sink_->of("kernel").size(), size_t{1});
    QCOMPARE(sink_->drops["CUPTI's record could not be read"], uint64_t{2});  // one at the end of each buffer
  }

  void work_without_times_is_counted() {
    fake_.control()->untimed = true;
    auto recorder = start();
    QVERIFY(recorder);
    fake_.launch("a", 100000, 200000);
    recorder->stop();
    QVERIFY(sink_->of("kernel").empty());
    QCOMPARE(sink_->drops["CUPTI gave no times"], uint64_t{1});
  }

  void follows_another_clock() {
    constexpr int64_t kOff = 3'600'000'000'000;
    fake_.control()->clock_offset = kOff;
    auto recorder = start();
    QVERIFY(recorder);
    const int64_t now = now_ns();
    fake_.launch("k", static_cast<uint64_t>(now + kOff), static_cast<uint64_t>(now + kOff + 50));
    recorder->stop();
    QCOMPARE(sink_->of("kernel").size(), size_t{1});
    QVERIFY(std::llabs(sink_->of("kernel")[0].start_ns - now) < 1'000'000'000);
    QCOMPARE(sink_->notes.size(), size_t{1});
    QVERIFY(QString::fromStdString(sink_->notes[0]).contains("clock"));
  }

  void overhead_is_freed() {
    auto recorder = start();
    QVERIFY(recorder);
    fake_.overhead(5000, 6000);
    recorder->stop();
    QCOMPARE(sink_->of("overhead").size(), size_t{1});
    QCOMPARE(QString::fromStdString(sink_->of("overhead")[0].name), "command buffer full");
    QCOMPARE(fake_.control()->overheads_allocated, size_t{1});  // freed, or the leak checker reports it
  }

  // A lock held while flushing would hang here: the flush calls back into code that records ops.
  void flush_may_call_back() {
    fake_.control()->on_flush = [] {
      DeviceWork work;
      record_op(OpEvent{});
    };
    auto recorder = start();
    QVERIFY(recorder);
    run_op([&] { fake_.launch("k", 1000, 2000); });
    QTRY_COMPARE(sink_->of("kernel").size(), size_t{1});
    recorder->stop();
  }

  void a_forked_child_lets_go() {
    auto recorder = start();
    QVERIFY(recorder);
    const pid_t child = fork();
    if (child == 0) {
      const bool hooks_gone = recorder_hooks.device_work.load() == nullptr;
      recorder.reset();
      _exit(hooks_gone ? 0 : 1);
    }
    int status = -1;
    QCOMPARE(waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
    run_op([&] { fake_.launch("k", 1000, 2000); });
    recorder->stop();
    QCOMPARE(sink_->of("kernel").size(), size_t{1});
  }

  void pool_reuses_and_refuses() {
    cupti::BufferPool pool(4096, 2);
    QCOMPARE(pool.allocated(), size_t{0});
    uint8_t* a = pool.request();
    uint8_t* b = pool.request();
    QVERIFY(a && b && a != b);
    QVERIFY(!pool.request());
    QCOMPARE(pool.refused(), uint64_t{1});
    a[100] = 7;
    pool.complete(a, 200);
    pool.complete(b, 0);
    const auto full = pool.take();
    QCOMPARE(full.data, a);
    QCOMPARE(full.valid, size_t{200});
    pool.recycle(a);
    QCOMPARE(pool.request(), a);
    QCOMPARE(int(a[100]), 0);
    QCOMPARE(pool.take().data, b);
    pool.recycle(b);
    QVERIFY(!pool.take().data);
    pool.complete(a, 0);
    QCOMPARE(pool.allocated(), size_t{2});
  }
};

QTEST_GUILESS_MAIN(TestCupti)
#include "test_cupti.moc"
