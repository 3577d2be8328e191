// The Values tab, and a node's value in the inspector, by mouse and keyboard over values that are known.
#include "app/models/finding_content.h"
#include "app/models/landing.h"
#include "app/models/text.h"
#include "app/models/values.h"
#include "app/views/value_detail.h"
#include "tests/app/stand_in.h"
#include "tests/app/window_case.h"
#include "tests/session/records.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>

#include <cmath>
#include <limits>

using namespace footlight;
using namespace footlight::app;

namespace {

session::TensorValue value(uint32_t node, const std::string& shape, std::vector<float> elements) {
  session::TensorValue v;
  v.graph = GraphId(3);
  v.node = NodeId(node);
  v.order = v.at = node + 1;
  v.runs = v.run = 1;
  v.dtype = "float32";
  v.shape = shape;
  v.elements = static_cast<int64_t>(elements.size());
  v.minimum = INFINITY, v.maximum = -INFINITY, v.mean = 0.5, v.deviation = 0.25;
  for (size_t i = 0; i < elements.size(); ++i) {
    const double e = static_cast<double>(elements[i]);
    if (std::isfinite(e)) {
      v.minimum = std::min(v.minimum, e), v.maximum = std::max(v.maximum, e);
      v.zeros += e == 0;
      continue;
    }
    (std::isnan(e) ? v.nan : e < 0 ? v.negative_infinity : v.positive_infinity) += 1;
    v.places.push_back({static_cast<int64_t>(i), explain::number_text(e), std::isnan(e) ? "0, -Inf" : "0"});
  }
  v.first_nan = v.nan ? v.at : 0;
  v.first_infinity = v.negative_infinity ? v.at : 0;
  v.input_infinity = v.nan > 0;
  v.bins = {1, 4, 9};
  v.width = 4;
  v.data.bytes.assign(reinterpret_cast<const char*>(elements.data()), elements.size() * 4);
  return v;
}

// step's graph: Softmax, Log, Mul and one that did not run.
Document values_document() {
  Document d;
  d.path = QStringLiteral("/run.footlight");
  d.run.script = "/run.py";
  d.add(session::FunctionRecord{FunctionId(1), "step", session::FileId(), 0, 0, {}});
  session::GraphRecord g;
  g.id = GraphId(3);
  for (const char* op : {"Softmax", "Log", "Mul", "Neg"}) {
    session::NodeRecord n = node_of(static_cast<uint32_t>(g.nodes.size()), std::string("loss/") + op, op);
    n.outputs = {"float32 (2, 2, 3)"};
    if (n.id) n.inputs = {{n.id - 1, 0}};
    g.nodes.push_back(n);
  }
  d.add(g);
  d.add(trace_of(TraceId(7), FunctionId(1), 1, GraphId(3)));
  auto call = std::make_shared<session::CallValues>();
  call->function = FunctionId(1);
  call->trace = TraceId(7);
  call->call = 12;
  call->reason = session::ValuesReason::kFirstNan;
  call->same_results = true;
  call->start_ns = 5;
  const float inf = INFINITY;
  call->values = {value(0, "(2, 2, 3)", {0.5f, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0.25f}),
                  value(1, "(2, 2, 3)", {-1, -inf, 0, 0, 0, 0, 0, 0, 0, -inf, 0, -2}),
                  value(2, "(2, 2, 3)", {1, NAN, 0, 0, 0, 0, 0, 0, 0, NAN, 0, 2})};
  d.values.push_back(call);
  for (uint64_t i = 1; i <= 14; ++i) {
    session::CheckedCall row;
    row.function = FunctionId(1);
    row.call = i;
    row.result = i < 12 ? 1.0 / static_cast<double>(i) : NAN;
    row.nan = i < 12 ? 0 : 1;
    d.checked_calls.push_back(row);
  }
  return d;
}

}  // namespace

class ValuesTest : public WindowCase {
  Q_OBJECT

