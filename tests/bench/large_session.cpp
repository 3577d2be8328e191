// Opens a recording of ten million op events in the window: measures opening, answering a selection, drawing a
// timeline picture, the tables of a range, and the memory of the whole process. Without a display.
//
//     bench_large_session [EVENTS]
#include "app/views/main_window.h"
#include "app/views/theme.h"

#include "tests/bench/large_run.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QStyleFactory>
#include <QTemporaryDir>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

using namespace footlight;
using namespace footlight::app;

namespace {

double memory_mb(const char* what) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind(what, 0) == 0) return std::strtod(line.c_str() + std::strlen(what), nullptr) / 1024;
  }
  return 0;
}

class Bench {
 public:
  explicit Bench(MainWindow& window) : window_(window) {}
  // Time until everything that `act` asked for is answered, and for how long the window itself was blocked.
  void time(const char* what, const std::function<void()>& act, const std::function<bool()>& done) {
    QElapsedTimer clock, held;
    clock.start();
    held.start();
    act();
    double longest = static_cast<double>(held.nsecsElapsed()) / 1e6;
    while (!done() && clock.elapsed() < 60'000) {
      held.restart();
      QApplication::processEvents();
      longest = std::max(longest, static_cast<double>(held.nsecsElapsed()) / 1e6);
      usleep(200);
    }
    std::printf("%-44s %8.1f ms %8.1f ms %8.0f MB %8.0f MB\n", what, static_cast<double>(clock.nsecsElapsed()) / 1e6,
                longest, memory_mb("VmRSS:"), memory_mb("VmHWM:"));
    std::fflush(stdout);
  }
  void select(const char* what, const Selection& selection) {
    time(what, [&] { window_.selection().select(selection); }, [this] { return answered(); });
  }
  bool answered() const { return window_.session().queries().waiting() == 0; }

 private:
  MainWindow& window_;
};

// A frame while the view moves: what the window's thread does for it, the median of many. The picture behind it comes
// from the store's thread.
void measure_frames(Bench& bench, TimelineCanvas* canvas) {
  const int64_t whole = canvas->range().last - canvas->range().first;
  for (const auto& [share, words] : {std::pair(1.0, "100 %"), {0.1, "10 %"}, {0.01, "1 %"}, {0.001, "0.1 %"}}) {
    const auto span = static_cast<int64_t>(static_cast<double>(whole) * share);
    const int64_t from = canvas->range().first + (whole - span) / 2;
    bench.time((std::string("to ") + words + " of the run").c_str(), [&] { canvas->set_range(from, from + span); },
               [&] { return bench.answered(); });
    QImage image(canvas->size(), QImage::Format_ARGB32_Premultiplied);
    std::vector<double> frames;
    for (int i = 0; i < 40; ++i) {
      QElapsedTimer clock;
      clock.start();
      canvas->set_range(from + i * span / 400, from + span + i * span / 400);
      canvas->render(&image);
      frames.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
      QApplication::processEvents();
    }
    std::sort(frames.begin(), frames.end());
    std::printf("  frame at %-33s %8.1f ms median, %.1f ms at worst\n", words, frames[frames.size() / 2],
                frames.back());
    bench.time("  settled", [] {}, [&] { return bench.answered(); });
  }
}

// What the tables below the timeline take, for the whole run and for a tenth of it.
void measure_ranges(Bench& bench, MainWindow& window) {
  TimelineCanvas* canvas = window.timeline()->canvas();
  TimelineTable* table = window.timeline()->table();
  const int64_t first = canvas->range().first, whole = canvas->range().last - first;
  canvas->fit();
  bench.time("the whole run", [&] { window.timeline()->settle(); }, [&] { return bench.answered(); });
  for (const auto& [share, words] : {std::pair(1, "the whole run"), {10, "a tenth of the run"}}) {
    const std::string of = std::string(" of ") + words;
    const auto ask = [&](const char* what, const std::function<void()>& act) {
      bench.time((what + of).c_str(),
                 [&] {
                   act();
                   window.timeline()->settle();
                 },
                 [&] { return bench.answered(); });
    };
    ask("range table", [&] { canvas->mark_range(first, first + whole / share); });
    ask("  by line", [&] { table->group_box()->setCurrentIndex(2); });
    ask("  by op again", [&] { table->group_box()->setCurrentIndex(0); });
    ask("  flame graph", [&] { table->form_box()->setCurrentIndex(1); });
    ask("  table again", [&] { table->form_box()->setCurrentIndex(0); });
  }
  bench.time("a row's events lit in the whole run", [&] { table->table()->selectRow(3); },
             [&] { return bench.answered(); });
  bench.time("  the next one", [&] { canvas->step_match(1); }, [&] { return bench.answered(); });
  canvas->mark_range(0, 0);
  table->table()->setCurrentIndex({});
  bench.time("  nothing lit", [&] { window.timeline()->settle(); }, [&] { return bench.answered(); });
}

}  // namespace

