// Compare from its button to its picture: real scripts are recorded, a call is repeated, and what the view says is
// checked against the rows of the session.
#include "app/models/compare_facts.h"
#include "app/models/text.h"
#include "app/models/timeline.h"
#include "tests/app/window_case.h"

#include "engine/query/device_sums.h"
#include "engine/session/reader.h"

#include <QFileInfo>

#include <cmath>
#include <map>
#include <set>

using namespace footlight;
using namespace footlight::app;

namespace {

constexpr const char* kPower = R"(import tensorflow as tf
@tf.function
def power(x, n):
    result = tf.ones_like(x)
    for _ in range(n):
        result = result * x
    return result
for i in range(3):
    print(float(tf.reduce_sum(power(tf.constant([1.0, 1.01]), 100))))
)";
constexpr const char* kConvolution = R"(import tensorflow as tf
tf.random.set_seed(1)
kernel = tf.Variable(tf.random.normal([3, 3, 1, 4]))
dense = tf.Variable(tf.random.normal([64, 10]))
@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        h = tf.nn.relu(tf.nn.conv2d(x, kernel, strides=1, padding='SAME'))
        h = tf.nn.max_pool2d(h, ksize=2, strides=2, padding='SAME')
        logits = tf.matmul(tf.reshape(h, [8, 64]), dense)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    grads = tape.gradient(loss, [kernel, dense])
    kernel.assign_sub(0.1 * grads[0])
    dense.assign_sub(0.1 * grads[1])
    return loss
x = tf.random.normal([8, 8, 8, 1])
y = tf.constant([0, 1, 2, 3, 4, 5, 6, 7])
for i in range(3):
    print(float(step(x, y)))
)";
constexpr const char* kLoop = R"(import tensorflow as tf
@tf.function
def total(n, x):
    s = tf.zeros([4])
    i = tf.constant(0)
    while i < n:
        s = s + tf.sin(x)
        i += 1
    return s
total(tf.constant(30), tf.ones([4]))
)";
constexpr const char* kDevice = R"(import tensorflow as tf
with tf.device('/gpu:0'):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
@tf.function
def f(x):
    return tf.matmul(x, x) * x
print(f(x).device)
)";

// The pairs that another program interrupted: they do not count, unless fewer than 3 and 10 others are left.
std::set<uint32_t> pairs_left_out(const session::ComparisonRecord& record) {
  std::map<uint32_t, std::pair<bool, bool>> pairs;  // interrupted, with events
  for (const session::ComparisonRun& run : record.runs) {
    if (run.warm_up) continue;
    pairs[run.pair].first |= run.interruptions > 0;
    pairs[run.pair].second = run.with_events;
  }
  std::set<uint32_t> interrupted;
  size_t with_events = 0, without = 0;
  for (const auto& [number, pair] : pairs) {
    if (pair.first) interrupted.insert(number);
    else ++(pair.second ? with_events : without);
  }
  if (with_events < 3 || without < 10) interrupted.clear();
  return interrupted;
}

// The repetitions without events, by side.
struct Totals {
  std::vector<double> eager, traced;
  explicit Totals(const session::ComparisonRecord& record) {
    const std::set<uint32_t> left_out = pairs_left_out(record);
    for (const session::ComparisonRun& run : record.runs)
      if (!run.warm_up && !run.with_events && !left_out.contains(run.pair))
        (run.traced ? traced : eager).push_back(static_cast<double>(run.end_ns - run.start_ns));
    for (std::vector<double>* side : {&eager, &traced}) std::sort(side->begin(), side->end());
  }
  // The total that is shown: of each repetition with events, the median of the two pairs without before it and the two
  // after it; of those, the mean of the half that is neither quickest nor slowest together with its repetition.
  static double shown(const session::ComparisonRecord& record, bool is_traced) {
    std::vector<std::pair<double, double>> all;  // what both took, and the median
    const std::set<uint32_t> left_out = pairs_left_out(record);
    for (const session::ComparisonRun& run : record.runs) {
      if (run.warm_up || !run.with_events || run.traced != is_traced || left_out.contains(run.pair)) continue;
      std::vector<double> before, after;
      for (const session::ComparisonRun& other : record.runs)
        if (!other.warm_up && !other.with_events && other.traced == is_traced && !left_out.contains(other.pair))
          (other.pair < run.pair ? before : after).push_back(static_cast<double>(other.end_ns - other.start_ns));
      std::vector<double> beside(before.size() < 2 ? before.begin() : before.end() - 2, before.end());
      beside.insert(beside.end(), after.begin(), after.size() < 2 ? after.end() : after.begin() + 2);
      std::sort(beside.begin(), beside.end());
      const double median = std::floor((beside[(beside.size() - 1) / 2] + beside[beside.size() / 2]) / 2);
      all.push_back({static_cast<double>(run.end_ns - run.start_ns) + median, median});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const size_t from = all.size() / 4, to = all.size() - from;
    double sum = 0;
    for (size_t i = from; i < to; ++i) sum += all[i].second;
    return sum / static_cast<double>(to - from);
  }
};

}  // namespace