  ValuesView& view() { return *window().values(); }
  void with_values(const Document& d = values_document()) {
    window().session().show(d);
    QTest::keyClick(&window(), Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
    window().selection().select(Selection::of_trace(document(), TraceId(7)));
    QApplication::processEvents();
    QCOMPARE(window().view(), QStringLiteral("values"));
    QVERIFY(!view().is_asking());
  }
  ValueDetail* detail() { return window().inspector()->findChild<ValueDetail*>(); }

 private Q_SLOTS:
  // The finding is of the node where it began, in every place from which it is opened.
  void a_finding_leads_to_its_node() {
    const Document d = values_document();
    explain::Finding f;
    f.cause = "first_nan";
    f.function = FunctionId(1);
    f.example = TraceId(7);
    f.severity = explain::Severity::kWrongResult;
    f.title = "The first NaN is in call 12";
    explain::Findings found;
    found.found.push_back(f);
    const FindingList list = list_of(d, found);
    const auto card = std::ranges::find(list.cards, q(f.title), &FindingCard::title);
    QVERIFY(card != list.cards.end());
    QCOMPARE(card->target.kind, Selection::Kind::kNode);
    QCOMPARE(card->target.graph, GraphId(3));
    QCOMPARE(card->target.node, 1u);  // the log of 0, of which the NaN was made
    const Landing landing = landing_of(d, list);
    QCOMPARE(landing.selection, card->target);
    QCOMPARE(landing.view, QStringLiteral("values"));
    const FindingContent content = finding_content(d, *card);
    QCOMPARE(content.evidence[0].name, QStringLiteral("Node"));
    QCOMPARE(content.evidence[0].value, QStringLiteral("loss/Log"));
    QCOMPARE(content.evidence[1].value, QStringLiteral("2 -Inf of 12"));
    with_values();
    window().show_view(QStringLiteral("retraces"));
    for (const char* view : {"graph", "values"}) {
      Q_EMIT window().findings()->opened(*card);
      window().selection().clear();
      LinkButton* link = nullptr;
      for (LinkButton* one : window().finding_page()->findChildren<LinkButton*>())
        if (one->text() == QStringLiteral("Show in ") + (QLatin1String(view) == "graph" ? "Graph" : "Values"))
          link = one;
      QVERIFY(link);
      QTest::mouseClick(link, Qt::LeftButton);
      QCOMPARE(window().view(), QLatin1String(view));
      QCOMPARE(selected(), card->target);
    }
  }

  // Calls 3, 5 and 12; the node is served by another trace in call 5, and did not run in call 3.
  void a_node_over_the_calls() {
    Document d = values_document();
    session::GraphRecord other = *d.graph(GraphId(3));
    other.id = GraphId(4);
    std::swap(other.nodes[0].name, other.nodes[1].name);
    std::swap(other.nodes[0].op, other.nodes[1].op);
    d.add(other);
    session::TraceRecord t = *d.trace(TraceId(7));
    t.id = TraceId(8), t.number = 2, t.graphs = {{"traced", GraphId(4)}};
    d.add(t);
    const auto add = [&d](uint64_t call, TraceId trace, std::vector<session::TensorValue> values) {
      auto made = std::make_shared<session::CallValues>(*d.values.front());
      made->call = call, made->trace = trace, made->reason = session::ValuesReason::kAsked;
      made->values = std::move(values);
      d.values.push_back(made);
    };
    session::TensorValue log = value(0, "(3)", {-4, -2, 0});
    log.graph = GraphId(4);
    log.mean = -2;
    add(5, TraceId(8), {log});
    add(3, TraceId(7), {value(0, "(3)", {1, 1, 1})});
    const auto found = node_over_calls(d, GraphId(3), 1);
    QCOMPARE(found.size(), size_t{3});
    QCOMPARE(found[0].call->call, uint64_t{3});
    QVERIFY(!found[0].value && found[1].value && found[2].value);
    QCOMPARE(found[1].value->mean, -2.0);
    QCOMPARE(found[2].value->negative_infinity, int64_t{2});
    window().session().show(d);
    window().show_view(QStringLiteral("values"));
    window().selection().select(Selection::of_node(document(), GraphId(3), 1));
    NodeCallsView& over = *view().over_calls();
    QVERIFY(over.isVisible());
    QCOMPARE(over.title(), QStringLiteral("loss/Log in 3 recorded calls, ran in 2"));
    const auto cell = [&](int row, const char* column) {
      return over.model().index(row, over.model().column(column)).data().toString();
    };
    QCOMPARE(cell(0, "Mean"), QStringLiteral("Did not run"));
    QCOMPARE(cell(1, "Minimum"), QStringLiteral("-4"));
    QCOMPARE(cell(2, "Inf"), QStringLiteral("2"));
    QCOMPARE(over.table()->currentIndex().row(), 2);
    // A row shows its call, with the node selected that it is there.
    over.table()->setFocus();
    QTest::keyClick(over.table(), Qt::Key_Up);
    QCOMPARE(view().calls()->currentText(), QStringLiteral("step, call 5"));
    QCOMPARE(selected().graph, GraphId(4));
    QCOMPARE(selected().node, 0u);
    QCOMPARE(over.table()->currentIndex().row(), 1);
    // One recorded call is no row of calls.
    window().session().show(values_document());
    window().selection().select(Selection::of_node(document(), GraphId(3), 1));
    QVERIFY(!over.isVisible());
  }

  void several_calls_are_asked_for() {
    Document d = values_document();
    query::CallSums sums;
    sums.calls = 500;
    d.set_calls(FunctionId(1), sums);
    window().session().show(d);
    window().show_view(QStringLiteral("values"));
    window().selection().select(Selection::of_trace(document(), TraceId(7)));
    view().ask();
    QSignalSpy asked(&view(), &ValuesView::run_asked);
    view().call_box()->setValue(3);
    QCOMPARE(view().last_box()->minimum(), 3);
    QCOMPARE(view().last_box()->maximum(), 102);
    view().last_box()->setValue(12);
    QCOMPARE(view().record_button()->text(), QStringLiteral("Run again and record calls 3 to 12"));
    QVERIFY(view().start_text().contains(QStringLiteral("Each call of step from 3 to 12")));
    QTest::mouseClick(view().record_button(), Qt::LeftButton);
    QCOMPARE(words_of(asked[0][0].value<ValuesPlan>()),
             (QStringList{QStringLiteral("--values"), QStringLiteral("step:3-12")}));
  }

  void both_parts_of_a_complex_value() {
    session::TensorValue v = value(0, "(2)", {});
    v.dtype = "complex64";
    v.elements = 2;
    const float parts[] = {3, -4, 0, 1};
    v.data.bytes.assign(reinterpret_cast<const char*>(parts), sizeof parts);
    QCOMPARE(explain::kept_elements(v), int64_t{2});
    QCOMPARE(explain::kept_element(v, 0), 5.0);  // its magnitude
    QCOMPARE(explain::kept_part(v, 0, explain::ComplexPart::kImaginary), -4.0);
    const explain::PartFigures real = explain::figures_of(v, explain::ComplexPart::kReal);
    QCOMPARE(real.maximum, 3.0);
    QCOMPARE(real.mean, 1.5);
    QCOMPARE(as_numpy(v), QStringLiteral("np.array([3-4j, 0+1j], dtype=np.complex64).reshape(2)"));
    Document d = values_document();
    auto call = std::make_shared<session::CallValues>(*d.values.front());
    call->values = {v};
    d.values = {call};
    window().session().show(d);
    window().selection().select(Selection::of_node(document(), GraphId(3), 0));
    QVERIFY(detail());
    QStringList tiles;
    for (const QFrame* tile : detail()->findChildren<QFrame*>()) tiles << tile->accessibleName();
    QVERIFY(tiles.contains(QStringLiteral("Real parts, Maximum 3")));
    QVERIFY(tiles.contains(QStringLiteral("Imaginary parts, Minimum -4")));
  }

  void the_story_and_the_table() {
    with_values();
    QVERIFY(view().story().contains(QStringLiteral("The first NaN comes from loss/Mul: Mul(0, -Inf) is NaN")));
    QVERIFY(view().story().contains(QStringLiteral("the first infinity comes from loss/Log: Log(0) is -Inf")));
    QVERIFY(view().story().contains(QStringLiteral("14 calls were searched")));
    QCOMPARE(view().table()->model()->rowCount(), 3);
    QCOMPARE(view().calls()->currentText(), QStringLiteral("step, call 12: first NaN"));
    // The row where it began has the keyboard, and nothing else is selected for it.
    QCOMPARE(view().table()->currentIndex().row(), 1);
    QVERIFY(selected().kind == Selection::Kind::kTrace);
    QVERIFY(view().strip()->isVisible());
    QCOMPARE(view().strip()->accessibleDescription(), QStringLiteral("Calls 1 to 14; 3 hold NaN"));
    view().only_bad()->click();
    const QAbstractItemModel& bad = *view().table()->model();
    QCOMPARE(bad.rowCount(), 1);
    QCOMPARE(bad.index(0, bad.columnCount() - 1).data().toString(), QStringLiteral("2 NaN"));
  }

  void keys_go_to_where_it_began() {
    with_values();
    view().table()->setFocus();
    QTest::keyClick(view().table(), Qt::Key_N);
    QCOMPARE(selected().node, uint32_t{2});
    QTest::keyClick(view().table(), Qt::Key_I);
    QCOMPARE(selected().node, uint32_t{1});
    QCOMPARE(view().table()->currentIndex().row(), 1);
    QTest::keyClick(view().table(), Qt::Key_Up);
    QCOMPARE(selected().node, uint32_t{0});
    QTest::keyClick(view().table(), Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("graph"));
  }

  // Elements of one row that hold the same are listed once.
  void places_of_a_row_are_one() {
    Document d = values_document();
    auto call = std::make_shared<session::CallValues>(*d.values[0]);
    call->values[2] = value(2, "(2, 2, 3)", {1, NAN, NAN, NAN, 0, -INFINITY, NAN, NAN, NAN, 0, 0, 2});
    d.values[0] = call;
    with_values(d);
    window().selection().select(Selection::of_node(document(), GraphId(3), 2));
    QVERIFY(detail());
    QStringList places;
    for (LinkButton* link : detail()->findChildren<LinkButton*>())
      if (link->text().startsWith(QLatin1Char('['))) places << link->text();
    QCOMPARE(places.join(QStringLiteral("; ")),
             QStringLiteral("[0, 0, 1–2]  NaN  of 0, -Inf; [0, 1, 0]  NaN  of 0, -Inf; [0, 1, 2]  -Inf  of 0; "
                            "[1, 0, 0–2]  NaN  of 0, -Inf"));
  }

  void a_value_in_the_inspector() {
    with_values();
    window().selection().select(Selection::of_node(document(), GraphId(3), 1));
    QVERIFY(detail());
    HeatMap* const map = detail()->heat_map();
    QCOMPARE(map->accessibleName(), QStringLiteral("Heat map of loss/Log"));
    QCOMPARE(detail()->cursor_text(), QStringLiteral("[0, 0, 1]  -Inf"));
    QCOMPARE(detail()->slice_boxes().size(), size_t{1});
    map->setFocus();
    QTest::keyClick(map, Qt::Key_N);
    QCOMPARE(detail()->cursor_text(), QStringLiteral("[1, 1, 0]  -Inf"));
    QCOMPARE(detail()->slice_boxes()[0]->value(), 1);
    QTest::keyClick(map, Qt::Key_End);
    QCOMPARE(detail()->cursor_text(), QStringLiteral("[1, 1, 2]  -2"));
    QTest::keyClick(map, Qt::Key_Up);
    QCOMPARE(detail()->cursor_text(), QStringLiteral("[1, 0, 2]  0"));
    detail()->slice_boxes()[0]->setValue(0);
    QCOMPARE(detail()->cursor_text(), QStringLiteral("[0, 0, 2]  0"));
    QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(3, 3));
    QCOMPARE(detail()->cursor_text(), QStringLiteral("[0, 0, 0]  -1"));
    QVERIFY(map->accessibleDescription().startsWith(QStringLiteral("[0, 0, 0]  -1")));
    for (LinkButton* link : detail()->findChildren<LinkButton*>())
      if (link->text() == QStringLiteral("Copy as NumPy")) link->click();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("np.array([-1, -np.inf, 0, ")));
    QVERIFY(QGuiApplication::clipboard()->text().endsWith(QStringLiteral("dtype=np.float32).reshape(2, 2, 3)")));
    QCOMPARE(as_csv(*document().values[0]->values.data()).count(QLatin1Char('\n')), 4);
    window().selection().select(Selection::of_node(document(), GraphId(3), 3));
    QVERIFY(as_markdown(window().inspector()->content()).contains(QStringLiteral("did not run in the recorded call")));
  }

  void copies_have_all_digits_and_extremes_a_colour() {
    session::TensorValue v = value(0, "(3)", {0, 0, 0});
    const double elements[] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(), 0.1 + 0.2};
    v.dtype = "float64", v.width = 8, v.minimum = elements[1], v.maximum = elements[0];
    v.data.bytes.assign(reinterpret_cast<const char*>(elements), sizeof elements);
    QVERIFY(as_csv(v).contains(QStringLiteral("0.30000000000000004")));
    HeatMap map;
    map.set(&v, QStringLiteral("x"));  // the range of these elements is no double
    map.resize(200, 160);
    map.grab();
    v.minimum = -std::numeric_limits<double>::infinity();  // as a damaged file may say
    map.set(&v, QStringLiteral("x"));
    map.grab();
    v.dtype = "int64";
    const double integers[] = {1234567891, -5, 7};
    v.data.bytes.assign(reinterpret_cast<const char*>(integers), sizeof integers);
    QVERIFY(as_numpy(v).startsWith(QStringLiteral("np.array([1234567891, -5, 7], dtype=np.int64)")));
  }

  void what_was_not_kept_is_said() {
    session::TensorValue v = value(0, "(2, 2, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    v.data.bytes.resize(4 * 4);
    HeatMap map;
    map.set(&v, QStringLiteral("x"));
    map.set_cursor(5);
    QCOMPARE(map.cursor_text(), QStringLiteral("[0, 1, 2]  not kept"));
    QVERIFY(as_numpy(v).isEmpty());
    v.data.bytes.clear(), v.width = 0;
    QVERIFY(!next_not_finite(v, 0));
    map.set(&v, QStringLiteral("x"));
    map.resize(200, 160);
    map.grab();
    session::TensorValue none = value(0, "(0, 3)", {});
    map.set(&none, QStringLiteral("x"));
    QTest::keyClick(&map, Qt::Key_Right);
    map.grab();
  }

  void the_graph_shows_where_it_spread() {
    with_values();
    for (QPushButton* button : view().findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Show in the graph")) button->click();
    QCOMPARE(window().view(), QStringLiteral("graph"));
    window().settle();
    const GraphPlan& plan = std::as_const(*window().graph()->canvas()).plan();
    const auto numbers = [&](uint32_t node) {
      return plan.boxes.at(static_cast<size_t>(plan.place_of(GraphId(3), node)));
    };
    QVERIFY(numbers(0).numbers == PlanBox::Numbers::kFinite);
    QVERIFY(numbers(1).numbers == PlanBox::Numbers::kInfinity);
    QVERIFY(numbers(2).numbers == PlanBox::Numbers::kNan);
    QVERIFY(numbers(3).numbers == PlanBox::Numbers::kUnknown);
    QCOMPARE(numbers(2).numbers_text, QStringLiteral("2 NaN"));
    QVERIFY(window().graph()->canvas()->colour() == GraphColour::kNumbers);
    window().graph()->canvas()->grab();
  }

  void without_values_it_says_how_to_get_them() {
    Document d = values_document();
    d.values.clear();
    d.checked_calls.clear();
    window().session().show(std::move(d));
    window().selection().select(Selection::of_node(document(), GraphId(3), 1));
    QVERIFY(!detail());
    window().show_view(QStringLiteral("values"));
    QVERIFY(view().is_asking());
    QVERIFY(view().start_text().contains(QStringLiteral("What do the tensors of step hold?")));
    QSignalSpy asked(&view(), &ValuesView::run_asked);
    view().record_button()->click();
    QCOMPARE(asked.size(), 1);
    const QStringList words{QStringLiteral("--values"), QStringLiteral("step:1")};
    QCOMPARE(words_of(asked[0][0].value<ValuesPlan>()), words);
    view().check_button()->click();
    QCOMPARE(words_of(asked[1][0].value<ValuesPlan>()), QStringList{QStringLiteral("--check-numerics")});
  }

  void commands_of_menu_and_palette() {
    with_values();
    QTest::keyClick(&window(), Qt::Key_1, Qt::ControlModifier);
    QTest::keyClick(&window(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(window().view(), QStringLiteral("values"));
    QVERIFY(view().is_asking());
    window().selection().select(Selection::of_node(document(), GraphId(3), 0));
    QVERIFY(view().is_asking());  // until it is left
  }
};

QTEST_MAIN(ValuesTest)
#include "test_values.moc"
