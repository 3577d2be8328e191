// Where the keys go: after the palette, after a click on a tab; and the palette's search on a large graph.
#include "tests/app/window_case.h"

#include "app/models/search.h"
#include "app/models/text.h"
#include "tests/session/records.h"

using namespace footlight;
using namespace footlight::app;

class FocusTest : public WindowCase {
  Q_OBJECT

 private Q_SLOTS:
  void escape_returns_the_keys() {
    with_sample();
    for (const char* view : {"graph", "retraces", "timeline", "source"}) {
      window().show_view(QLatin1String(view));
      QWidget* before = QApplication::focusWidget();
      QVERIFY(before);
      QTest::keyClick(&window(), Qt::Key_K, Qt::ControlModifier);
      QVERIFY(window().palette()->input()->hasFocus());
      QTest::keyClick(window().palette()->input(), Qt::Key_Escape);
      QVERIFY(!window().palette()->isVisible());
      QCOMPARE(QApplication::focusWidget(), before);
    }
  }

  void a_click_on_a_tab_gives_the_keys_to_the_view() {
    with_sample();
    Tabs* tabs = window().tabs();
    for (int i : {3, 1, 5}) {  // tab 4 is Ranks, which one process does not have
      QTest::mouseClick(tabs, Qt::LeftButton, Qt::NoModifier, tabs->tabRect(i).center());
      QCOMPARE(tabs->currentIndex(), i);
      QTRY_VERIFY(!tabs->hasFocus());
      QWidget* now = QApplication::focusWidget();
      QVERIFY(now && now->isVisible() && now != tabs);
    }
  }

  // The quick search finds what a plain one finds.
  void every_word_of_a_large_graph() {
    Document d;
    d.add(session::FunctionRecord{FunctionId(1), "deep", session::FileId(1), 2, 1, {"x"}});
    d.add(trace_of(TraceId(1), FunctionId(1), 1, GraphId(1)));
    d.add(layered_graph(GraphId(1), 4000));
    const session::GraphRecord& g = *d.graph(GraphId(1));
    for (const QString& query : {QStringLiteral("layer_7"), QStringLiteral("RELU 12"), QStringLiteral("matmul f32["),
                                 QStringLiteral("nothing at all")}) {
      size_t matching = 0;
      for (const session::NodeRecord& n : g.nodes) {
        const QString all = (q(n.name) + QLatin1Char(' ') + q(n.op) + QLatin1Char(' ') +
                             (n.outputs.empty() ? QString() : short_type(q(n.outputs.front()))) + QLatin1Char(' ') +
                             q(n.attributes)).toLower();
        bool every = true;
        for (const QString& word : query.toLower().split(QLatin1Char(' '))) every &= all.contains(word);
        matching += every;
      }
      const auto hits = search(&d, {}, GraphId(1), query, 1'000'000);
      size_t nodes = 0;
      for (const SearchHit& hit : hits) nodes += hit.kind == SearchHit::Kind::kNode;
      QCOMPARE(nodes, matching);
      // Cut short, it has the best ones.
      const auto few = search(&d, {}, GraphId(1), query, 20);
      QCOMPARE(few.size(), std::min<size_t>(20, hits.size()));
      for (size_t i = 0; i < few.size(); ++i) QCOMPARE(few[i].text, hits[i].text);
    }
  }
};

QTEST_MAIN(FocusTest)
#include "test_focus.moc"
