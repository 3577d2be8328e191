// The Graph view in depth: repeats, chips, costs against the raw rows, search, neighbourhoods, export, screen readers.
#include "tests/app/graph_shapes.h"
#include "tests/app/window_case.h"

#include "app/models/graph_costs.h"
#include "app/models/graph_find.h"
#include "app/models/graph_gradients.h"
#include "app/models/graph_paths.h"
#include "app/models/graph_repeats.h"
#include "app/models/text.h"
#include "tests/session/records.h"

#include <QAccessible>
#include <QFileInfo>
#include <QMenu>
#include <QSignalSpy>
#include <QSvgRenderer>

#include <csignal>
#include <map>
#include <set>

using namespace footlight;
using namespace footlight::app;

namespace {

constexpr uint32_t kLayers = 30;

const PlanBox* box_named(const GraphPlan& plan, const QString& part) {
  for (const PlanBox& b : plan.boxes)
    if (b.title.contains(part)) return &b;
  return nullptr;
}

}  // namespace

class GraphTest : public WindowCase {
  Q_OBJECT

 private:
  void with_training(uint32_t layers = kLayers) {
    window().session().show(document_around(training_graph(GraphId(1), layers)));
    window().selection().select(Selection::of_trace(document(), TraceId(1)));
    go_to_view("graph");
  }
  GraphCanvas& canvas() { return *window().graph()->canvas(); }
  const GraphPlan& plan() { return std::as_const(canvas()).plan(); }
  int index_of(const PlanBox* box) { return static_cast<int>(box - plan().boxes.data()); }
  QPoint centre_of(const PlanBox* box) { return canvas().to_screen(box->rect.center()).toPoint(); }

 private Q_SLOTS:
  void repeats_by_structure() {
    const Document d = document_around(training_graph(GraphId(1), kLayers));
    const session::GraphRecord& g = *d.graph(GraphId(1));
    const auto repeats = find_repeats(d, g);
    QCOMPARE(repeats.size(), size_t{3});
    QCOMPARE(repeats[0].period, size_t{8});
    QCOMPARE(repeats[0].times, size_t{kLayers});
    QCOMPARE(cause_of(d, g, repeats[0]).text, QStringLiteral("for w, b in layers"));
    QCOMPARE(cause_of(d, g, repeats[0]).place.line, 5);
    QCOMPARE(repeats[1].period, size_t{6});
    QCOMPARE(cause_of(d, g, repeats[1]).place.line, 11);
    QCOMPARE(cause_of(d, g, repeats[2]).place.line, 12);
    // All pieces are made of the same ops.
    for (const GraphRepeat& r : repeats)
      for (size_t i = r.first; i < r.end(); ++i)
        QCOMPARE(g.nodes[i].op, g.nodes[r.first + (i - r.first) % r.period].op);
    // Names do not matter, edges do: a piece that reads something else than its neighbours ends the run.
    session::GraphRecord chain = chain_graph(GraphId(2), 101, true);
    QCOMPARE(find_repeats(d, chain).front().times, size_t{100});
    chain.nodes[50].inputs[0].from = 47;
    const auto cut = find_repeats(d, chain);
    QCOMPARE(cut.size(), size_t{2});
    QCOMPARE(cut[0].end(), size_t{50});
    QVERIFY(find_repeats(d, chain_graph(GraphId(3), 40, false)).size() < 3);
  }

  void repeats_of_repeats() {
    GraphMaker g(GraphId(1));
    uint32_t x = g.parameter("float32 (4, 8)", 1);
    for (int outer = 0; outer < 6; ++outer) {
      for (int inner = 0; inner < 5; ++inner) x = g.add("Mul", {x}, 7);
      x = g.add("Tanh", {x}, 8);
    }
    const Document d = document_around(g.done(x));
    const auto repeats = find_repeats(d, *d.graph(GraphId(1)));
    QCOMPARE(repeats.size(), size_t{7});
    QCOMPARE(repeats[0].period, size_t{6});
    QCOMPARE(repeats[0].times, size_t{6});
    QCOMPARE(repeats[1].times, size_t{5});
  }

