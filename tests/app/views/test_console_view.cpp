// The console and the AutoGraph tab with real keys: filter, find, a million lines, typed input; linked sides.
#include "tests/app/window_case.h"

#include "app/models/source_lines.h"
#include "app/views/autograph_view.h"
#include "app/views/console_view.h"

#include <QScrollBar>

using namespace footlight;
using namespace footlight::app;

class ConsoleViewTest : public WindowCase {
  Q_OBJECT

 private:
  ConsoleView& console() { return *window().console(); }
  void with_console(std::vector<session::ConsoleRecord> records) {
    Document d = sample_document();
    d.console.clear();
    for (const session::ConsoleRecord& record : records) d.console.push_back(record);
    window().session().show(std::move(d));
    window().show_view(QStringLiteral("console"));
    QTRY_VERIFY(!console().working());
  }
  QStringList shown() { return console().text()->toPlainText().split(QLatin1Char('\n')); }

 private Q_SLOTS:
  void filter_and_streams() {
    using Stream = session::ConsoleStream;
    with_console({{1, Stream::kStdout, "loss 1\nstep\n"},
                  {2, Stream::kTfPrint, "loss 2\n"},
                  {3, Stream::kStderr, "bad Loss\n"}});
    QCOMPARE(shown().size(), 4);
    console().filter()->setFocus();
    QTest::keyClicks(console().filter(), QStringLiteral("loss"));
    QCOMPARE(shown(), (QStringList{QStringLiteral("loss 1"), QStringLiteral("loss 2"), QStringLiteral("bad Loss")}));
    QCOMPARE(console().count_text(), QStringLiteral("3 of 4 lines"));
    QTest::mouseClick(console().stream_button(Stream::kTfPrint), Qt::LeftButton);
    QCOMPARE(shown(), (QStringList{QStringLiteral("loss 1"), QStringLiteral("bad Loss")}));
    console().filter()->clear();
    QCOMPARE(shown().size(), 3);
    QTest::mouseClick(console().stream_button(Stream::kTfPrint), Qt::LeftButton);
    QCOMPARE(shown().size(), 4);
    QTest::keyClicks(console().filter(), QStringLiteral("nowhere"));
    QCOMPARE(console().rows(), size_t{0});
  }

