// The table of kernels below the timeline, against SQL over the recording: sums of the whole run and of a
// range, without what a comparison repeated; rows light their slices; tracks fold. By real keys and mouse.
#include "tests/app/timeline_case.h"

#include "app/models/text.h"

#include "engine/sql/recording.h"

#include <QAccessible>
#include <QHeaderView>
#include <QMenu>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace footlight;
using namespace footlight::app;

class TimelineKernelsTest : public TimelineCase {
  Q_OBJECT

 private:
  static constexpr int kEvents = 240;
  std::set<size_t> repeated_;  // rows of device events that a comparison made

  QString path() { return at("kernels.footlight"); }

  // Launches, kernels, copies and fills; some of them while a call was repeated.
  void write_run() {
    const int64_t first = run_.document.first_ns();
    session::ComparisonRecord comparison;
    comparison.function = FunctionId(1);
    comparison.trace = TraceId(10);
    comparison.start_ns = first + 60 * 20'000;
    comparison.end_ns = first + 120 * 20'000;
    run_.comparisons = {comparison};
    run_.device.clear();
    for (int i = 0; i < kEvents; ++i) {
      session::DeviceRecord d;
      constexpr const char* kKinds[] = {"runtime", "kernel", "memcpy", "runtime", "kernel", "memset"};
      constexpr const char* kNames[] = {"cudaLaunchKernel", "sgemm_32x32_nn", "HtoD", "cudaMemcpyAsync",
                                        "fused_0",          "memset"};
      d.kind = kKinds[i % 6], d.name = kNames[i % 6];
      d.start_ns = first + i * 20'000;
      d.end_ns = d.start_ns + 1'000 + i * 37 % 5'000;
      d.stream = 7;
      if (d.kind == "memcpy" || d.kind == "memset") d.bytes = 4096 + static_cast<uint64_t>(i) * 16;
      if (d.kind == "kernel") d.op_event = run_.ops.id[static_cast<size_t>(i) % run_.ops.size()];
      if (d.start_ns >= comparison.start_ns && d.start_ns <= comparison.end_ns) repeated_.insert(run_.device.size());
      run_.device.push_back(d);
    }
    write_session(path(), run_);
  }
  void show_kernels() {
    write_run();
    window().session().open(path());
    go_to_view("timeline");
    table()->form_box()->setFocus();
    QTest::keyClick(table()->form_box(), Qt::Key_End);
    QCOMPARE(table()->form(), TimelineTable::kKernels);
    window().settle();
  }
  struct Sum {
    int64_t count, total, least, most, bytes;
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  using Sums = std::map<std::pair<std::string, std::string>, Sum>;
  // The totals are of a range; SQL counts time from the first event on.
  Sums by_sql(const std::string& where, int64_t from = 0, int64_t to = INT64_MAX) {
    const auto reader = session::Reader::open(path().toStdString());
    sql::Recording recording(*reader);
    Sums sums;
    std::string without = "-1";
    for (const size_t row : repeated_) without += "," + std::to_string(row);
    int64_t least = INT64_MAX, origin = 0;
    for (const session::DeviceRecord& d : run_.device) least = std::min(least, d.start_ns);
    recording.run("SELECT min(start_ns) FROM device",
                  {.columns = [](const std::vector<std::string>&) {},
                   .row = [&](std::span<const sql::Value> v) { return origin = least - v[0].integer, true; }});
    const std::string first = std::to_string(from - origin), last = std::to_string(to - origin);
    const std::string total = "sum(min(start_ns + duration_ns, " + last + ") - max(start_ns, " + first + "))";
    recording.run("SELECT kind, name, count(*), " + total + ", min(duration_ns), max(duration_ns), sum(bytes) "
                  "FROM device WHERE device_row NOT IN (" + without + ")" + where + " GROUP BY kind, name",
                  {.columns = [](const std::vector<std::string>&) {},
                   .row =
                       [&](std::span<const sql::Value> v) {
                         sums[{v[0].text, v[1].text}] = {v[2].integer, v[3].integer, v[4].integer, v[5].integer,
                                                         v[6].integer};
                         return true;
                       }});
    return sums;
  }
  Sums shown() {
    Sums sums;
    for (int r = 0; r < table()->kernels().rowCount(); ++r) {
      const query::DeviceSum& s = *table()->kernels().at(r);
      sums[{s.kind, s.name}] = {static_cast<int64_t>(s.count), s.total_ns, s.least_ns, s.most_ns,
                                static_cast<int64_t>(s.bytes)};
    }
    return sums;
  }