class CompareScriptTest : public WindowCase {
  Q_OBJECT

  CompareView& view() { return *window().compare(); }
  QString cell(int row, const char* column) {
    return view().rows().index(row, view().rows().column(column)).data().toString();
  }
  int row_of(const QString& eager_ops) {
    for (int r = 0; r < view().rows().rowCount(); ++r)
      if (cell(r, "Eager ops") == eager_ops) return r;
    return -1;
  }

  // Runs the script, then compares a call of its first function, as a person does.
  void compare(const char* script, int call) {
    write(at("script.py"), script);
    QVERIFY(window().open(at("script.py")));
    QTest::keyClick(&window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running() && document().end && !document().functions.empty(), 60000);
    window().selection().select(Selection::of_function(document(), document().functions.front().id));
    QTest::keyClick(&window(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(view().start()->state(), CompareStart::State::kAsking);
    view().start()->call_box()->setValue(call);
    view().start()->pairs_box()->setValue(16);
    view().start()->seconds_box()->setValue(5);
    QTest::keyClick(view().start()->main_button(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(view().shows_result() && !window().worker().running(), 90000);
    QTRY_VERIFY_WITH_TIMEOUT(document().end.has_value(), 20000);
    check_against_the_rows(call);
  }

  void check_against_the_rows(int call) {
    const auto reader = session::Reader::open(window().session().path().toStdString());
    QCOMPARE(reader->contents().comparisons.size(), size_t{1});
    const session::ComparisonRecord& record = reader->contents().comparisons.front();
    QCOMPARE(record.call, static_cast<uint64_t>(call));
    QCOMPARE(record.error, std::string());
    const Totals raw(record);
    QVERIFY(!raw.eager.empty() && raw.eager.size() == raw.traced.size());
    const explain::Comparison& c = *view().shown();
    // The totals, in the sentence and as the first and the last bar.
    const double eager = Totals::shown(record, false), traced = Totals::shown(record, true);
    QVERIFY(view().sentence().startsWith(time_words(eager) + QStringLiteral(" eager, ") + time_words(traced)));
    const std::vector<WaterfallBar>& bars = view().waterfall()->waterfall().bars;
    QVERIFY(std::abs(bars.front().to - eager) < 0.5);
    QVERIFY(std::abs(bars.back().to - traced) < 0.5);
    // The parts lead from one to the other, and their sum is a difference that was measured.
    double sum = 0;
    for (const WaterfallBar& bar : bars)
      if (bar.kind == WaterfallBar::Kind::kPart) sum += bar.change();
    QVERIFY(std::abs(sum - (traced - eager)) < 1);
    QVERIFY(sum >= raw.traced.front() - raw.eager.back() && sum <= raw.traced.back() - raw.eager.front());
    // The pictures are repetitions with events, as long as those were; their pieces fill them.
    for (const explain::Side* side : {&c.eager, &c.traced}) {
      const session::ComparisonRun* shown = nullptr;
      for (const session::ComparisonRun& run : record.runs)
        if (run.pair == side->picture.repetition && run.traced == (side == &c.traced)) shown = &run;
      QVERIFY(shown && shown->with_events && !shown->warm_up);
      // Without the recorder's own work, which is measured by itself and is no part of the bars.
      QVERIFY(record.mark_ps >= 0);
      QVERIFY(side->recorder > 0);
      QVERIFY(side->picture.total < shown->end_ns - shown->start_ns);
      for (const explain::Piece& piece : side->picture.lanes.front().pieces)
        QVERIFY(piece.share != explain::Share::kRecording);
      int64_t pieces = 0;
      for (const explain::Piece& piece : side->picture.lanes.front().pieces) pieces += piece.end - piece.start;
      QCOMPARE(pieces, side->picture.total);
      const auto kernels = std::count_if(shown->marks.begin(), shown->marks.end(), [](const auto& mark) {
        return (mark.activity == Activity::kKernel || mark.activity == Activity::kLaunch) && mark.op.valid();
      });
      QCOMPARE(side->ops, static_cast<uint64_t>(kernels));
      double shares = 0;
      for (const double share : side->shares) shares += share;
      QVERIFY(std::abs(shares - side->recorded.mean) < 2);
    }
    for (const WaterfallBar& bar : bars) QVERIFY(bar.name != QStringLiteral("Recording"));
    // What the command line says of recording, the window says too.
    QVERIFY(view().sentence().contains(q(explain::recording_of(c))));
    QVERIFY(view().sentence().contains(QStringLiteral("the totals are of repetitions without that")));
    // The table adds up to the same totals, in the digits that it shows.
    double difference = 0;
    const int rows = view().rows().rowCount();
    for (int r = 0; r < rows - 1; ++r) difference += cell(r, "Difference").toDouble();
    QVERIFY(std::abs(difference - cell(rows - 1, "Difference").toDouble()) < 0.06 * rows);
  }

 private Q_SLOTS:
  void power() {
    compare(kPower, 2);
    const int mul = row_of(QStringLiteral("100 x Mul"));
    QVERIFY(mul >= 0);
    QCOMPARE(cell(mul, "Line"), QStringLiteral("6"));
    QVERIFY(cell(mul, "Graph nodes").startsWith(QStringLiteral("100 x ")));
  }

  void convolution_step() {
    compare(kConvolution, 2);
    const int conv = row_of(QStringLiteral("Conv2D"));
    QVERIFY(conv >= 0);
    QCOMPARE(cell(conv, "Line"), QStringLiteral("8"));
    QCOMPARE(cell(conv, "Group"), QStringLiteral("same"));
  }

  void loop() {
    compare(kLoop, 1);
    QVERIFY(row_of(QStringLiteral("30 x Sin")) >= 0);
  }

  void a_simulated_device_has_aligned_streams() {
    const QString fakes = QStringLiteral(FOOTLIGHT_FAKES);
    if (!QFileInfo::exists(fakes + QStringLiteral("/libfake_device.so"))) QSKIP("the fake device is not built");
    const QByteArray before = qgetenv("LD_LIBRARY_PATH");
    qputenv("FOOTLIGHT_CUDA_PART", (fakes + QStringLiteral("/libfake_device.so")).toUtf8());
    qputenv("FOOTLIGHT_CUPTI", (fakes + QStringLiteral("/libfake_cupti.so")).toUtf8());
    qputenv("LD_LIBRARY_PATH", (fakes + QStringLiteral("/fake_driver:")).toUtf8() + before);
    compare(kDevice, 1);
    for (const char* name : {"FOOTLIGHT_CUDA_PART", "FOOTLIGHT_CUPTI"}) qunsetenv(name);
    qputenv("LD_LIBRARY_PATH", before);
    const explain::Comparison& c = *view().shown();
    QVERIFY(c.simulated);
    QVERIFY(title_of(c).contains(QStringLiteral("(simulated)")));
    // Each side: host, calls and a stream with both kernels; a row's kernels are joined across the sides.
    CompareLanes lanes;
    lanes.set_comparison(view().shown());
    int streams = 0;
    for (const PlacedLane& lane : lanes.lanes()) {
      if (lanes.lane(lane).kind != explain::Lane::Kind::kStream) continue;
      ++streams;
      QVERIFY(lanes.name_of(lane).startsWith(QStringLiteral("stream ")));
      QCOMPARE(lanes.lane(lane).pieces.size(), size_t{2});
    }
    QCOMPARE(streams, 2);
    for (const QString& op : {QStringLiteral("MatMul"), QStringLiteral("Mul")}) {
      const int row = view().rows().row_at(row_of(op));
      QVERIFY(row >= 0);
      int on_stream[2] = {0, 0};
      for (const PieceAt at : lanes.of_row(row))
        on_stream[at.traced] += lanes.lane(*lanes.placed(at)).kind == explain::Lane::Kind::kStream;
      QCOMPARE(on_stream[0], 1);
      QCOMPARE(on_stream[1], 1);
    }
    // Devices are recorded in the repetitions with events alone.
    const auto reader = session::Reader::open(window().session().path().toStdString());
    const session::ComparisonRecord& record = reader->contents().comparisons.front();
    for (const session::DeviceRecord& work : reader->all_device_events()) {
      for (const session::ComparisonRun& run : record.runs)
        if (!run.with_events) QVERIFY(work.end_ns <= run.start_ns || work.start_ns >= run.end_ns);
    }
    // What they did is no part of the program: its call ran each kernel once.
    std::map<std::string, uint64_t> counts, recorded;
    for (const query::DeviceSum& sum : query::device_sums(*reader, {}))
      if (sum.kind == "kernel") counts[sum.name] = sum.count;
    for (const session::DeviceRecord& work : reader->all_device_events())
      if (work.kind == "kernel") ++recorded[work.name];
    QVERIFY((counts == std::map<std::string, uint64_t>{{"MatMul", 1}, {"Mul", 1}}));
    QVERIFY(recorded.at("MatMul") > 1 && recorded.at("Mul") > 1);
    query::Store store(*reader);
    store.index();
    const RangeStatistics range = range_statistics(store, record.start_ns, record.end_ns, {});
    QCOMPARE(range.shares[RangeStatistics::kDevice], 0.0);
    QVERIFY(range.shares[RangeStatistics::kCompared] > 0.99);
  }
};

QTEST_MAIN(CompareScriptTest)
#include "test_compare_script.moc"