  void a_folded_repeat_and_its_pieces() {
    const Document d = document_around(training_graph(GraphId(1), kLayers));
    GraphOptions options = first_options(d, GraphId(1));
    const GraphPlan folded = plan_graph(d, GraphId(1), options);
    QVERIFY(folded.boxes.size() < 12);
    QCOMPARE(folded.nodes, d.graph(GraphId(1))->nodes.size());
    const PlanBox* layers = box_named(folded, QStringLiteral("×30"));
    QVERIFY(layers && layers->title.contains(QStringLiteral("for w, b in layers")));
    QVERIFY(layers->subtitle.contains(QStringLiteral("8 nodes each")) &&
            layers->subtitle.contains(QStringLiteral("train.py:5")));
    // Every node is somewhere.
    for (const session::NodeRecord& n : d.graph(GraphId(1))->nodes) QVERIFY(folded.place_of(GraphId(1), n.id) >= 0);
    options.opened.insert(layers->key);
    options.piece.insert(layers->key, 12);
    const GraphPlan open = plan_graph(d, GraphId(1), options);
    QCOMPARE(open.clusters.size(), size_t{1});
    QVERIFY2(open.clusters[0].title.startsWith(QString::fromUtf8("13 of ×30 ")), qPrintable(open.clusters[0].title));
    // Piece 12 begins at node 1 + 12 * 8; its MatMul has its variable as a chip, the one of piece 3 stands for it.
    const uint32_t product = 1 + 12 * 8 + 2;
    const int box = open.box_of(GraphId(1), product);
    QVERIFY(box >= 0);
    QCOMPARE(open.place_of(GraphId(1), 1 + 3 * 8 + 2), box);
    QCOMPARE(open.boxes[static_cast<size_t>(box)].chips.front().node, product - 1);
    QCOMPARE(open.box_of(GraphId(1), product - 1), -1);
    QCOMPARE(open.place_of(GraphId(1), product - 2), box);
    // What is to be seen is opened at its own piece.
    GraphOptions look = first_options(d, GraphId(1));
    look.reveal_graph = GraphId(1);
    look.reveal_node = 1 + 20 * 8 + 6;
    const GraphPlan seen = plan_graph(d, GraphId(1), look);
    QVERIFY(seen.box_of(GraphId(1), look.reveal_node) >= 0);
    QCOMPARE(seen.options.piece.value(layers->key), 20);
    look = seen.options;
    look.unrolled.insert(layers->key);
    QCOMPARE(plan_graph(d, GraphId(1), look).boxes.size(), folded.boxes.size() - 1 + kLayers * 4);
  }

  // train.py's line 6 calls a layer, and line 13 an optimizer, which has no scope of its own; the rest is the person's.
  static Document document_with_library() {
    Document d = document_around(layered_by_library());
    d.add(session::FileRecord{session::FileId(2), "/venv/lib/python3.11/site-packages/keras/src/layer.py", "call\n"});
    const auto add = [&d](uint32_t id, int caller, uint32_t file, int line, const char* name) {
      const auto by = caller < 0 ? session::LocationId() : session::LocationId(static_cast<uint32_t>(caller));
      d.add(location_of(session::LocationId(id), session::FileId(file), line, by, name));
    };
    add(0, -1, 1, 2, "train_step");
    add(1, -1, 1, 6, "train_step");
    add(2, 1, 2, 9, "wrap.<locals>.error_handler");
    add(3, 2, 2, 20, "Layer.__call__");
    add(4, 3, 2, 30, "Dense.call");
    add(5, -1, 1, 13, "train_step");
    add(6, 5, 2, 40, "Optimizer.apply");
    add(7, 6, 2, 50, "Variable.assign");
    return d;
  }
  static session::GraphRecord layered_by_library() {
    GraphMaker g(GraphId(1));
    const auto add = [&g](const char* op, const char* name, std::vector<uint32_t> from, uint32_t line, uint32_t at) {
      const uint32_t made = g.add(op, std::move(from), line);
      g.node(made).name = name;
      g.node(made).location = session::LocationId(at);
      if (at != 0) g.node(made).source = {};
      return made;
    };
    const uint32_t x = g.parameter("float32 (4, 8)", 2);
    const uint32_t own = add("Mul", "own", {x}, 4, 0);
    const uint32_t product = add("MatMul", "dense/MatMul", {own}, 6, 4);
    const uint32_t inner = add("Relu", "dense/activation/Relu", {product}, 6, 4);
    const uint32_t inner2 = add("Neg", "dense/activation/Neg", {inner}, 6, 4);
    const uint32_t step = add("Mul", "step", {inner2}, 13, 6);
    const uint32_t taken = add("Sub", "taken", {step}, 13, 7);
    return g.done(add("Tanh", "own_1", {taken}, 9, 0));
  }