 private Q_SLOTS:
  void rows_equal_sql() {
    show_kernels();
    QVERIFY(!repeated_.empty() && repeated_.size() < run_.device.size());
    const Sums all = by_sql({});
    QCOMPARE(all.size(), size_t{6});
    QVERIFY(shown() == all);
    // A range has what overlaps it.
    const session::DeviceRecord &from = run_.device[150], &to = run_.device[200];
    canvas()->mark_range(from.start_ns + 1, to.start_ns);
    window().settle();
    std::set<size_t> before = repeated_;
    for (size_t i = 0; i < run_.device.size(); ++i)
      if (run_.device[i].end_ns < from.start_ns + 1 || run_.device[i].start_ns >= to.start_ns) repeated_.insert(i);
    QVERIFY(shown() == by_sql({}, from.start_ns + 1, to.start_ns));
    repeated_ = before;
    canvas()->mark_range(0, 0);
    window().settle();
    // A cell says what the row is: kind, mean, bytes per second.
    KernelsModel& kernels = table()->kernels();
    const int row = kernels.row_of({"memcpy", "HtoD"});
    const query::DeviceSum& copy = *kernels.at(row);
    QCOMPARE(kernels.index(row, kernels.column("Kind")).data().toString(), QStringLiteral("Copy"));
    const QString rate = kernels.headerData(kernels.column("Rate"), Qt::Horizontal, Qt::DisplayRole).toString();
    QVERIFY2(rate.endsWith(QStringLiteral("B/s")), qPrintable(rate));
    const double scale = rate.startsWith(QStringLiteral("GB"))   ? 1073741824.0
                         : rate.startsWith(QStringLiteral("MB")) ? 1048576.0
                                                                 : 1024;
    const double said =
        kernels.index(row, kernels.column("Rate")).data().toString().remove(QLatin1Char(',')).toDouble() * scale;
    const double wanted = static_cast<double>(copy.bytes) * 1e9 / static_cast<double>(copy.total_ns);
    QVERIFY(std::abs(said - wanted) <= 0.1 * scale);
    // Kernels record no bytes, and calls no share of the device's time.
    const int gemm = kernels.row_of({"kernel", "sgemm_32x32_nn"}),
              launch = kernels.row_of({"runtime", "cudaLaunchKernel"});
    QVERIFY(kernels.index(gemm, kernels.column("Rate")).data().toString().isEmpty());
    QVERIFY(kernels.index(launch, kernels.column("Share")).data().toString().isEmpty());
    QVERIFY(gemm < launch);  // work of the device comes first
    for (int c = 0; c < kernels.columnCount(); ++c) {
      const QString heading = kernels.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
      QVERIFY2(heading[0].isUpper(), qPrintable(heading));
    }
    uint64_t calls = 0, work = 0;
    for (const auto& [name, sum] : all) (name.first == "runtime" ? calls : work) += static_cast<uint64_t>(sum.count);
    QVERIFY2(table()->summary().contains(counted(work, "time", "times")) &&
                 table()->summary().contains(counted(calls, "time", "times")),
             qPrintable(table()->summary()));
  }

