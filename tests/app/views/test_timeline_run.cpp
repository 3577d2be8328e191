// The timeline of real programs: what their tensors held against what they say themselves, and a simulated device.
#include "tests/app/window_case.h"

#include "app/models/text.h"
#include "app/models/timeline.h"

#include "engine/query/store.h"
#include "engine/session/reader.h"

#include <QAccessible>
#include <QLabel>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <map>

using namespace footlight;
using namespace footlight::app;

class TimelineRunTest : public WindowCase {
  Q_OBJECT

  TimelineCanvas* canvas() { return window().timeline()->canvas(); }

  // Runs a script under the recorder, and opens its session in the Timeline; what it printed.
  QString run(const char* name, const QByteArray& script, const QMap<QString, QString>& variables = {}) {
    const QString program = at(name), session = program + QStringLiteral(".footlight");
    write(program, script);
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (auto v = variables.begin(); v != variables.end(); ++v) environment.insert(v.key(), v.value());
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/footlight"),
                  {QStringLiteral("record"), QStringLiteral("-o"), session, program});
    if (!process.waitForFinished(60000) || process.exitCode() != 0) {
      qWarning("%s", process.readAllStandardError().constData());
      return {};
    }
    window().session().open(session);
    go_to_view("timeline");
    window().settle();
    canvas()->setFocus();
    return QString::fromUtf8(process.readAllStandardOutput());
  }
  QString tip_at(size_t area, int64_t time) {
    const QRectF place = canvas()->area_rect(area);
    return canvas()->area_tip(QPointF(canvas()->x_of(time), place.center().y()));
  }

 private Q_SLOTS:
  // A program that waits, busily and in known places: each wait is in the part of the range that it belongs to.
  void known_waits_are_in_their_parts() {
    const QString printed = run("padded.py", R"(
import time
import footlight as tf
def spin(ms):
    until = time.perf_counter_ns() + ms * 1_000_000
    while time.perf_counter_ns() < until:
        pass
def wait(v):
    spin(30)
    return v
def elements():
    while True:
        spin(30)
        yield 1.0
@tf.function
def in_py_function(x):
    return tf.numpy_function(wait, [x], tf.float32)
@tf.function
def in_op(x):
    return tf.matmul(x, x)
@tf.function
def slow_trace(x):
    spin(30)
    return x + 1.0
@tf.function
def walk(x):
    for i in range(20):
        x = x * 1.5 + 0.25
    return x
x, large, row = tf.ones([]), tf.ones([800, 800]), tf.ones([4096])
iterator = iter(tf.data.Dataset.from_generator(elements, output_signature=tf.TensorSpec([], tf.float32)))
next(iterator), in_py_function(x), in_op(large)
def timed(name, do):
    start = time.time_ns()
    do()
    print(name, start, time.time_ns())
timed('python', lambda: spin(30))
timed('py_function', lambda: in_py_function(x))
timed('op', lambda: in_op(large))
timed('input', lambda: next(iterator))
timed('tracing', lambda: slow_trace(x))
ahead = tf.data.Dataset.range(9).map(lambda v: tf.numpy_function(wait, [v], tf.int64)).prefetch(1)
ahead = iter(ahead)
next(ahead)
timed('prefetched', lambda: [next(ahead) for _ in range(4)])
for last in ahead:
    pass
next(iterator)
for i in range(200):
    walk(row)
)");
    const auto reader = session::Reader::open((at("padded.py") + QStringLiteral(".footlight")).toStdString());
    query::Store store(*reader);
    store.index();
    using Part = RangeStatistics::Part;
    const std::map<QString, int> parts{
        {QStringLiteral("python"), Part::kParts}, {QStringLiteral("py_function"), Part::kPyFunction},
        {QStringLiteral("op"), Part::kOps},       {QStringLiteral("input"), Part::kInput},
        {QStringLiteral("prefetched"), Part::kInput},
        {QStringLiteral("tracing"), Part::kTracing}};
    size_t seen = 0;
    for (const QString& line : printed.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
      const QStringList words = line.split(QLatin1Char(' '));
      const int part = parts.at(words[0]);
      const RangeStatistics range =
          range_statistics(store, words[1].toLongLong(), words[2].toLongLong(), query::Cancel());
      double known = 0;
      for (const double share : range.shares) known += share;
      QVERIFY2(known <= 1.0001, qPrintable(line));
      const double share = part == Part::kParts ? 1 - known : range.shares[static_cast<size_t>(part)];
      QVERIFY2(share > 0.75, qPrintable(line + QStringLiteral(": ") + range_sentence(range)));
      ++seen;
    }
    QCOMPARE(seen, parts.size());
    // The call that made machine code has a phase of that name, in which nothing else is counted.
    const Overlays overlays = overlays_of(store, query::Cancel());
    std::vector<query::TraceSpan> made;
    for (const auto& [thread, rows] : overlays.calls)
      for (const auto& lane : rows.phases)
        for (const query::TraceSpan& span : lane)
          if (span.part == query::TracePart::kMachineCode) made.push_back(span);
    for (const query::Track* track : store.tracks())
      QVERIFY(title_of(track->key(), overlays).title != QStringLiteral("Spans"));
    if (made.empty()) QSKIP("This machine has no instructions for which code could be made.");
    QCOMPARE(made.size(), size_t{1});
    const RangeStatistics code = range_statistics(store, made[0].start, made[0].end, query::Cancel());
    QVERIFY(code.shares[Part::kMachineCode] > 0.99);
    static const QRegularExpression kNearlyAll(QStringLiteral("of this time (1 % ops, )?(99|100) % machine code"));
    QVERIFY2(range_sentence(code).contains(kNearlyAll), qPrintable(range_sentence(code)));
    bool inside = false;
    for (size_t c = 0; c < reader->calls().index().size(); ++c)
      for (const session::CallRecord& call : *reader->calls().chunk(c))
        inside |= call.outcome == CallOutcome::kHit && call.start_ns <= made[0].start && made[0].end <= call.end_ns;
    QVERIFY(inside);
  }

  // Every call that another one made lies in the phase that made it: while it traced, or while it ran.
  void calls_lie_in_the_phases_that_made_them() {
    QVERIFY(!run("nested.py", R"(
import footlight as tf
@tf.function
def leaf(x):
    return x + 1.0
@tf.function
def inner(x):
    return leaf(x) * 2.0
def from_python(v):
    return inner(tf.constant(v)).numpy()
@tf.function
def outer(x):
    a = inner(x)
    b = inner(x * 2.0)
    return tf.numpy_function(from_python, [a + b], tf.float32)
x = tf.ones([3])
outer(x)
outer(x)
print('done')
)").isEmpty());
    const auto reader = session::Reader::open((at("nested.py") + QStringLiteral(".footlight")).toStdString());
    std::map<uint64_t, session::CallRecord> calls;
    for (size_t c = 0; c < reader->calls().index().size(); ++c)
      for (const session::CallRecord& call : *reader->calls().chunk(c)) calls.emplace(call.id.value, call);
    int while_tracing = 0, while_running = 0;
    for (const auto& [id, call] : calls) {
      if (!call.parent.valid()) continue;
      const session::CallRecord& parent = calls.at(call.parent.value);
      // From close by, so that both are drawn one by one.
      const int64_t slack = call.end_ns - call.start_ns;
      canvas()->set_range(call.start_ns - slack, call.end_ns + slack);
      window().settle();
      std::optional<QRectF> bar, around, phase;
      std::string name;
      for (const query::Placed& b : canvas()->bars_in_view()) {
        if (b.track.kind != query::TrackKind::kCalls) continue;
        const QRectF rect = *canvas()->rect_of(b);
        if (b.name.empty() && b.bar.call == call.id) bar = rect;
        if (b.name.empty() && b.bar.call == parent.id) around = rect;
        // The deepest phase that reaches over the call.
        if (b.name.empty() || b.bar.start > call.start_ns || b.bar.end < call.end_ns) continue;
        if (b.bar.start == call.start_ns && b.bar.end == call.end_ns) continue;
        if (!phase || rect.top() > phase->top()) phase = rect, name = b.name;
      }
      QVERIFY(bar && around);
      QVERIFY(around->left() <= bar->left() && bar->right() <= around->right());
      if (parent.outcome != CallOutcome::kTrace) {
        QCOMPARE(bar->top(), around->bottom() + 3);
        continue;
      }
      QVERIFY(phase);
      QCOMPARE(bar->top(), phase->bottom() + 3);
      QVERIFY(phase->top() > around->top());
      QVERIFY(phase->left() <= bar->left() && bar->right() <= phase->right());
      const session::TraceRecord* trace = reader->trace(parent.trace);
      QVERIFY(trace);
      const bool in_trace = call.end_ns <= trace->end_ns;
      QVERIFY2(in_trace == (name != "Run" && name != "After tracing"), name.c_str());
      (in_trace ? while_tracing : while_running) += 1;
    }
    QCOMPARE(while_tracing, 3);
    QCOMPARE(while_running, 1);
  }

  // Tensors of known sizes: in all at most 20 MB, and 10 MB where only three were left.
  void memory_is_what_the_tensors_hold() {
    const QString printed = run("memory.py", R"(
import time
import footlight as tf
times = [time.time_ns()]
held = []
for i in range(5):
    held.append(tf.ones([1 << 20]))
    time.sleep(0.002)
times.append(time.time_ns())
del held[2:]
time.sleep(0.002)
times.append(time.time_ns())
held.append(tf.ones([1 << 19]))
time.sleep(0.002)
times.append(time.time_ns())
del held
time.sleep(0.002)
times.append(time.time_ns())
small = tf.ones([100]) + 1.0
print(*times)
)");
    QVERIFY(!printed.isEmpty());
    std::vector<int64_t> times;
    for (const QString& word : printed.trimmed().split(QLatin1Char(' '))) times.push_back(word.toLongLong());
    QCOMPARE(times.size(), size_t{5});
    const auto areas = canvas()->areas();
    QCOMPARE(areas.size(), size_t{1});
    QCOMPARE(areas[0].title, QStringLiteral("Memory"));
    constexpr double kMb = 1 << 20, kUntold = 64 << 10;  // what a thread may keep to itself
    QVERIFY2(std::abs(areas[0].top - 20 * kMb) <= kUntold, qPrintable(areas[0].subtitle));
    QCOMPARE(areas[0].subtitle, QStringLiteral("Peak 20.0 MB"));
    QVERIFY(areas[0].peak_at && *areas[0].peak_at > times[0] && *areas[0].peak_at < times[1]);
    // The range between the second and the fourth moment: by the mouse, as a person marks it.
    const auto mark = [&](int64_t from, int64_t to) {
      canvas()->mark_range(from, to);
      window().settle();
      window().settle();
    };
    mark(times[2], times[3]);
    QCOMPARE(canvas()->areas()[0].in_range, QStringLiteral("Selected 10.0 MB"));
    QVERIFY(window().timeline()->table()->summary().endsWith(QStringLiteral("memory up to 10.0 MB")));
    // A screen reader finds it below the bars.
    QAccessibleInterface* reader = QAccessible::queryAccessibleInterface(canvas());
    QAccessibleInterface* last = reader->child(reader->childCount() - 1);
    QVERIFY(last);
    QCOMPARE(last->text(QAccessible::Name), QStringLiteral("Memory"));
    QVERIFY(last->text(QAccessible::Description).startsWith(QStringLiteral("Peak 20.0 MB at ")));
    QVERIFY(last->text(QAccessible::Description).endsWith(QStringLiteral("Selected 10.0 MB")));
    QVERIFY(!last->rect().isEmpty());
    mark(times[0], times[1]);
    QCOMPARE(canvas()->areas()[0].in_range, QStringLiteral("Selected 20.0 MB"));
    // Nothing changes within the last moments, and what holds there is what is left.
    mark(times[4] - 100'000, times[4]);
    const auto& left = window().timeline()->ops().statistics().memory;
    QCOMPARE(left.size(), size_t{1});
    QVERIFY2(left[0].bytes < 2 * kUntold, qPrintable(QString::number(left[0].bytes)));
    // The picture: 8 MB after the third moment, at its place.
    canvas()->set_range(times[1], times[3]);
    window().settle();
    const QString words = tip_at(0, times[2] - 500'000);
    QVERIFY2(words.startsWith(QStringLiteral("Memory  8.0 MB")), qPrintable(words));
  }

  // What small tensors hold counts as well, to a few KB for each thread.
  void a_program_of_small_tensors_has_a_memory_track() {
    QVERIFY(!run("kilobytes.py", R"(
import footlight as tf
held = [tf.ones([256]) for i in range(40)]
del held[8:]
print('done')
)").isEmpty());
    const auto areas = canvas()->areas();
    QCOMPARE(areas.size(), size_t{1});
    QVERIFY2(areas[0].top >= 32 << 10 && areas[0].top <= 52 << 10, qPrintable(areas[0].subtitle));
  }

  // Without a step there is nothing to see, and no track.
  void a_program_of_tiny_tensors_has_no_memory_track() {
    QVERIFY(!run("small.py", "import footlight as tf\nfor i in range(1000): tf.ones([4]) + 1.0\nprint('done')\n")
                 .isEmpty());
    QVERIFY(canvas()->areas().empty());
    // And nothing is looked for any more.
    for (const QLabel* label : window().findings()->findChildren<QLabel*>())
      QVERIFY2(!label->text().startsWith(QStringLiteral("Looking for")), qPrintable(label->text()));
  }

  void a_simulated_device() {
    const QString fakes = QCoreApplication::applicationDirPath();
    const QString printed = run("device.py", R"(
import footlight as tf
a = tf.ones([256, 256]).gpu()
b = a + a
c = tf.matmul(b, a)
@tf.function
def f(x):
    return x * x - x
for i in range(3):
    d = f(c)
print(float(d.cpu()[0, 0]))
)",
                                {{QStringLiteral("FOOTLIGHT_CUDA_PART"), fakes + QStringLiteral("/libfake_device.so")},
                                 {QStringLiteral("FOOTLIGHT_CUPTI"), fakes + QStringLiteral("/libfake_cupti.so")},
                                 {QStringLiteral("LD_LIBRARY_PATH"), fakes + QStringLiteral("/fake_driver")}});
    QCOMPARE(printed.trimmed(), QString::number(512.0 * 512 - 512, 'f', 1));
    std::map<query::TrackKind, const query::TrackPicture*> tracks;
    for (const query::TrackPicture& t : canvas()->picture().tracks) {
      tracks[t.key.kind] = &t;
      const TrackTitle title = title_of(t.key, canvas()->overlays());
      QCOMPARE(title.subtitle.contains(QStringLiteral("simulated")), query::is_device(t.key.kind));
    }
    for (const auto kind : {query::TrackKind::kKernels, query::TrackKind::kCopies, query::TrackKind::kApi})
      QVERIFY(tracks.contains(kind));
    QCOMPARE(tracks[query::TrackKind::kKernels]->count, uint64_t{2 + 2 * 3});
    QVERIFY(title_of(tracks[query::TrackKind::kKernels]->key, canvas()->overlays())
                .title.startsWith(QStringLiteral("GPU 0 stream ")));

    // The op, its launch, its kernel: by the kernels as the file has them.
    const auto reader = session::Reader::open((at("device.py") + QStringLiteral(".footlight")).toStdString());
    std::vector<session::DeviceRecord> kernels;
    for (size_t c = 0; c < reader->device_events().index().size(); ++c)
      for (const session::DeviceRecord& d : *reader->device_events().chunk(c))
        if (d.kind == "kernel") kernels.push_back(d);
    QCOMPARE(kernels.size(), size_t{8});
    QTest::keyClick(canvas(), Qt::Key_Period);
    const auto selected = [&] {
      return canvas()->selected() ? canvas()->selected()->track.kind : query::TrackKind::kCalls;
    };
    for (int i = 0; i < 12 && selected() != query::TrackKind::kKernels; ++i) {
      window().settle();
      press(canvas(), Qt::Key_Down);
    }
    QCOMPARE(selected(), query::TrackKind::kKernels);
    const std::string name = canvas()->selected()->name;
    QTRY_VERIFY(canvas()->flow().size() >= 3);
    const std::vector<query::Placed>& flow = canvas()->flow();
    QVERIFY(query::is_ops(flow[0].track.kind));
    for (size_t i = 1; i + 1 < flow.size(); ++i) {
      QCOMPARE(flow[i].track.kind, query::TrackKind::kApi);
      QVERIFY(QString::fromStdString(flow[i].name).contains(QStringLiteral("Launch")));
    }
    QCOMPARE(flow.back().track.kind, query::TrackKind::kKernels);
    QCOMPARE(flow.back().name, name);
    QCOMPARE(document().op(session::OpNumber(flow[0].bar.what)).name, name);
    for (const query::Placed& p : flow) QVERIFY(canvas()->rect_of(p).has_value());

    // Utilisation: the kernels' time, spread over the columns of the view.
    const auto areas = canvas()->areas();
    QStringList titles;
    for (const auto& area : areas) titles << area.title;
    QCOMPARE(titles, (QStringList{QStringLiteral("GPU 0 busy"), QStringLiteral("Memory"),
                                  QStringLiteral("Memory, GPU 0")}));
    int64_t busy = 0;
    for (const session::DeviceRecord& k : kernels) busy += k.end_ns - k.start_ns;
    const query::Picture& picture = canvas()->picture();
    const double per = static_cast<double>(picture.to - picture.from) / picture.columns;
    double drawn = 0;
    for (const float share : *areas[0].values) drawn += share * per;
    QVERIFY2(std::abs(drawn - static_cast<double>(busy)) <= 0.01 * static_cast<double>(busy),
             qPrintable(QStringLiteral("%1 of %2").arg(drawn).arg(busy)));
    // Four matrices of 256 KB at most: a, b, c and a result beside the next one's parts.
    QVERIFY(areas[2].top >= 3 * 256 * 1024 && areas[2].top <= 8 * 256 * 1024);
  }
};

QTEST_MAIN(TimelineRunTest)
#include "test_timeline_run.moc"
