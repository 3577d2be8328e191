// The views by mouse and keyboard, and how a selection in one changes the others.
#include "tests/app/window_case.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QToolTip>

using namespace footlight;
using namespace footlight::app;

class ViewsTest : public WindowCase {
  Q_OBJECT

 private Q_SLOTS:
  void table_and_key_by_mouse_and_keys() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    Table* table = window().retraces()->table();
    const QRect row = table->visualRect(table->model()->index(2, 0));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(selected().trace, TraceId(12));
    QCOMPARE(window().retraces()->diff()->diff().differing, 1);
    QTest::keyClick(table, Qt::Key_Down);
    QCOMPARE(selected().trace, TraceId(13));
    // The navigator and the strip show the same trace.
    QCOMPARE(window().navigator()->tree()->currentIndex().data(NavigatorModel::kTraceId).toUInt(), 13u);
    QTest::keyClick(&window(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(selected().trace, TraceId(12));
    QCOMPARE(table->currentIndex().row(), 2);
    QTest::keyClick(&window(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(selected().trace, TraceId(13));
    QTest::keyClick(&window(), Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(selected().trace, TraceId(12));
  }

  void strip_is_clicked_and_walked() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    CallStrip* strip = window().retraces()->strip();
    size_t fourth = 0;
    for (size_t i = 0; i < strip->cells().size(); ++i) {
      if (strip->cells()[i].kind == StripCell::Kind::kTrace && strip->cells()[i].number == 4) fourth = i;
    }
    QTest::mouseClick(strip, Qt::LeftButton, {}, strip->cell_rect(fourth).center().toPoint());
    QCOMPARE(selected().trace, TraceId(13));
    strip->setFocus();
    QTest::keyClick(strip, Qt::Key_Period);
    QCOMPARE(selected().trace, TraceId(14));
    QTest::keyClick(strip, Qt::Key_Comma);
    QCOMPARE(selected().trace, TraceId(13));
  }

  void key_groups_open_and_close() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    KeyDiffView* diff = window().retraces()->diff();
    const size_t before = diff->shown().size();
    diff->setFocus();
    QTest::keyClick(diff, Qt::Key_Down);
    QTest::keyClick(diff, Qt::Key_Down);
    QTest::keyClick(diff, Qt::Key_Right);   // captures
    QVERIFY(diff->shown().size() > before);
    QTest::keyClick(diff, Qt::Key_Left);
    QCOMPARE(diff->shown().size(), before);
  }

  // Names that look like HTML are shown as they are: no label, tool tip or item may open the files in them.
  void names_that_look_like_html_stay_text() {
    SampleRun run = sample_run();
    Document& d = run.document;
    const std::string bad = "<img src=\"file:///nowhere/picture.png\">";
    const auto spoil = [&](std::string& text) { text = bad + text; };
    for (auto* text : {&d.run.script, &d.run.python, &d.run.engine, &d.run.machine, &d.end->reason}) spoil(*text);
    for (auto& f : d.files) spoil(f.path), spoil(f.text);
    for (auto& c : d.codes) spoil(c.qualname);
    for (auto& f : d.functions) {
      spoil(f.name);
      for (auto& p : f.parameters) spoil(p);
    }
    for (auto& t : d.traces) {
      for (auto* text : {&t.signature, &t.why}) spoil(*text);
      if (t.number == 6) t.error = bad;
      for (auto& leaf : t.key)
        for (auto* text : {&leaf.parameter, &leaf.type, &leaf.shape, &leaf.value}) spoil(*text);
      for (auto& c : t.captures) spoil(c);
    }
    for (auto& g : d.graphs) {
      spoil(g.name);
      for (auto& n : g.nodes) {
        for (auto* text : {&n.name, &n.op, &n.attributes, &n.constant}) spoil(*text);
        for (auto& o : n.outputs) spoil(o);
      }
    }
    for (auto& g : d.generated) {
      spoil(g.name), spoil(g.text);
      for (auto& s : g.statements) s.note = bad;
    }
    for (auto& x : d.decisions) spoil(x.note);
    const ConsoleLog printed = std::exchange(d.console, {});
    for (const ConsolePiece c : printed) {
      session::ConsoleRecord record{c.time_ns, c.stream, std::string(c.text)};
      spoil(record.text);
      d.console.push_back(record);
    }
    for (auto& op : d.ops) spoil(op.name);
    write_session(at("html.footlight"), run);
    open_recording(at("html.footlight"));

    const auto is_tag = [](const QString& text) { return text.contains(QStringLiteral("<img")); };
    int labels = 0, tips = 0, escaped = 0;
    const auto walk_items = [&](const QAbstractItemModel& model, const QModelIndex& parent, auto&& self) -> void {
      for (int row = 0; row < model.rowCount(parent); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column) {
          const QString tip = model.index(row, column, parent).data(Qt::ToolTipRole).toString();
          QVERIFY2(!is_tag(tip), qPrintable(tip));
          tips += !tip.isEmpty(), escaped += tip.contains(QStringLiteral("&lt;img"));
        }
        if (const QModelIndex first = model.index(row, 0, parent); model.hasChildren(first)) self(model, first, self);
      }
    };
    const auto walk = [&] {
      window().grab();  // elided text gets its tool tip when it is painted
      for (const QWidget* w : window().findChildren<QWidget*>()) {
        QVERIFY2(!is_tag(w->toolTip()), qPrintable(w->toolTip()));
        escaped += w->toolTip().contains(QStringLiteral("&lt;img"));
        if (const auto* label = qobject_cast<const QLabel*>(w)) {
          QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->text()));
          labels += is_tag(label->text());
        }
        if (const auto* view = qobject_cast<const QAbstractItemView*>(w); view && view->model())
          walk_items(*view->model(), {}, walk_items);
        if (const auto* box = qobject_cast<const QComboBox*>(w)) walk_items(*box->model(), {}, walk_items);
      }
    };
    const Document& shown = document();
    for (const char* view : {"graph", "retraces", "autograph", "timeline", "source", "diff", "findings", "console"}) {
      window().show_view(QLatin1String(view));
      for (const Selection& s : {Selection::of_function(shown, FunctionId(1)), Selection::of_trace(shown, TraceId(12)),
                                 Selection::of_node(shown, GraphId(10), 3)}) {
        select(s);
        walk();
      }
    }
    QVERIFY(labels > 10);
    QVERIFY(tips > 10 && escaped > 10);
    // Tool tips of painted items.
    go_to_view("graph");
    GraphCanvas* canvas = window().graph()->canvas();
    const int box = canvas->plan().box_of(GraphId(10), 3);
    canvas->set_selected({box});
    canvas->frame_selected();
    const QPoint there = canvas->to_screen(canvas->plan().boxes[static_cast<size_t>(box)].rect.center()).toPoint();
    QHelpEvent help(QEvent::ToolTip, there, canvas->mapToGlobal(there));
    QApplication::sendEvent(canvas, &help);
    QVERIFY(QToolTip::text().contains(QStringLiteral("&lt;img")) && !is_tag(QToolTip::text()));
    QToolTip::hideText();
  }

  void graph_by_keys() {
    with_sample();
    go_to_view("graph");
    GraphCanvas* canvas = window().graph()->canvas();
    QVERIFY(canvas->plan().boxes.size() > 10);
    canvas->setFocus();
    QVERIFY(window().select_by_name(QStringLiteral("MatMul")));
    QCOMPARE(selected().node, 3u);
    QTest::keyClick(canvas, Qt::Key_Down);
    QCOMPARE(selected().node, 4u);
    QTest::keyClick(canvas, Qt::Key_Up);
    QCOMPARE(selected().node, 3u);
    const double before = canvas->scale();
    QTest::keyClick(canvas, Qt::Key_Minus);
    QVERIFY(canvas->scale() < before);
    QTest::keyClick(canvas, Qt::Key_Plus);
    QVERIFY(std::abs(canvas->scale() - before) < 1e-9);
    QTest::keyClick(canvas, Qt::Key_F);
    const int box = canvas->plan().box_of(GraphId(10), 3);
    const QPointF centre = canvas->to_screen(canvas->plan().boxes[static_cast<size_t>(box)].rect.center());
    QVERIFY(QRectF(canvas->rect()).contains(centre));
    QTest::keyClick(canvas, Qt::Key_Home);
    // Every box is on the screen now.
    for (const PlanBox& b : canvas->plan().boxes)
      QVERIFY(canvas->visible_world().adjusted(-2, -2, 2, 2).contains(b.rect));
    // Enter closes the branches of the cond, and opens them again.
    QVERIFY(window().select_by_name(QStringLiteral("cond")));
    press(canvas, Qt::Key_Return);
    QCOMPARE(canvas->plan().areas.size(), size_t{1});
    press(canvas, Qt::Key_Return);
    QCOMPARE(canvas->plan().areas.size(), size_t{3});
  }

  void graph_by_mouse_links_to_code() {
    with_sample();
    go_to_view("graph");
    GraphCanvas* canvas = window().graph()->canvas();
    const auto click = [&](GraphId graph, uint32_t node) {
      const int box = canvas->plan().box_of(graph, node);
      canvas->set_selected({box});
      canvas->frame_selected();
      QTest::mouseClick(
          canvas, Qt::LeftButton, {},
          canvas->to_screen(canvas->plan().boxes[static_cast<size_t>(box)].rect.center()).toPoint());
    };
    click(GraphId(10), 10);
    QCOMPARE(selected().node, 10u);
    QCOMPARE(place_of(document(), selected()).line, 9);
    QCOMPARE(window().source()->code()->current(), 9);
    QCOMPARE(window().inspector()->content().title, QStringLiteral("Mul"));
    click(GraphId(100), 1);
    QCOMPARE(selected().graph, GraphId(100));
    QCOMPARE(selected().trace, TraceId(10));
  }

  void another_trace_keeps_the_picture_until_its_own_is_ready() {
    with_sample();
    go_to_view("graph");
    GraphCanvas* canvas = window().graph()->canvas();
    QCOMPARE(canvas->plan().root, GraphId(10));
    // The structure of this graph is not in the cache: Graphviz runs, and the old graph stays until it is done.
    window().selection().select(Selection::of_trace(document(), TraceId(20)));
    QCOMPARE(canvas->plan().root, GraphId(10));
    window().settle();
    QCOMPARE(canvas->plan().root, GraphId(20));
  }

  void autograph_links_both_ways() {
    with_sample();
    window().show_view(QStringLiteral("autograph"));
    CodeView *source = window().autograph()->source(), *generated = window().autograph()->generated();
    QCOMPARE(source->lines().front().number, 4);
    QCOMPARE(generated->lines().size(), size_t{6});
    source->setFocus();
    // Row 3 is line 7, the `if`.
    QTest::mouseClick(source->viewport(), Qt::LeftButton, {}, QPoint(120, 4 + 26 * 3 + 10));
    QCOMPARE(selected().place.line, 7);
    QCOMPARE(generated->current(), 3);
    QTest::keyClick(source, Qt::Key_Down);
    QCOMPARE(selected().place.line, 8);
    QTest::mouseClick(generated->viewport(), Qt::LeftButton, {}, QPoint(120, 4 + 24 * 5 + 10));
    QCOMPARE(selected().place.line, 9);
    QCOMPARE(source->current(), 9);
    // Nodes of that line are marked in the graph.
    go_to_view("graph");
    QCOMPARE(window().graph()->canvas()->selected().size(), 3);
  }

  void timeline_by_keys_and_mouse() {
    with_sample();
    go_to_view("timeline");
    TimelineCanvas* canvas = window().timeline()->canvas();
    const int64_t whole = canvas->to() - canvas->from();
    canvas->setFocus();
    QTest::keyClick(canvas, Qt::Key_W);
    QVERIFY(canvas->to() - canvas->from() < whole);
    const int64_t from = canvas->from();
    QTest::keyClick(canvas, Qt::Key_D);
    QVERIFY(canvas->from() > from);
    QTest::keyClick(canvas, Qt::Key_A);
    QVERIFY(std::abs(canvas->from() - from) < 10);
    QTest::keyClick(canvas, Qt::Key_S);
    QTest::keyClick(canvas, Qt::Key_Home);
    QTest::keyClick(canvas, Qt::Key_Period);
    QTRY_COMPARE(selected().kind, Selection::Kind::kCall);
    const CallId first = selected().call;
    QTest::keyClick(canvas, Qt::Key_Period);
    QTRY_VERIFY(selected().call != first);
    QTest::keyClick(canvas, Qt::Key_Comma);
    QTRY_COMPARE(selected().call, first);
    window().settle();
    QTest::keyClick(canvas, Qt::Key_F);
    QVERIFY(canvas->to() - canvas->from() < whole);
    QTest::keyClick(canvas, Qt::Key_Home);
    // Dragging selects a range, and the table shows that range.
    window().settle();
    const int before = window().timeline()->ops().rowCount();
    QVERIFY(before > 0);
    QTest::mousePress(canvas, Qt::LeftButton, {}, QPoint(200, 100));
    QTest::mouseMove(canvas, QPoint(300, 100));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, QPoint(300, 100));
    QVERIFY(canvas->has_marked_range());
    window().settle();
    QTest::keyClick(canvas, Qt::Key_Escape);
    QVERIFY(!canvas->has_marked_range());
  }

  void a_node_is_found_in_the_timeline() {
    with_sample();
    go_to_view("timeline");
    QVERIFY(window().select_by_name(QStringLiteral("MatMul")));
    TimelineCanvas* canvas = window().timeline()->canvas();
    press(canvas, Qt::Key_F);
    QCOMPARE(window().timeline()->ops().index(0, 0).data().toString(), QStringLiteral("MatMul"));
    QVERIFY(canvas->to() - canvas->from() <= 80'000);
  }

  void search_by_keys() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(window().palette()->isVisible());
    QTest::keyClicks(window().palette()->input(), QStringLiteral("relu"));
    QVERIFY(window().palette()->list()->model()->rowCount() > 0);
    QTest::keyClick(window().palette()->input(), Qt::Key_Return);
    QVERIFY(!window().palette()->isVisible());
    QCOMPARE(window().view(), QStringLiteral("graph"));
    QCOMPARE(selected().node, 4u);
    QTest::keyClick(&window(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClicks(window().palette()->input(), QStringLiteral("timeline"));
    QTest::keyClick(window().palette()->input(), Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("timeline"));
    window().open_palette();
    QTest::keyClicks(window().palette()->input(), QStringLiteral("nowhere"));
    QVERIFY(window().palette()->nothing()->isVisible());
    QVERIFY(window().palette()->nothing()->text().contains(QStringLiteral("nowhere")));
    QTest::keyClick(window().palette()->input(), Qt::Key_Escape);
    QVERIFY(!window().palette()->isVisible());
  }

  void a_finding_leads_to_its_retrace() {
    with_sample();
    window().show_view(QStringLiteral("source"));
    QTest::keyClick(&window(), Qt::Key_F8);
    QCOMPARE(window().view(), QStringLiteral("retraces"));
    QCOMPARE(selected().trace, TraceId(11));
    QVERIFY(window().findings()->cards().front()->property("chosen").toBool());
  }

  void each_finding_is_reached_by_its_key() {
    with_sample();
    const auto& cards = window().findings()->cards();
    QVERIFY(!cards.empty());
    for (size_t i = 0; i < cards.size() + 1; ++i) {
      QTest::keyClick(&window(), Qt::Key_F8);
      const FindingWidget* const opened = cards[i % cards.size()];
      for (const FindingWidget* card : cards)
        if (card != opened || card->card().target.kind != Selection::Kind::kNothing)
          QCOMPARE(card->property("chosen").toBool(), card == opened);
    }
  }

  void console_places_lead_to_the_line() {
    with_sample();
    window().show_view(QStringLiteral("console"));
    const ConsoleLines& lines = window().console()->lines();
    QCOMPARE(lines.size(), size_t{8});
    QCOMPARE(lines.stream(document(), 6), session::ConsoleStream::kTfPrint);
    ConsoleText* text = window().console()->text();
    text->moveCursor(QTextCursor::End);
    QTest::keyClick(text, Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("source"));
    QCOMPARE(selected().place.line, 17);
  }

  // Traceback lines and places in Footlight's own messages, by keyboard and mouse; files that are not in the session
  // are read from the disk.
  void errors_in_the_console_lead_to_their_lines() {
    QTemporaryDir folder;
    QFile helper(folder.filePath(QStringLiteral("my helper.py")));
    QVERIFY(helper.open(QIODevice::WriteOnly));
    helper.write("def half(x):\n  return x / 2\n\nhalf('a')\n");
    helper.close();
    Document d = sample_document();
    const std::string known = d.files.front().path;
    const size_t files = d.files.size();
    d.console.clear();
    for (const std::string& line :
         {std::string("Traceback (most recent call last):\n"), "  File \"" + known + "\", line 12, in <module>\n",
          "  File \"" + helper.fileName().toStdString() + "\", line 2, in half\n",
          std::string("InvalidArgumentError: MatMul: In[0] mismatch [Op:MatMul] (train.py:9, in train_step)\n"),
          std::string("  File \"/nowhere/gone.py\", line 3, in f\n")})
      d.console.push_back({d.first_ns(), session::ConsoleStream::kStderr, line});
    show_document(std::move(d));
    ConsoleText* text = window().console()->text();
    const auto line_now = [&] { return selected().place.line; };
    window().show_view(QStringLiteral("console"));
    text->moveCursor(QTextCursor::Start);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(window().view(), QStringLiteral("source"));
    QCOMPARE(line_now(), 12);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 2);
    QCOMPARE(document().files.size(), files + 1);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 9);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 9);  // the file is gone: a message, and nothing else changes
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 12);
    QTest::keyClick(&window(), Qt::Key_F4, Qt::ShiftModifier);
    QTest::keyClick(&window(), Qt::Key_F4, Qt::ShiftModifier);
    QCOMPARE(line_now(), 9);
    // By mouse, with the cursor in the middle of the place.
    text->moveCursor(QTextCursor::Start);
    QTextCursor cursor = text->document()->find(QStringLiteral("my helper"));
    cursor.clearSelection();
    text->setTextCursor(cursor);
    text->ensureCursorVisible();
    const QPoint at = text->cursorRect().center();
    QTest::mouseMove(text->viewport(), at);
    QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(line_now(), 2);
  }
};

QTEST_MAIN(ViewsTest)
#include "test_views.moc"
