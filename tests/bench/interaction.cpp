// A person at work in the window on ten million op events and a graph of 50,000 nodes, by keys and mouse: for how long
// each step held the window's thread at most, and what held it. Without a display.
//
//     bench_interaction [EVENTS [NODES]]
//
// "held" is the longest turn of the event loop, "CPU" the same in the thread's own processor time, which other programs
// on the machine do not lengthen. The bound is 100 ms. FOOTLIGHT_BENCH_STRICT=1: exit status 1 if a step is over it. 2,
// always, if a step had no effect.
#include "tests/bench/large_run.h"

#include "app/views/main_window.h"
#include "app/views/theme.h"

#include <QApplication>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

using namespace footlight;
using namespace footlight::app;

namespace {

constexpr double kBound = 100;  // ms

double cpu_ms() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

// Remembers which event took longest.
class WatchedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* to, QEvent* event) override {
    if (QThread::currentThread() != thread()) return QApplication::notify(to, event);  // the store's
    if (depth_++) {
      const bool done = QApplication::notify(to, event);
      --depth_;
      return done;
    }
    const QByteArray who = to->metaObject()->className();
    const int what = event->type();
    const double before = cpu_ms();
    const bool done = QApplication::notify(to, event);
    const double took = cpu_ms() - before;
    --depth_;
    if (took > worst) {
      worst = took;
      worst_is = who + " " + QMetaEnum::fromType<QEvent::Type>().valueToKey(what);
    }
    return done;
  }
  double worst = 0;
  QByteArray worst_is;

 private:
  int depth_ = 0;
};

class Recorder {
 public:
  explicit Recorder(WatchedApplication& app, MainWindow& window) : app_(app), window_(window) {
    std::printf("%-52s %9s %9s %9s   %s\n", "step", "done ms", "held ms", "CPU ms", "the longest event");
  }
  bool answered() const { return window_.session().queries().waiting() == 0 && !window_.graph()->busy(); }
  // Does each of `acts`, with turns of the event loop between them, and waits until all is answered and `done`.
  void step(const char* what, const std::vector<std::function<void()>>& acts, std::function<bool()> done = {}) {
    const auto before_step = state();
    app_.worst = 0;
    app_.worst_is.clear();
    QElapsedTimer all;
    all.start();
    double held = 0, cpu = 0;
    const auto turn = [&](const std::function<void()>& act) {
      QElapsedTimer clock;
      clock.start();
      const double before = cpu_ms();
      act();
      held = std::max(held, static_cast<double>(clock.nsecsElapsed()) / 1e6);
      cpu = std::max(cpu, cpu_ms() - before);
    };
    const auto go_on = [&] { turn([] { QApplication::processEvents(); }); };
    for (const auto& act : acts) {
      turn(act);
      for (int i = 0; i < 4; ++i) {
        go_on();
        usleep(4000);
      }
    }
    // Timers of up to 100 ms update tables once the view stands still.
    QElapsedTimer still;
    still.start();
    while (all.elapsed() < 60'000 && (still.elapsed() < 250 || !answered() || (done && !done()))) {
      if (!answered()) still.restart();
      go_on();
      usleep(300);
    }
    std::printf("%-52s %9.0f %9.1f %9.1f   %s, %.1f\n", what, static_cast<double>(all.elapsed()), held, cpu,
                app_.worst_is.constData(), app_.worst);
    if (!acts.empty() && (done ? !done() : state() == before_step)) {
      std::printf("  nothing came of it: the step was not measured\n");
      failed_ = true;
    }
    std::fflush(stdout);
    worst_held_ = std::max(worst_held_, held);
    worst_cpu_ = std::max(worst_cpu_, cpu);
  }
  bool failed() const { return failed_; }
  double worst_held() const { return worst_held_; }
  double worst_cpu() const { return worst_cpu_; }

 private:
  // What the window shows, for a step that had no effect to be noticed.
  QByteArray state() const { return QCryptographicHash::hash(pixels(), QCryptographicHash::Md5); }
  QByteArrayView pixels() const {
    picture_ = window_.grab().toImage();
    return {picture_.constBits(), picture_.sizeInBytes()};
  }
  mutable QImage picture_;
  WatchedApplication& app_;
  MainWindow& window_;
  double worst_held_ = 0, worst_cpu_ = 0;
  bool failed_ = false;
};

using Acts = std::vector<std::function<void()>>;

