// Opens graphs of 1k to 50k nodes in the window's Graph view: time to the first picture, to open the largest group, to
// show another stage, to find nodes, to draw a frame and to compare with a changed graph, and how long the window's
// thread was held at most. The reference is a copy of the graph's records. Without a display.
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

constexpr double kFirstMs = 1000, kExpandMs = 150;  // what 50,000 nodes may take

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

// The same function traced again: every 50th node reads another value or is another op, and one is new.
session::GraphRecord changed(session::GraphRecord graph) {
  graph.id = GraphId(2);
  for (size_t i = 25; i < graph.nodes.size(); i += 50) {
    session::NodeRecord& n = graph.nodes[i];
    if (i % 100 == 25) n.op += "Changed";
    else n.attributes += "; changed=true";
  }
  session::NodeRecord added = graph.nodes.back();
  added.id = static_cast<uint32_t>(graph.nodes.size());
  added.name += "_added";
  graph.nodes.push_back(std::move(added));
  return graph;
}

// A pass that drops every Relu, and a tenth of a chain of one op: what reads it reads its input.
void add_pass(session::GraphRecord& graph) {
  graph.passes = {"forward"};
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const session::NodeRecord& n = graph.nodes[i];
    if (n.op != "Relu" && (n.op != "Sin" || i % 10 != 9)) continue;
    graph.changes.push_back({0, session::Fate::kInput, i, 0, n.inputs.front().from, 0});
    graph.changes.push_back({0, session::Fate::kNothing, i, 0, 0, 0});
  }
}

void measure(const char* shape, session::GraphRecord graph) {
  const size_t nodes = graph.nodes.size();
  session::GraphRecord other = changed(graph);
  add_pass(graph);
  const Took copy = time([&] { const session::GraphRecord copied = graph; }, [] { return true; });
  Document document = document_around(std::move(graph));
  document.add(std::move(other));
  session::TraceRecord second = *document.trace(TraceId(1));
  second.id = TraceId(2);
  second.number = 2;
  second.graphs = {{"traced", GraphId(2)}};
  document.add(std::move(second));
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
  const Took stage = time([&] { view->show_stage({1, true}); }, idle);
  view->show_stage({});
  time([] {}, idle);
  const Took search = time([&] { Q_EMIT view->find_bar()->asked(QStringLiteral("relu f32[4,8]")); }, idle);
  const Took again = time([&] { Q_EMIT view->find_bar()->asked(QStringLiteral("4,8")); }, idle);
  const Took step = time([&] { Q_EMIT view->find_bar()->step_asked(1); }, idle);
  DiffView* diff = window.diff();
  const Took compared = time(
      [&] {
        diff->compare(GraphId(1), GraphId(2));
        window.show_view(QStringLiteral("diff"));
      },
      [&] { return !diff->busy() && diff->diff(); });
  std::printf("%-16s %6zu %6zu %6.3f %6.1f", shape, nodes, boxes, fit, copy.all);
  for (const Took& took : {first, expand, stage, search, again, step, compared})
    std::printf("  %6.0f /%4.0f", took.all, took.held);
  std::printf("  %6.1f", frame.all);
  if (nodes > 40'000)
    std::printf("   %.2f of a second, %.2f of 150 ms", first.all / kFirstMs, expand.all / kExpandMs);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  set_theme(QStringLiteral("dark"));
  std::printf("ms until done / ms that the window's thread was held at most\n");
  std::printf("%-16s %6s %6s %6s %6s", "shape", "nodes", "boxes", "fit", "copy");
  for (const char* what : {"first picture", "open a group", "other stage", "first search", "next search",
                           "go to match", "diff"})
    std::printf("  %12s", what);
  std::printf("  %6s   first picture and opening against their budgets\n", "frame");
  for (const uint32_t nodes : {1'000u, 10'000u, 50'000u}) {
    measure("training", training_graph(GraphId(1), nodes / 20));
    measure("chain", chain_graph(GraphId(1), nodes, true));
    measure("irregular chain", chain_graph(GraphId(1), nodes, false));
  }
  return 0;
}