  // A row lights its slices on the tracks, and the keys step through them.
  void a_row_selects_its_slices() {
    show_kernels();
    KernelsModel& kernels = table()->kernels();
    const int row = kernels.row_of({"kernel", "fused_0"});
    QTest::mouseClick(table()->kernels_table()->viewport(), Qt::LeftButton, {},
                      table()->kernels_table()->visualRect(kernels.index(row, 0)).center());
    window().settle();
    const query::DeviceSum& sum = *kernels.at(row);
    QCOMPARE(canvas()->matches().count, sum.count);
    QCOMPARE(canvas()->matches().columns.size(), size_t{1});
    QCOMPARE(canvas()->matches().columns.begin()->first.kind, query::TrackKind::kKernels);
    uint64_t in_histogram = 0;
    for (const uint64_t n : table()->kernels_histogram()->shown().bars) in_histogram += n;
    QCOMPARE(in_histogram, sum.count);
    std::vector<uint64_t> rows;
    for (size_t i = 0; i < run_.device.size(); ++i)
      if (run_.device[i].name == "fused_0" && !repeated_.contains(i)) rows.push_back(i);
    for (size_t i = 0; i < rows.size(); ++i) {
      press(table()->kernels_table(), i % 2 ? Qt::Key_Period : Qt::Key_Return);
      QVERIFY(canvas()->selected().has_value());
      QCOMPARE(canvas()->selected()->bar.row, rows[i]);
      QCOMPARE(canvas()->selected()->name, std::string("fused_0"));
    }
    press(table()->kernels_table(), Qt::Key_Comma);
    QCOMPARE(canvas()->selected()->bar.row, rows[rows.size() - 2]);
    // Escape lights nothing more and goes back to the tracks; the ops' table lights ops.
    press(table()->kernels_table(), Qt::Key_Escape);
    QVERIFY(canvas()->hasFocus());
    QCOMPARE(canvas()->matches().count, uint64_t{0});
    table()->filter()->setText(QStringLiteral("copy"));
    QCOMPARE(kernels.rowCount(), 1);
    window().settle();
    QCOMPARE(canvas()->matches().count, kernels.at(0)->count);
    table()->filter()->clear();
  }

  // How busy a device was is said of the program's time.
  void the_busy_share_leaves_out_what_was_repeated() {
    write_run();
    window().session().open(path());
    go_to_view("timeline");
    const int64_t from = run_.device.front().start_ns, to = run_.device.back().start_ns;
    canvas()->set_range(from, to);
    window().settle();
    const std::vector<TimelineCanvas::Area> areas = canvas()->areas();
    QVERIFY(!areas.empty());
    QCOMPARE(areas[0].title, QStringLiteral("GPU 0 busy"));
    QVERIFY2(areas[0].subtitle.endsWith(QStringLiteral(" % outside Compare")), qPrintable(areas[0].subtitle));
    int64_t busy = 0;
    for (size_t i = 0; i < run_.device.size(); ++i)
      if (run_.device[i].kind == "kernel" && !repeated_.contains(i))
        busy += run_.device[i].end_ns - run_.device[i].start_ns;
    const session::ComparisonRecord& c = run_.comparisons.front();
    const double wanted = 100.0 * static_cast<double>(busy) / static_cast<double>(to - from - (c.end_ns - c.start_ns));
    QVERIFY2(std::abs(areas[0].subtitle.section(QLatin1Char(' '), 0, 0).toDouble() - wanted) <= 1,
             qPrintable(QStringLiteral("%1, not %2").arg(areas[0].subtitle).arg(wanted)));
    canvas()->set_range(c.end_ns + 100'000, to);
    window().settle();
    QVERIFY(canvas()->areas()[0].subtitle.endsWith(QStringLiteral(" % of the view")));
  }

  void sorting_and_names() {
    show_kernels();
    KernelsModel& kernels = table()->kernels();
    QHeaderView* header = table()->kernels_table()->horizontalHeader();
    const auto click = [&](int column) {
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                        QPoint(header->sectionViewportPosition(column) + 12, header->height() / 2));
    };
    click(kernels.column("Count"));
    for (int r = 1; r < kernels.rowCount(); ++r) QVERIFY(kernels.at(r - 1)->count >= kernels.at(r)->count);
    click(kernels.column("Kernel or call"));
    for (int r = 1; r < kernels.rowCount(); ++r) QVERIFY(kernels.at(r - 1)->name <= kernels.at(r)->name);
    click(kernels.column("Kernel or call"));
    for (int r = 1; r < kernels.rowCount(); ++r) QVERIFY(kernels.at(r - 1)->name >= kernels.at(r)->name);
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(table()->kernels_table());
    QVERIFY(accessible);
    QCOMPARE(accessible->text(QAccessible::Name), QStringLiteral("Work of devices in the range"));
    // A recording without a device has no such table.
    with_sample();
    QCOMPARE(table()->form_box()->count(), 3);
    QVERIFY(table()->form() != TimelineTable::kKernels);
  }