int main(int argc, char** argv) {
  if (made_large_run(argc, argv)) return 0;
  const bool quick = std::getenv("FOOTLIGHT_BENCH_QUICK") != nullptr;
  const std::string events = argc > 1 ? argv[1] : quick ? "200000" : "10000000";
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("large.footlight"));
  if (!make_large_run(argv[0], path.toStdString(), events, "0")) {
    std::fprintf(stderr, "the session could not be written\n");
    return 1;
  }
  QApplication app(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  set_theme(QStringLiteral("dark"));
  std::printf("%s op events, %.0f MB on disk\n", events.c_str(),
              static_cast<double>(QFileInfo(path).size()) / 1024 / 1024);
  std::printf("%-44s %11s %11s %11s %11s\n", "", "answered", "held up", "resident", "at most");
  MainWindow window(false);
  window.resize(1920, 1080);
  window.show();
  Bench bench(window);
  Session& session = window.session();
  bench.time("the window", [] {}, [] { return true; });
  window.show_view(QStringLiteral("timeline"));
  bench.time("opened, first picture", [&] { window.open(path); },
             [&] { return session.is_open() && !window.timeline()->canvas()->picture().tracks.empty(); });
  bench.time("all taken in", [] {}, [&] { return !session.loading() && bench.answered(); });
  window.show_view(QStringLiteral("timeline"));
  bench.time("timeline, with its table", [&] { window.timeline()->settle(); }, [&] { return bench.answered(); });
  const Document& d = session.document();
  bench.select("a node", Selection::of_node(d, GraphId(3), 77));
  bench.select("a line with nodes", Selection::of_line(d, {session::FileId(1), 50}));
  bench.select("a line with eager ops", Selection::of_line(d, {session::FileId(1), 355}));
  bench.select("a trace", Selection::of_trace(d, TraceId(5)));
  QueryHandle ticket;
  bench.time("an op in the middle of the run",
             [&] {
               session.queries().ask(
                   ticket,
                   [row = d.events / 2](const query::Store& store, const query::Cancel&) {
                     query::Placed at;
                     at.track.kind = query::TrackKind::kTracedOps;
                     at.bar.row = row;
                     at.bar.call = store.op(row)->call;
                     return find_bar_facts(store, at);
                   },
                   [&](const BarFacts& facts) {
                     window.selection().select(
                         Selection::of_event(d, *facts.op, facts.call ? &*facts.call : nullptr));
                   });
             },
             [&] { return bench.answered(); });
  bench.time("a call in the middle of the run",
             [&] {
               session.queries().ask(
                   ticket,
                   [n = d.calls / 2](const query::Store& store, const query::Cancel& cancel) {
                     return store.calls().nth(FunctionId(1), n, cancel);
                   },
                   [&](const std::optional<session::CallRecord>& call) {
                     window.selection().select(Selection::of_call(d, *call));
                   });
             },
             [&] { return bench.answered(); });
  TimelineCanvas* canvas = window.timeline()->canvas();
  canvas->fit();
  bench.time("the whole run", [] {}, [&] { return bench.answered(); });
  for (int step = 0; step < 12; ++step) {
    const int64_t middle = (canvas->from() + canvas->to()) / 2, half = (canvas->to() - canvas->from()) / 8;
    const std::string what = "zoom to " + std::to_string((2 * half) / 1000) + " us";
    bench.time(what.c_str(), [&] { canvas->set_range(middle - half, middle + half); },
               [&] { return bench.answered(); });
    if (half < 2000) break;
  }
  canvas->fit();
  bench.time("the whole run again", [] {}, [&] { return bench.answered(); });
  measure_frames(bench, canvas);
  measure_ranges(bench, window);
  canvas->fit();
  canvas->set_range(canvas->from(), canvas->from() + (canvas->to() - canvas->from()) / 50);
  for (int step = 0; step < 40; ++step) {
    const int64_t by = canvas->to() - canvas->from();
    const std::string what = "scroll " + std::to_string(step);
    if (step % 10) {
      canvas->set_range(canvas->from() + by, canvas->to() + by);
      QApplication::processEvents();
    } else {
      bench.time(what.c_str(), [&] { canvas->set_range(canvas->from() + by, canvas->to() + by); },
                 [&] { return bench.answered(); });
    }
  }
  for (const char* view : {"retraces", "source", "timeline"}) {
    bench.time(view, [&] { window.show_view(QLatin1String(view)); }, [&] { return bench.answered(); });
  }
  size_t bytes = 0;
  session.queries().ask(ticket, [](const query::Store& store, const query::Cancel&) { return store.bytes(); },
                        [&](size_t answer) { bytes = answer; });
  while (!bench.answered()) QApplication::processEvents();
  std::printf("indexes: %.2f bytes per event\n", static_cast<double>(bytes) / static_cast<double>(d.events));
  std::printf("most resident memory: %.0f MB (bound: 250 MB)\n", memory_mb("VmHWM:"));
  return 0;
}
