// Opens graphs of 1k to 50k nodes in the window's Graph view: time to the first picture, to open the largest group, to
// find nodes and to draw a frame, and how long the window's thread was held at most. Without a display.
#include "tests/app/graph_shapes.h"

#include "app/views/main_window.h"
#include "app/views/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QStyleFactory>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

using namespace footlight;
using namespace footlight::app;

namespace {

struct Took {
  double all = 0, held = 0;  // ms
};

// Until `done`, and the longest that the window's thread was away from its events.
Took time(const std::function<void()>& act, const std::function<bool()>& done) {
  QElapsedTimer clock, step;
  clock.start();
  step.start();
  act();
  double held = static_cast<double>(step.nsecsElapsed()) / 1e6;
  while (!done() && clock.elapsed() < 60'000) {
    step.restart();
    QApplication::processEvents();
    held = std::max(held, static_cast<double>(step.nsecsElapsed()) / 1e6);
    usleep(100);
  }
  return {static_cast<double>(clock.nsecsElapsed()) / 1e6, held};
}

void measure(const char* shape, session::GraphRecord graph) {
  const size_t nodes = graph.nodes.size();
  Document document = document_around(std::move(graph));
  MainWindow window(false);
  window.resize(1600, 1000);
  window.show();
  window.show_view(QStringLiteral("graph"));
  QApplication::processEvents();
  GraphView* view = window.graph();
  GraphCanvas* canvas = view->canvas();
  const auto plan = [canvas]() -> const GraphPlan& { return std::as_const(*canvas).plan(); };
  const auto idle = [&] { return !view->busy() && !plan().boxes.empty(); };
  window.session().show(std::move(document));
  const Took first = time(
      [&] { window.selection().select(Selection::of_trace(window.session().document(), TraceId(1))); }, idle);
  const size_t boxes = plan().boxes.size();
  canvas->fit();
  const double fit = canvas->scale();
  QImage image(canvas->size(), QImage::Format_RGB32);
  const Took frame = time([&] { canvas->render(&image); }, [] { return true; });
  int largest = -1;
  for (size_t i = 0; i < boxes; ++i) {
    const PlanBox& b = plan().boxes[i];
    if (b.expandable && (largest < 0 || b.holds > plan().boxes[static_cast<size_t>(largest)].holds))
      largest = static_cast<int>(i);
  }
  Took expand;
  if (largest >= 0) expand = time([&] { Q_EMIT canvas->box_toggled(largest); }, idle);
  const Took search = time([&] { Q_EMIT view->find_bar()->asked(QStringLiteral("relu f32[4,8]")); }, idle);
  const Took again = time([&] { Q_EMIT view->find_bar()->asked(QStringLiteral("4,8")); }, idle);
  const Took step = time([&] { Q_EMIT view->find_bar()->step_asked(1); }, idle);
  std::printf(
      "%-16s %6zu %6zu %6.3f  %6.0f /%4.0f  %6.0f /%4.0f  %6.0f /%4.0f  %6.0f /%4.0f  %6.0f /%4.0f  %6.1f\n",
      shape, nodes, boxes, fit, first.all, first.held, expand.all, expand.held, search.all, search.held,
      again.all, again.held, step.all, step.held, frame.all);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  set_theme(QStringLiteral("dark"));
  std::printf("ms until done / ms that the window's thread was held at most\n");
  std::printf("%-16s %6s %6s %6s  %12s  %12s  %12s  %12s  %12s  %6s\n", "shape", "nodes", "boxes", "fit",
              "first picture", "open a group", "first search", "next search", "go to match", "frame");
  for (const uint32_t nodes : {1'000u, 10'000u, 50'000u}) {
    measure("training", training_graph(GraphId(1), nodes / 20));
    measure("chain", chain_graph(GraphId(1), nodes, true));
    measure("irregular chain", chain_graph(GraphId(1), nodes, false));
  }
  return 0;
}