  // All calls of the device's API lie in one track, which folds to its outermost bars, by key, menu and mouse.
  void a_track_folds() {
    QCoreApplication::setOrganizationName(QStringLiteral("footlight-test"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
    write_run();
    // A driver call inside of each runtime call.
    for (size_t i = 0, n = run_.device.size(); i < n; ++i) {
      if (run_.device[i].kind != "runtime") continue;
      session::DeviceRecord inner = run_.device[i];
      inner.kind = "driver", inner.name = "cuLaunchKernel";
      inner.start_ns += 100, inner.end_ns -= 100;
      inner.thread = 99;
      run_.device.push_back(inner);
    }
    write_session(path(), run_);
    window().session().open(path());
    go_to_view("timeline");
    canvas()->setFocus();
    const auto api = [&] {
      std::vector<const query::Placed*> bars;
      for (const query::Placed& bar : canvas()->bars_in_view())
        if (bar.track.kind == query::TrackKind::kApi) bars.push_back(&bar);
      return bars;
    };
    canvas()->set_range(run_.device[150].start_ns, run_.device[160].start_ns);
    window().settle();
    size_t tracks = 0;
    for (const query::TrackPicture& t : canvas()->picture().tracks) tracks += t.key.kind == query::TrackKind::kApi;
    QCOMPARE(tracks, size_t{1});
    const auto drivers = [&] {
      const auto bars = api();
      return std::count_if(bars.begin(), bars.end(),
                           [](const query::Placed* b) { return b->name == "cuLaunchKernel"; });
    };
    QVERIFY(drivers() > 0 && drivers() * 2 == std::ssize(api()));
    const query::Placed outer = *api().front();
    const int before = canvas()->content_height();
    canvas()->choose(outer);
    press(canvas(), Qt::Key_C);
    QVERIFY(canvas()->order().is_folded(outer.track));
    QVERIFY(canvas()->content_height() < before);
    QCOMPARE(drivers(), 0);
    QVERIFY(!api().empty());
    QCOMPARE(canvas()->accessibleDescription(), QStringLiteral("CUDA API: folded"));
    // It stays so when the recording is opened again.
    open_recording(at("sample.footlight"));
    open_recording(path());
    QVERIFY(canvas()->order().is_folded(outer.track));
    canvas()->set_range(run_.device[150].start_ns, run_.device[160].start_ns);
    window().settle();
    QCOMPARE(drivers(), 0);
    // The triangle in its label unfolds it.
    const auto rect = canvas()->rect_of(*api().front());
    QVERIFY(rect);
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, QPoint(119, static_cast<int>(rect->top()) + 9));
    window().settle();
    QVERIFY(!canvas()->order().is_folded(outer.track));
    QVERIFY(drivers() > 0);
    canvas()->reset_tracks();
  }
};

QTEST_MAIN(TimelineKernelsTest)
#include "test_timeline_kernels.moc"