  void a_library_is_folded() {
    const Document d = document_with_library();
    const GraphId id(1);
    GraphOptions options = first_options(d, id);
    QVERIFY(!options.fold_scopes);  // it is small
    const GraphPlan plan = plan_graph(d, id, options);
    const PlanBox* dense = box_named(plan, QStringLiteral("dense"));
    QVERIFY(dense && dense->kind == PlanBox::Kind::kGroup && dense->expandable);
    QCOMPARE(dense->holds, size_t{3});
    QVERIFY2(dense->subtitle.contains(QStringLiteral("train.py:6")), qPrintable(dense->subtitle));
    const PlanBox* optimizer = box_named(plan, QStringLiteral("Optimizer.apply()"));
    QVERIFY(optimizer && optimizer->holds == 2);
    QVERIFY2(optimizer->subtitle.contains(QStringLiteral("train.py:13")), qPrintable(optimizer->subtitle));
    QVERIFY(plan.box_of(id, 1) >= 0 && plan.box_of(id, 7) >= 0);  // the person's own
    QCOMPARE(plan.place_of(id, 3), plan.place_of(id, 2));
    QCOMPARE(plan.boxes.size(), size_t{5});
    // Opened: a frame that is closed again by itself, with the library's inner scope closed in it.
    options.opened.insert(dense->key);
    const GraphPlan open = plan_graph(d, id, options);
    QVERIFY(open.box_of(id, 2) >= 0 && open.box_of(id, 3) < 0);
    QVERIFY(box_named(open, QStringLiteral("activation")));
    QCOMPARE(open.clusters.size(), size_t{1});
    QVERIFY(open.clusters[0].group);
    // What is searched for or selected elsewhere is opened.
    for (const uint32_t node : {3u, 6u}) {
      GraphOptions look = first_options(d, id);
      look.reveal_graph = id;
      look.reveal_node = node;
      QVERIFY(plan_graph(d, id, look).box_of(id, node) >= 0);
    }
    // Any other grouping folds it, too.
    GraphOptions calls = first_options(d, id);
    calls.grouping = GraphGrouping::kCalls;
    QVERIFY(plan_graph(d, id, calls).box_of(id, 6) < 0);
  }

  void a_library_is_opened_by_keys() {
    window().session().show(document_with_library());
    window().selection().select(Selection::of_trace(document(), TraceId(1)));
    go_to_view("graph");
    const PlanBox* dense = box_named(plan(), QStringLiteral("dense"));
    QVERIFY(dense);
    QTest::mouseClick(&canvas(), Qt::LeftButton, {}, centre_of(dense));
    press(&canvas(), Qt::Key_Return);
    QVERIFY(plan().box_of(GraphId(1), 2) >= 0);
    select(Selection::of_node(document(), GraphId(1), 6));
    QVERIFY(plan().box_of(GraphId(1), 6) >= 0);
  }

  // What was found for one plan serves the next one, and what it depends on is found anew.
  void a_memo_changes_no_plan() {
    const Document d = document_around(training_graph(GraphId(1), kLayers));
    const std::shared_ptr<PlanMemo> memo = plan_memo();
    GraphOptions options = first_options(d, GraphId(1));
    const QString layers = box_named(plan_graph(d, GraphId(1), options), QStringLiteral("×30"))->key;
    std::vector<GraphOptions> looks{options};
    options.opened.insert(layers);
    looks.push_back(options);
    options.hide_constants = true;
    looks.push_back(options);
    options.chips = false;
    looks.push_back(options);
    options.grouping = GraphGrouping::kCalls;
    looks.push_back(options);
    looks.push_back(looks.front());
    const auto words = [](const GraphPlan& plan) {
      QStringList all;
      for (const PlanBox& b : plan.boxes) {
        all << b.key + b.title + b.subtitle + QString::number(b.rect.width());
        for (const PlanChip& chip : b.chips) all << chip.text;
      }
      for (const PlanCluster& c : plan.clusters) all << c.key + c.title;
      for (const PlanEdge& e : plan.edges) all << QStringLiteral("%1 %2 %3").arg(e.from).arg(e.to).arg(e.label);
      return all;
    };
    std::set<QStringList> different;
    for (const GraphOptions& look : looks) {
      const QStringList plain = words(plan_graph(d, GraphId(1), look));
      QCOMPARE(words(plan_graph(d, GraphId(1), look, [] {}, memo.get())), plain);
      different.insert(plain);
    }
    QVERIFY(different.size() >= 4);
  }