  void find() {
    with_console({{1, session::ConsoleStream::kStdout, "a needle\nb\nneedle needle\n"}});
    console().text()->setFocus();
    QTest::keyClick(console().text(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(console().find()->isVisible());
    QTest::keyClicks(console().find()->input(), QStringLiteral("needle"));
    QTRY_VERIFY(!console().find()->searching());
    QCOMPARE(console().find()->found().size(), size_t{3});
    QTest::keyClick(console().find()->input(), Qt::Key_Return);
    QCOMPARE(console().text()->textCursor().selectedText(), QStringLiteral("needle"));
  }

  // Only a part is in the text; finding reaches all of it.
  void a_million_lines() {
    std::vector<session::ConsoleRecord> records;
    for (int r = 0; r < 1000; ++r) {
      std::string text;
      for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(r * 1000 + i) + "\n";
      records.push_back({r + 1, session::ConsoleStream::kStdout, text});
    }
    with_console(std::move(records));
    QCOMPARE(console().lines().size(), size_t{1'000'000});
    // 11.9 MB of text, and no allocation for each line.
    QVERIFY(console().lines().bytes() + document().console.bytes() < 22'000'000);
    QVERIFY(console().text()->document()->blockCount() < 13'000);
    QVERIFY(console().text()->toPlainText().endsWith(QStringLiteral("line 999999")));
    QTest::keyClick(console().text(), Qt::Key_F, Qt::ControlModifier);
    console().find()->input()->setText(QStringLiteral("line 500000"));
    QTRY_VERIFY(!console().find()->searching());
    QCOMPARE(console().find()->found().size(), size_t{1});
    QCOMPARE(console().text()->textCursor().block().text(), QStringLiteral("line 500000"));
    QVERIFY(console().count_text().contains(QStringLiteral("are shown")));
    QTest::keyClick(console().find()->input(), Qt::Key_Escape);
    QVERIFY(console().text()->toPlainText().endsWith(QStringLiteral("line 999999")));
    console().filter()->setText(QStringLiteral("99999"));
    QTRY_VERIFY(!console().working());
    QCOMPARE(console().rows(), size_t{19});  // 99999, 199999 … 999999 and 999990 … 999998
  }

  void typed_text_goes_to_the_script() {
    with_console({{1, session::ConsoleStream::kStdout, "name? "}});
    QStringList sent;
    connect(&console(), &ConsoleView::entered, this, [&](const QString& line) { sent << line; });
    console().set_input_open(true);
    window().show_view(QStringLiteral("graph"));
    QTest::keyClick(&window(), Qt::Key_8, Qt::ControlModifier);
    QVERIFY(console().input()->hasFocus());
    QTest::keyClicks(console().input(), QStringLiteral("Ada"));
    QTest::keyClick(console().input(), Qt::Key_Return);
    console().text()->setFocus();
    QTest::keyClick(console().text(), Qt::Key_B);
    QVERIFY(console().input()->hasFocus());
    QTest::keyClicks(console().input(), QStringLiteral("ob"));
    QTest::keyClick(console().input(), Qt::Key_Return);
    QCOMPARE(sent, (QStringList{QStringLiteral("Ada"), QStringLiteral("bob")}));
    // Ctrl+D ends the input, as in a terminal, and not where it would lose what was typed.
    int ended = 0;
    connect(&console(), &ConsoleView::input_ended, this, [&] { ++ended; });
    QTest::keyClicks(console().input(), QStringLiteral("x"));
    QTest::keyClick(console().input(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(ended, 0);
    QTest::keyClick(console().input(), Qt::Key_Backspace);
    QTest::keyClick(console().input(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(ended, 1);
    QVERIFY(!console().input()->isVisible());
    QVERIFY(console().text()->hasFocus());
    QCOMPARE(window().view(), QStringLiteral("graph"));
    QTest::keyClick(&window(), Qt::Key_8, Qt::ControlModifier);
    QVERIFY(console().text()->hasFocus());
  }

  // A helper that was converted for another function is reached from the one whose trace has its nodes.
  void converted_helpers_are_reached() {
    Document d = sample_document();
    session::GeneratedRecord helper = d.generated.front();
    helper.function = FunctionId(2);
    helper.code = CodeId(7);
    helper.name = "helper";
    d.add(helper);
    d.add(session::CodeRecord{CodeId(7), session::FileId(1), "helper", 4, {{1, 6}}});
    session::GraphRecord graph = *d.graph(GraphId(10));
    graph.nodes[4].source = {CodeId(7), 1};
    d.add(graph);
    window().session().show(std::move(d));
    window().show_view(QStringLiteral("autograph"));
    window().selection().select(Selection::of_trace(document(), TraceId(10)));
    QComboBox* choice = window().autograph()->choice();
    QVERIFY(choice->isVisible());
    QCOMPARE(choice->count(), 2);
    choice->setFocus();
    QTest::keyClick(choice, Qt::Key_Down);
    QCOMPARE(choice->currentText(), QStringLiteral("helper"));
    window().selection().select(Selection::of_trace(document(), TraceId(11)));
    QCOMPARE(choice->count(), 1);
  }

  void find_in_generated_code() {
    with_sample();
    window().show_view(QStringLiteral("autograph"));
    CodeView* generated = window().autograph()->generated();
    generated->setFocus();
    QTest::keyClick(generated, Qt::Key_F, Qt::ControlModifier);
    FindBar* find = window().autograph()->find();
    QVERIFY(find->isVisible());
    QTest::keyClicks(find->input(), QStringLiteral("ag__"));
    QTRY_COMPARE(find->count_text(), QStringLiteral("1 of 2"));
    QTest::keyClick(find->input(), Qt::Key_Escape);
    QVERIFY(generated->hasFocus());
  }

  void generated_line_links_open_the_view() {
    with_sample();
    go_to_view("graph");
    QVERIFY(window().select_by_name(QStringLiteral("Relu")));
    window().settle();
    for (QPushButton* b : window().inspector()->findChildren<QPushButton*>()) {
      if (!b->text().startsWith(QStringLiteral("line "))) continue;
      QTest::mouseClick(b, Qt::LeftButton);
      break;
    }
    QCOMPARE(window().view(), QStringLiteral("autograph"));
    QCOMPARE(selected().kind, Selection::Kind::kGenerated);
    QCOMPARE(window().autograph()->generated()->current(), 2);
  }
};

QTEST_MAIN(ConsoleViewTest)
#include "test_console_view.moc"