// Where the keyboard is, as real keys go.
QWidget* focus() {
  QWidget* at = QApplication::focusWidget();
  return at ? at : QApplication::activeWindow();
}
Acts keys(std::initializer_list<int> all, int times = 1, Qt::KeyboardModifiers with = {}) {
  Acts acts;
  for (int i = 0; i < times; ++i)
    for (const int key : all) acts.push_back([=] { QTest::keyClick(focus(), static_cast<Qt::Key>(key), with); });
  return acts;
}
Acts typed(const char* text) {
  Acts acts;
  for (const char* c = text; *c; ++c) acts.push_back([letter = *c] { QTest::keyClick(focus(), letter); });
  return acts;
}
Acts operator+(Acts a, const Acts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Acts wheel(QWidget* on, int by, int times) {
  return Acts(static_cast<size_t>(times), [=] {
    const QPointF at(on->width() / 2.0, on->height() / 2.0);
    QWheelEvent event(at, on->mapToGlobal(at), {}, QPoint(0, by), {}, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(on, &event);
  });
}
Acts drag(QWidget* on, QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton) {
  Acts acts{[=] { QTest::mousePress(on, button, {}, from); }};
  for (int i = 1; i <= 10; ++i) {
    acts.push_back([=] {
      const QPoint at = from + (to - from) * i / 10;
      QMouseEvent event(QEvent::MouseMove, at, on->mapToGlobal(at), Qt::NoButton, button, {});
      QApplication::sendEvent(on, &event);
    });
  }
  acts.push_back([=] { QTest::mouseRelease(on, button, {}, to); });
  return acts;
}
Acts click(QWidget* on, QPoint at) { return {[=] { QTest::mouseClick(on, Qt::LeftButton, {}, at); }}; }

void use_timeline(Recorder& record, MainWindow& window) {
  TimelineCanvas* canvas = window.timeline()->canvas();
  TimelineTable* table = window.timeline()->table();
  window.show_view(QStringLiteral("retraces"));
  record.step("timeline: view", keys({Qt::Key_4}, 1, Qt::ControlModifier));
  canvas->setFocus();
  record.step("timeline: zoom in and out", keys({Qt::Key_W}, 12) + keys({Qt::Key_S}, 6));
  record.step("timeline: pan", keys({Qt::Key_D}, 12) + keys({Qt::Key_A}, 8));
  record.step("timeline: wheel", wheel(canvas, 120, 10) + wheel(canvas, -120, 7));
  record.step("timeline: drag", drag(canvas, {900, 12}, {400, 12}));
  record.step("timeline: step from bar to bar", keys({Qt::Key_Period}, 8) + keys({Qt::Key_Down, Qt::Key_Down}));
  record.step("timeline: frame the selection", keys({Qt::Key_F, Qt::Key_Home}));
  record.step("timeline: click", click(canvas, {700, 80}));
  record.step("timeline: mark a range", drag(canvas, {400, 60}, {900, 60}));
  record.step("timeline: search", keys({Qt::Key_Slash}) + typed("Op1") + keys({Qt::Key_Return}, 4) +
                                      keys({Qt::Key_Escape}));
  record.step("timeline: a row of the table",
              click(table->table()->viewport(), {60, 40}) + keys({Qt::Key_Down, Qt::Key_Period, Qt::Key_Period}));
  record.step("timeline: flame graph", {[=] { table->form_box()->setCurrentIndex(1); }});
  record.step("timeline: bottom-up", {[=] { table->form_box()->setCurrentIndex(2); }});
  record.step("timeline: table by line", {[=] { table->form_box()->setCurrentIndex(0); },
                                          [=] { table->group_box()->setCurrentIndex(2); }});
  record.step("timeline: whole run", {[=] { canvas->setFocus(); }, [=] { canvas->mark_range(0, 0); },
                                      [=] { canvas->fit(); }});
}

void use_graph(Recorder& record, MainWindow& window) {
  GraphCanvas* canvas = window.graph()->canvas();
  record.step("graph: view", keys({Qt::Key_1}, 1, Qt::ControlModifier));
  const auto plan = [canvas]() -> const GraphPlan& { return std::as_const(*canvas).plan(); };
  record.step("graph: the large graph, by the palette",
              keys({Qt::Key_K}, 1, Qt::ControlModifier) + typed("train") +
                  Acts{[&window] { window.palette()->hide(); },
                       [&window] { window.select_by_name(QStringLiteral("train#1")); }},
              [&] { return !plan().boxes.empty() && window.selection().current().trace == TraceId(21); });
  const auto largest = [=] {
    int found = -1;
    for (size_t i = 0; i < plan().boxes.size(); ++i)
      if (plan().boxes[i].expandable && plan().boxes[i].bodies.empty() &&
          (found < 0 || plan().boxes[i].holds > plan().boxes[static_cast<size_t>(found)].holds))
        found = static_cast<int>(i);
    return found;
  };
  const auto expand = [=] {
    if (const int box = largest(); box >= 0) Q_EMIT canvas->box_toggled(box);
  };
  for (int i = 0; i < 3; ++i) {
    const size_t before = plan().boxes.size();
    record.step("graph: expand", {expand}, [&] { return plan().boxes.size() > before; });
    std::printf("  %zu boxes\n", plan().boxes.size());
  }
  canvas->setFocus();
  record.step("graph: zoom", wheel(canvas, -120, 8) + wheel(canvas, 120, 12));
  record.step("graph: pan", drag(canvas, {700, 300}, {300, 200}) + drag(canvas, {300, 200}, {700, 500}));
  record.step("graph: walk along edges", keys({Qt::Key_Down, Qt::Key_Down, Qt::Key_Right, Qt::Key_Up}, 3));
  record.step("graph: search", {[&window] { Q_EMIT window.graph()->find_bar()->asked(QStringLiteral("relu")); },
                                [&window] { Q_EMIT window.graph()->find_bar()->step_asked(1); },
                                [&window] { Q_EMIT window.graph()->find_bar()->step_asked(1); },
                                [&window] { Q_EMIT window.graph()->find_bar()->asked(QString()); }});
  record.step("graph: fit", {[=] { canvas->fit(); }});
}

int interact(WatchedApplication& app, const QString& path) {
  MainWindow window(false);
  window.resize(1920, 1080);
  window.show();
  Recorder record(app, window);
  record.step("the window", {});
  window.activateWindow();
  window.show_view(QStringLiteral("timeline"));
  record.step("open", {[&] { window.open(path); }},
              [&] { return window.session().is_open() && !window.session().loading(); });
  use_timeline(record, window);
  use_graph(record, window);
  for (int i = 1; i <= 8; ++i) {
    const std::string what = "view " + std::to_string(i);
    record.step(what.c_str(), keys({Qt::Key_0 + i}, 1, Qt::ControlModifier), [] { return true; });
  }
  record.step("through all views again", keys({Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_6}, 2,
                                              Qt::ControlModifier));
  record.step("select a trace", {[&] { window.select_by_name(QStringLiteral("step#3")); }});
  record.step("next and previous trace",
              keys({Qt::Key_Down}, 4, Qt::AltModifier) + keys({Qt::Key_Up}, 2, Qt::AltModifier));
  record.step("palette", keys({Qt::Key_K}, 1, Qt::ControlModifier) +
                             Acts{[&] { window.palette()->hide(); },
                                  [&] { window.open_palette(QStringLiteral("node_17")); },
                                  [&] { window.palette()->hide(); }});
  record.step("back and forward",
              keys({Qt::Key_Left}, 4, Qt::AltModifier) + keys({Qt::Key_Right}, 4, Qt::AltModifier));
  record.step("smaller", {[&] { window.resize(1000, 600); }});
  record.step("close the session", {[&] { window.session().close(); }});
  record.step("open it again", {[&] { window.open(path); }},
              [&] { return window.session().is_open() && !window.session().loading(); });
  const double held = record.worst_held(), cpu = record.worst_cpu();
  // Qt computes the style of every widget again: once, when a person asks for it.
  record.step("another theme, not bound", {[&] { window.choose_theme(QStringLiteral("light")); },
                               [&] { window.choose_theme(QStringLiteral("dark")); }}, [] { return true; });
  std::printf("held for at most %.1f ms, of CPU %.1f ms (bound: %.0f)\n", held, cpu, kBound);
  return record.failed() ? 2 : held > kBound ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (made_large_run(argc, argv)) return 0;
  const bool quick = std::getenv("FOOTLIGHT_BENCH_QUICK") != nullptr;
  const std::string events = argc > 1 ? argv[1] : quick ? "200000" : "10000000";
  const std::string nodes = argc > 2 ? argv[2] : quick ? "2000" : "50000";
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("large.footlight"));
  if (!make_large_run(argv[0], path.toStdString(), events, std::to_string(std::stoul(nodes) / 20))) {
    std::fprintf(stderr, "the session could not be written\n");
    return 1;
  }
  WatchedApplication app(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  set_theme(QStringLiteral("dark"));
  std::printf("%s op events, a graph of %s nodes\n", events.c_str(), nodes.c_str());
  const int over = interact(app, path);
  return over == 2 || std::getenv("FOOTLIGHT_BENCH_STRICT") ? over : 0;
}