  void crowded_levels_are_put_together() {
    const Document d = document_around(chain_graph(GraphId(1), 20'000, false));
    const GraphPlan plan = plan_graph(d, GraphId(1), first_options(d, GraphId(1)));
    QVERIFY(plan.boxes.size() <= 60);
    size_t held = 0;
    for (const PlanBox& b : plan.boxes) held += b.kind == PlanBox::Kind::kNode ? 1 : b.holds;
    QCOMPARE(held, size_t{20'000});
    GraphOptions look = plan.options;
    look.reveal_graph = GraphId(1);
    look.reveal_node = 12'345;
    const GraphPlan open = plan_graph(d, GraphId(1), look);
    QVERIFY(open.box_of(GraphId(1), 12'345) >= 0);
    QVERIFY(open.boxes.size() < 1000);
  }

  void gradients_belong_to_ops() {
    const session::GraphRecord g = training_graph(GraphId(1), 3);
    const std::vector<size_t> forward = forward_ops(g);
    size_t paired = 0;
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      if (forward[i] == g.nodes.size()) continue;
      ++paired;
      const bool relu = g.nodes[i].op == "ReluGrad";
      QCOMPARE(g.nodes[forward[i]].op, std::string(relu ? "Relu" : "MatMul"));
      QVERIFY(g.nodes[forward[i]].source.offset == 6 && g.nodes[i].source.offset == 11);
      // It reads the op's result, or something that the op reads too.
      bool related = false;
      for (const auto& e : g.nodes[i].inputs) {
        related |= e.from == forward[i];
        for (const auto& f : g.nodes[forward[i]].inputs) related |= e.from == f.from;
      }
      QVERIFY(related);
    }
    QCOMPARE(paired, size_t{9});
  }

  void search_needs_all_words() {
    const Document d = document_around(training_graph(GraphId(1), kLayers));
    const auto search = GraphSearch::make(d, GraphId(1));
    const auto count = [&](const char* words) { return search->find(QString::fromUtf8(words)).size(); };
    QCOMPARE(count("matmul"), size_t{3 * kLayers});
    QCOMPARE(count("MatMul transpose_b=true"), size_t{kLayers});
    QCOMPARE(count("matmul f32[8,8]"), size_t{kLayers});
    QCOMPARE(count("int32"), size_t{kLayers + 1});
    QCOMPARE(count("4×8 relu_7"), size_t{3});  // 7, 71 and 79
    QCOMPARE(count("matmul nothing"), size_t{0});
    QCOMPARE(count("  "), size_t{0});
  }

  void neighbours_within_steps() {
    const Document d = document_around(chain_graph(GraphId(1), 30, false));
    GraphOptions options;
    const GraphPlan plan = plan_graph(d, GraphId(1), options);
    const int middle = plan.box_of(GraphId(1), 15);
    for (const int steps : {1, 2, 5}) QCOMPARE(neighbourhood(plan, {middle}, steps).size(), 2 * steps + 1);
  }

  void opening_by_mouse_and_keys() {
    with_training();
    const PlanBox* layers = box_named(plan(), QStringLiteral("for w, b"));
    QVERIFY(layers);
    const QString key = layers->key;
    canvas().set_selected({index_of(layers)});
    canvas().frame_selected();
    const QPointF before = canvas().to_screen(box_named(plan(), QStringLiteral("for w, b"))->rect.topLeft());
    QTest::mouseClick(&canvas(), Qt::LeftButton, {},
                      canvas().to_screen(layers->rect.topLeft() + QPointF(14, 15)).toPoint());
    window().settle();
    QCOMPARE(plan().clusters.size(), size_t{1});
    QCOMPARE(plan().clusters[0].key, key);
    // It is on the screen, and as far as it fits where the box was.
    const QRectF now(canvas().to_screen(plan().clusters[0].rect.topLeft()),
                     canvas().to_screen(plan().clusters[0].rect.bottomRight()));
    QVERIFY(QRectF(canvas().rect()).intersects(now));
    QVERIFY(std::abs(now.left() - before.x()) < canvas().width() / 2.0);
    // The next piece, by the keyboard.
    const int relu = plan().box_of(GraphId(1), 7);
    QVERIFY(relu >= 0);
    QTest::mouseClick(&canvas(), Qt::LeftButton, {},
                      centre_of(&plan().boxes[static_cast<size_t>(relu)]) - QPoint(0, 12));
    QCOMPARE(selected().node, 7u);
    press(&canvas(), Qt::Key_BracketRight);
    QVERIFY(plan().box_of(GraphId(1), 15) >= 0 && plan().box_of(GraphId(1), 7) < 0);
    // Enter on the folded one opens it, another Enter at a node in it does nothing.
    window().graph()->canvas()->cluster_toggled(0);
    window().settle();
    QVERIFY(plan().clusters.empty());
    canvas().set_selected({index_of(box_named(plan(), QStringLiteral("for w, b")))});
    press(&canvas(), Qt::Key_Return);
    QCOMPARE(plan().clusters.size(), size_t{1});
  }

  void another_view_opens_the_way() {
    with_training();
    const uint32_t node = 1 + 17 * 8 + 6;
    select(Selection::of_node(document(), GraphId(1), node));
    const int box = plan().box_of(GraphId(1), node);
    QVERIFY(box >= 0);
    QVERIFY(canvas().selected().contains(box));
    QVERIFY(canvas().visible_world().contains(plan().boxes[static_cast<size_t>(box)].rect.center()));
  }

  void chips_select_what_they_stand_for() {
    with_training(3);  // too few to fold
    const int product = plan().box_of(GraphId(1), 3);
    QVERIFY(product >= 0);
    const PlanBox& b = plan().boxes[static_cast<size_t>(product)];
    QCOMPARE(b.chips.size(), size_t{3});
    canvas().set_selected({product});
    canvas().frame_selected();
    QTest::mouseClick(&canvas(), Qt::LeftButton, {},
                      canvas().to_screen(GraphCanvas::chip_rect(b, 0).center()).toPoint());
    QCOMPARE(selected().node, 2u);
    QVERIFY(canvas().selected().contains(product));
    QCOMPARE(b.chips[1].kind, PlanChip::Kind::kGradient);
    canvas().frame_selected();
    QTest::mouseClick(&canvas(), Qt::LeftButton, {},
                      canvas().to_screen(GraphCanvas::chip_rect(b, 1).center()).toPoint());
    const session::NodeRecord* gradient = document().node(GraphId(1), selected().node);
    QCOMPARE(gradient->op, std::string("MatMul"));
    QCOMPARE(gradient->source.offset, 11u);
  }

  void find_steps_through_matches() {
    with_training();
    canvas().setFocus();
    QTest::keyClick(&canvas(), Qt::Key_Slash);
    QVERIFY(window().graph()->find_bar()->isVisible());
    QTest::keyClicks(window().graph()->find_bar()->input(), QStringLiteral("relu 4,8"));
    QTest::keyClick(window().graph()->find_bar()->input(), Qt::Key_Return);
    QTRY_VERIFY(!window().graph()->busy());
    window().settle();
    QCOMPARE(window().graph()->found().size(), size_t{2 * kLayers});
    const uint32_t first = selected().node;
    QCOMPARE(first, window().graph()->found()[0].node);
    QVERIFY(plan().box_of(GraphId(1), first) >= 0);
    press(window().graph()->find_bar()->input(), Qt::Key_Return);
    QCOMPARE(selected().node, window().graph()->found()[1].node);
    press(window().graph()->find_bar()->input(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(selected().node, first);
    QTest::keyClick(window().graph()->find_bar()->input(), Qt::Key_Escape);
    QVERIFY(!window().graph()->find_bar()->isVisible());
    QVERIFY(canvas().hasFocus() && canvas().found().isEmpty());
    QTest::keyClick(&canvas(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(window().graph()->find_bar()->isVisible());
    QVERIFY(!window().palette()->isVisible());
  }

  // However far out the picture is, what was found is drawn large enough to be read.
  void a_found_node_is_readable() {
    with_training();
    canvas().zoom(0.1, QPointF(10, 10));
    QVERIFY(canvas().scale() < 0.3);
    canvas().setFocus();
    QTest::keyClick(&canvas(), Qt::Key_Slash);
    QTest::keyClicks(window().graph()->find_bar()->input(), QStringLiteral("relu 4,8"));
    QTest::keyClick(window().graph()->find_bar()->input(), Qt::Key_Return);
    QTRY_VERIFY(!window().graph()->busy());
    window().settle();
    const int box = plan().place_of(GraphId(1), selected().node);
    QVERIFY(box >= 0);
    QVERIFY(canvas().scale() >= 0.5);
    QVERIFY(canvas().visible_world().contains(plan().boxes[static_cast<size_t>(box)].rect.center()));
  }

  void a_graph_opens_with_its_entry_in_view() {
    with_training();
    QVERIFY(canvas().scale() >= 0.5);
    bool any = false;
    for (const PlanBox& b : plan().boxes) any |= b.is_parameter && canvas().visible_world().contains(b.rect.center());
    const auto top = std::ranges::min_element(plan().boxes, {}, [](const PlanBox& b) { return b.rect.top(); });
    QVERIFY(any || canvas().visible_world().contains(top->rect.center()));
  }

  void map_and_source_give_their_room_to_the_graph() {
    with_training(3);
    QVERIFY(window().graph()->side()->isVisible());
    const int before = canvas().width();
    canvas().setFocus();
    QTest::keyClick(&canvas(), Qt::Key_P);
    QApplication::processEvents();
    QVERIFY(!window().graph()->side()->isVisible());
    QVERIFY(canvas().width() > before + 250);
    QVERIFY(canvas().hasFocus());
    window().graph()->side_button()->click();
    QApplication::processEvents();
    QVERIFY(window().graph()->side()->isVisible());
  }

  void neighbourhood_by_keys() {
    with_training(3);
    const int relu = plan().box_of(GraphId(1), 7);
    canvas().setFocus();
    canvas().set_selected({relu});
    QTest::keyClick(&canvas(), Qt::Key_1);
    QCOMPARE(canvas().steps(), 1);
    for (const PlanEdge& e : plan().edges) {
      if (e.from == relu) QVERIFY(!canvas().faded(e.to));
      if (e.to == relu) QVERIFY(!canvas().faded(e.from));
    }
    size_t faded = 0;
    for (size_t i = 0; i < plan().boxes.size(); ++i) faded += canvas().faded(static_cast<int>(i));
    QCOMPARE(faded, plan().boxes.size() - static_cast<size_t>(neighbourhood(plan(), {relu}, 1).size()));
    QVERIFY(faded > 10);
    QTest::keyClick(&canvas(), Qt::Key_Escape);
    QCOMPARE(canvas().steps(), 0);
  }

  void menus_have_what_a_box_can_do() {
    with_training(3);
    const int relu = plan().box_of(GraphId(1), 7);
    const std::unique_ptr<QMenu> menu(window().graph()->menu_for(relu));
    QStringList texts;
    for (QAction* action : menu->actions()) texts << action->text();
    for (const char* wanted :
         {"Show the source line", "Show in the Timeline", "Copy the name", "Go to its gradient ReluGrad"})
      QVERIFY2(texts.contains(QLatin1String(wanted)), wanted);
    for (QAction* action : menu->actions())
      if (action->text() == QStringLiteral("Show the source line")) action->trigger();
    QCOMPARE(window().view(), QStringLiteral("source"));
    QCOMPARE(selected().node, 7u);
  }

  void hiding_by_the_menu() {
    with_training(3);
    const auto constants = [&] {
      size_t count = 0;
      for (const PlanBox& b : plan().boxes) count += b.title.startsWith(QStringLiteral("Const_"));
      return count;
    };
    QCOMPARE(constants(), size_t{4});  // of the sums; the rates of the 6 updates are in their folded repeat
    QAction* hide = nullptr;
    for (QAction* action : window().graph()->findChildren<QAction*>())
      if (action->text() == QStringLiteral("Hide constants")) hide = action;
    QVERIFY(hide);
    hide->trigger();
    window().settle();
    QCOMPARE(constants(), size_t{0});
    QCOMPARE(plan().hidden, size_t{10});
    hide->trigger();
    window().settle();
    QCOMPARE(constants(), size_t{4});
  }

  void every_colour_has_a_legend() {
    with_training(3);
    for (const GraphColour by : kGraphColours) {
      canvas().set_colour(by);
      const GraphColours colours(plan(), by);
      QVERIFY(!colours.legend().empty());
      for (const PlanBox& b : plan().boxes) QVERIFY(colours.stripe(b).isValid());
    }
    // A box with twice the bytes is darker.
    PlanBox small, large;
    GraphPlan two;
    small.bytes = 100;
    large.bytes = 200;
    two.boxes = {small, large};
    const GraphColours memory(two, GraphColour::kMemory);
    QVERIFY(memory.tint(large).alphaF() > memory.tint(small).alphaF());
    QCOMPARE(memory.legend().front().text, bytes_text(200));
    canvas().set_colour(GraphColour::kOp);
  }

  void exports() {
    with_training(3);
    for (const char* name : {"g.svg", "g.png", "g.pdf", "g.dot"}) window().graph()->export_picture(at(name));
    QSvgRenderer svg(at("g.svg"));
    QVERIFY(svg.isValid());
    QVERIFY(svg.viewBoxF().contains(plan().bounds.translated(-plan().bounds.topLeft())));
    const QImage png(at("g.png"));
    QVERIFY(png.width() > plan().bounds.width());
    std::set<QRgb> colours;
    for (int x = 0; x < png.width(); x += 3) colours.insert(png.pixel(x, png.height() / 2));
    QVERIFY(colours.size() > 3);
    QFile pdf(at("g.pdf")), dot(at("g.dot"));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && dot.open(QIODevice::ReadOnly));
    QVERIFY(pdf.read(5) == "%PDF-");
    const QByteArray text = dot.readAll();
    QCOMPARE(text.count(" -> "), static_cast<qsizetype>(plan().edges.size()));
    QCOMPARE(text.count("[label=\"ReluGrad"), 3);
  }

  void boxes_are_children_for_screen_readers() {
    with_training(3);
    canvas().fit();
    QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&canvas());
    QVERIFY(access);
    std::set<QString> names;
    for (int i = 0; i < access->childCount(); ++i) {
      QAccessibleInterface* child = access->child(i);
      QVERIFY(child);
      if (child->role() != QAccessible::ListItem) continue;
      QVERIFY(!child->text(QAccessible::Name).isEmpty());
      QCOMPARE(access->indexOfChild(child), i);
      QVERIFY(canvas().window()->geometry().intersects(child->rect()));
      names.insert(child->text(QAccessible::Name));
    }
    for (const PlanBox& b : plan().boxes) QVERIFY2(names.count(b.title), qPrintable(b.title));
    QAccessibleInterface* first = access->child(0);
    first->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QCOMPARE(canvas().selected(), QSet<int>{0});
    QVERIFY(first->state().selected);
    QVERIFY(first->text(QAccessible::Description).contains(QStringLiteral("readers")));
  }

  void a_cancelled_layout_leaves_no_process() {
    const QString program = at("dot");
    write(program, "#!/bin/sh\nexec sleep 600\n");
    QFile(program).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    window().graph()->layouter().dot().set_program(program);
    window().session().show(document_around(training_graph(GraphId(1), 3)));
    window().selection().select(Selection::of_trace(document(), TraceId(1)));
    QTRY_VERIFY(window().graph()->layouter().dot().process_id() > 0);
    const auto id = static_cast<pid_t>(window().graph()->layouter().dot().process_id());
    QCOMPARE(::kill(id, 0), 0);
    window().session().show(Document());
    QTRY_VERIFY(::kill(id, 0) != 0);
    // Nor does closing the window in the middle of one.
    window().session().show(document_around(training_graph(GraphId(1), 3)));
    window().selection().select(Selection::of_trace(document(), TraceId(1)));
    QTRY_VERIFY(window().graph()->layouter().dot().process_id() > 0);
    const auto other = static_cast<pid_t>(window().graph()->layouter().dot().process_id());
    window_.reset();
    QTRY_VERIFY(::kill(other, 0) != 0);
  }
};

QTEST_MAIN(GraphTest)
#include "test_graph.moc"
