// The Source tab with real mouse and keys: columns, modes, marks, editing, finding, and files of a million lines.
#include "tests/app/window_case.h"

#include <cmath>

#include "app/models/line_costs.h"
#include "app/models/line_marks.h"
#include "app/models/text.h"
#include "app/views/source_view.h"

#include <QAccessible>
#include <QComboBox>
#include <QElapsedTimer>
#include <QScrollBar>

using namespace footlight;
using namespace footlight::app;

class SourceViewTest : public WindowCase {
  Q_OBJECT

 private:
  SourceView& source() { return *window().source(); }
  // The sample in the Source tab, its lines summed up.
  void with_source() {
    with_sample();
    go_to_view("source");
  }
  const CostCell* cell(const LineCosts& costs, int line) {
    const auto at = costs.cells.find(line);
    return at == costs.cells.end() ? nullptr : &at->second;
  }
  QString read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  // A recording of a script that exists, so that it can be edited.
  QString with_script(const QByteArray& on_disk) {
    const QString path = at("train.py");
    write(path, on_disk);
    SampleRun run = sample_run();
    run.document.run.script = path.toStdString();
    session::FileRecord file = run.document.files.front();
    file.path = path.toStdString();
    run.document.add(file);
    write_session(at("edited.footlight"), run);
    open_recording(at("edited.footlight"));
    window().show_view(QStringLiteral("source"));
    return path;
  }

 private Q_SLOTS:
  // What became of a statement is said beside it also where its code is long, until somebody reads the code.
  void a_note_has_its_share_beside_long_code() {
    CodeView view;
    CodeLine line;
    line.number = 1;
    line.text = QStringLiteral("for weight, gradient in zip(weights, tape.gradient(loss, weights)):");
    line.note = QStringLiteral("the condition is a tensor: both branches are in the graph");
    line.tone = QStringLiteral("red");
    CodeLine other;
    other.number = 2;
    view.set_lines({line, other});
    view.resize(400, 120);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const auto note_pixels = [&] {
      const QImage picture = view.viewport()->grab().toImage();
      int found = 0;
      for (int y = 0; y < 26; ++y)
        for (int x = picture.width() / 2; x < picture.width(); ++x)
          found += picture.pixelColor(x, y).red() > picture.pixelColor(x, y).blue() + 80;
      return found;
    };
    const auto move_to = [&](int y) {
      const QPoint at(60, y);
      QMouseEvent event(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton, {}, {});
      QApplication::sendEvent(view.viewport(), &event);
    };
    move_to(90);
    QVERIFY(note_pixels() > 20);
    move_to(12);
    QCOMPARE(note_pixels(), 0);
  }

  // The sample's rows, added up here in another way.
  void columns_say_what_was_recorded() {
    with_source();
    const SampleRun run = sample_run();
    int64_t relu = 0, mul = 0, tracing = 0;
    uint64_t eager = 0;
    for (size_t i = 0; i < run.ops.size(); ++i) {
      const int64_t took = run.ops.end_ns[i] - run.ops.start_ns[i];
      if (!run.ops.node[i].valid()) ++eager;
      else if (run.ops.node[i].value == 3 || run.ops.node[i].value == 4) relu += took;
      else if (run.ops.node[i].value == 10) mul += took;
    }
    for (const auto& t : run.document.traces) {
      if (t.function == FunctionId(1)) tracing += t.end_ns - t.start_ns;
    }
    const query::LineSums& sums = window().session().lines().sums();
    const session::FileId file(1);
    QCOMPARE(sums.at(file, 6)->traced_ns, relu);
    QCOMPARE(sums.at(file, 6)->traced_runs, uint64_t{24});
    QCOMPARE(sums.at(file, 6)->nodes, uint64_t{4});
    QCOMPARE(sums.at(file, 9)->traced_ns, mul);
    QCOMPARE(sums.at(file, 5)->tracing_ns, tracing);
    QCOMPARE(sums.at(file, 16)->eager_ops, eager);
    QCOMPARE(sums.at(file, 17)->calls, uint64_t{run.calls.size()});
    const LineCosts costs = line_costs(sums, file, CostMode::kTime);
    QCOMPARE(costs.titles.front(), QStringLiteral("Time, ms"));
    QCOMPARE(cell(costs, 5)->time, QString::number(static_cast<double>(tracing) / 1e6, 'f', 2));
    QCOMPARE(cell(costs, 5)->runs, QStringLiteral("6"));
    QCOMPARE(cell(costs, 5)->share, 1.0);
    QCOMPARE(costs.slowest, 5);
    QVERIFY2(source().sentence().startsWith(costs.sentence), qPrintable(source().sentence()));
    QCOMPARE(costs.half, size_t{1});
    QVERIFY2(!costs.sentence.contains(QStringLiteral("half of it")), qPrintable(costs.sentence));
    // The line that costs most is named, with its share of all, and gone to by key.
    int64_t total = 0, most = 0;
    for (const auto& [at_line, sum] : sums.lines)
      if (at_line.first == file) total += sum.time(), most = std::max(most, sum.time());
    const auto share = std::lround(100.0 * static_cast<double>(most) / static_cast<double>(total));
    QVERIFY2(costs.sentence.endsWith(QStringLiteral("; line 5 costs most, %1 % of that time").arg(share)),
             qPrintable(costs.sentence));
    // The share at a line is of the whole run, as in the reports: here a quarter of it.
    query::LineSums slow = sums;
    const int64_t whole = run.document.duration_ns();
    slow.lines[{file, 9}].traced_ns = whole / 4;
    std::unordered_map<int, CodeLine> notes;
    mark_lines(run.document, slow, file, notes);
    // What tracing runs of a line that has nodes, shapes for example, does not make it an eager one.
    for (const int at_line : {31, 32}) slow.lines[{file, at_line}].eager_ops = 13;
    slow.lines[{file, 31}].nodes = 4;
    // Nodes that never ran, such as a constant that a pass folded, are in the graph, and so is what a line called.
    slow.lines[{file, 33}].nodes = 1;
    slow.lines[{file, 34}].called_nodes = 2;
    notes.clear();
    mark_lines(run.document, slow, file, notes);
    QCOMPARE(notes[31].strip, QStringLiteral("violet"));
    QCOMPARE(notes[32].strip, QStringLiteral("blue"));
    QCOMPARE(notes[33].strip, QStringLiteral("violet"));
    QCOMPARE(notes[34].strip, QStringLiteral("violet"));
    QCOMPARE(notes[9].note, duration_text(whole / 4) + QStringLiteral(", 25.0 % of the run"));
    window().selection().select(Selection::of_line(document(), {file, 17}));
    source().lead()->link()->setFocus();
    QTest::keyClick(source().lead()->link(), Qt::Key_Space);
    QCOMPARE(selected().place, (SourcePlace{file, 5}));
    QVERIFY(source().code()->hasFocus());
    QVERIFY(!cell(costs, 14));
  }

  // A line parts the program's files from a library's: it is no file.
  void the_file_is_named_above_its_text() {
    Document d;
    d.run.script = "/run/own.py";
    d.add(session::FileRecord{session::FileId(0), "/run/own.py", "import keras\n"});
    d.add(session::FileRecord{session::FileId(1), "/v/lib/python3.11/site-packages/keras/layer.py", "x = 1\n"});
    window().session().show(d);
    go_to_view("source");
    QCOMPARE(source().findChild<QComboBox*>()->currentText(), QStringLiteral("own.py"));
  }

  // A number that is cut would be another number.
  void a_note_is_cut_between_words() {
    const QFont font = theme().ui(-1);
    const QFontMetricsF metrics(font);
    const QString note = QString::fromUtf8("traced 11 times, as 9 functions · retraced here 2 times");
    const auto width_of = [&](const char* text) { return metrics.horizontalAdvance(QString::fromUtf8(text)); };
    QCOMPARE(note_within(note, font, metrics.horizontalAdvance(note)), note);
    const char* parts[] = {"traced 11 times, as 9 functions…", "traced 11 times…", "traced…", "…"};
    for (const char* part : parts) QCOMPARE(note_within(note, font, width_of(part)), QString::fromUtf8(part));
    QCOMPARE(note_within(note, font, width_of("traced 1…")), QString::fromUtf8("traced…"));
    QCOMPARE(note_within(note, font, 1), QString());
  }

  void modes_by_mouse() {
    with_source();
    const query::LineSums& sums = window().session().lines().sums();
    int64_t parts = 0;
    for (const CostMode mode : {CostMode::kEager, CostMode::kTraced, CostMode::kTracing}) {
      QTest::mouseClick(source().mode_button(mode), Qt::LeftButton);
      QCOMPARE(source().mode(), mode);
      const LineCosts costs = line_costs(sums, session::FileId(1), mode);
      QVERIFY(source().sentence().startsWith(costs.sentence));
      parts += costs.total_ns;
    }
    QCOMPARE(parts, line_costs(sums, session::FileId(1), CostMode::kTime).total_ns);
    source().mode_button(CostMode::kTime)->setFocus();
    QTest::keyClick(source().mode_button(CostMode::kTime), Qt::Key_Space);
    QCOMPARE(source().mode(), CostMode::kTime);
  }

  void marks() {
    with_source();
    const CodeText& text = source().code()->text();
    QCOMPARE(text.line(4).note, QString::fromUtf8("traced 6 times"));
    QCOMPARE(text.line(4).tone, QStringLiteral("amber"));
    QVERIFY(text.line(16).note.contains(QStringLiteral("retraced here 5 times")));
    QVERIFY(text.line(6).note.contains(QStringLiteral("both branches traced")));
    QCOMPARE(text.line(6).tone, QStringLiteral("violet"));
    QVERIFY(text.line(11).note.contains(QStringLiteral("traced once")));
    QVERIFY(text.line(13).note.isEmpty());
  }

  void a_click_selects_the_line_everywhere() {
    with_source();
    CodeView* code = source().code();
    // Below the titles; row 5 is line 6.
    QTest::mouseClick(code->viewport(), Qt::LeftButton, {}, QPoint(300, 30 + 24 * 5 + 10));
    QCOMPARE(selected().place.line, 6);
    window().settle();
    const InspectorContent& says = window().inspector()->content();
    const auto value = [&](const QString& label) {
      for (const InspectorRow& r : says.groups.front().rows) {
        if (r.label == label) return r.value;
      }
      return QString();
    };
    QCOMPARE(value(QStringLiteral("Ran")), QStringLiteral("24 times, in graphs"));
    QCOMPARE(value(QStringLiteral("Ops")), QStringLiteral("48"));
    QVERIFY(value(QStringLiteral("Time")).contains(QStringLiteral("a run")));
    QTest::mouseClick(code->viewport(), Qt::LeftButton, {}, QPoint(300, 10));  // the titles are no line
    QCOMPARE(selected().place.line, 6);
    QTest::keyClick(code, Qt::Key_Down);
    QCOMPARE(selected().place.line, 7);
    QTest::keyClick(code, Qt::Key_End);
    QCOMPARE(selected().place.line, 18);
  }

  void find_by_keys() {
    with_source();
    CodeView* code = source().code();
    code->setFocus();
    QTest::keyClick(code, Qt::Key_F, Qt::ControlModifier);
    QVERIFY(source().find()->isVisible());
    QVERIFY(!window().palette()->isVisible());
    QTest::keyClicks(source().find()->input(), QStringLiteral("BATCH"));
    QTRY_VERIFY(!source().find()->searching());
    const QString script = QString::fromStdString(sample_script());
    const qsizetype wanted = script.count(QStringLiteral("batch"), Qt::CaseInsensitive);
    QCOMPARE(source().find()->count_text(), QStringLiteral("1 of %1").arg(wanted));
    QTest::keyClick(source().find()->input(), Qt::Key_Return);
    QCOMPARE(source().find()->count_text(), QStringLiteral("2 of %1").arg(wanted));
    QTest::keyClick(source().find()->input(), Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(source().find()->input(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(source().find()->count_text(), QStringLiteral("%1 of %1").arg(wanted));
    QTest::keyClicks(source().find()->input(), QStringLiteral("nowhere"));
    QTRY_COMPARE(source().find()->count_text(), QStringLiteral("No match"));
    QTest::keyClick(source().find()->input(), Qt::Key_Escape);
    QVERIFY(!source().find()->isVisible());
    QVERIFY(code->hasFocus());
  }

  void edit_save_and_conflict() {
    const QString path = with_script(QByteArray::fromStdString(sample_script()));
    QTest::mouseClick(source().edit_button(), Qt::LeftButton);
    SourceEditor* editor = source().editor();
    QVERIFY(source().editing() && editor->hasFocus());
    QVERIFY2(source().note_text().isEmpty(), qPrintable(source().note_text()));
    editor->moveCursor(QTextCursor::Start);
    QTest::keyClicks(editor, QStringLiteral("# new"));
    QTest::keyClick(editor, Qt::Key_Return);
    QVERIFY(editor->modified());
    // Edits are not lost by closing the window once, nor by selecting a line of another file.
    QVERIFY(!window().close());
    QVERIFY(source().note_text().contains(QStringLiteral("not saved")));
    QTest::keyClick(editor, Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!editor->modified());
    QCOMPARE(read(path), QStringLiteral("# new\n") + QString::fromStdString(sample_script()));
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(editor->toPlainText() != read(path));
    QTest::keyClick(editor, Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_X);
    // Somebody else writes: nothing of theirs is lost without asking.
    write(path, "theirs = 1\n");
    QTest::keyClick(editor, Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(read(path), QStringLiteral("theirs = 1\n"));
    QVERIFY(source().note_text().contains(QStringLiteral("changed on the disk")));
    QVERIFY(editor->modified());
    for (QPushButton* b : source().findChildren<QPushButton*>()) {
      if (b->text() == QStringLiteral("Keep mine and save")) QTest::mouseClick(b, Qt::LeftButton);
    }
    QVERIFY(read(path).startsWith(QStringLiteral("# new\n")));
    // Unmodified text follows the disk.
    write(path, "theirs = 2\n");
    QTRY_COMPARE(editor->toPlainText(), QStringLiteral("theirs = 2\n"));
    QTest::keyClick(editor, Qt::Key_Escape);
    QVERIFY(!source().editing());
  }

  void what_is_edited_is_said() {
    with_script("other = 1\n");
    source().edit_button()->setFocus();
    QTest::keyClick(source().edit_button(), Qt::Key_Space);
    QVERIFY(source().editing());
    QCOMPARE(source().editor()->toPlainText(), QStringLiteral("other = 1\n"));
    QVERIFY(source().note_text().contains(QStringLiteral("not the text that was recorded")));
    source().edit_button()->setChecked(false);
    write(at("train.py"), QByteArray("bad = '\xff'\n"));
    QTest::mouseClick(source().edit_button(), Qt::LeftButton);
    QVERIFY(!source().editing());
    QVERIFY(source().note_text().contains(QStringLiteral("not UTF-8")));
    QVERIFY(QFile::remove(at("train.py")));
    QTest::mouseClick(source().edit_button(), Qt::LeftButton);
    QVERIFY(source().note_text().contains(QStringLiteral("cannot be read")));
  }

  void line_ends_are_kept() {
    const QString path = with_script("a = 1\r\nb = 2\r\n");
    QTest::mouseClick(source().edit_button(), Qt::LeftButton);
    SourceEditor* editor = source().editor();
    editor->moveCursor(QTextCursor::End);
    QTest::keyClicks(editor, QStringLiteral("if b:"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTest::keyClicks(editor, QStringLiteral("c = 3"));
    QVERIFY(source().save_edits());
    QCOMPARE(read(path), QStringLiteral("a = 1\r\nb = 2\r\nif b:\r\n    c = 3"));
  }

  void nothing_else_changes_in_a_file() {
    const QString path = with_script("a = '\xc2\xa0'  # a no-break space\n");
    QTest::mouseClick(source().edit_button(), Qt::LeftButton);
    source().editor()->moveCursor(QTextCursor::End);
    QTest::keyClicks(source().editor(), QStringLiteral("b"));
    QVERIFY(source().save_edits());
    QCOMPARE(read(path), QString::fromUtf8("a = '\xc2\xa0'  # a no-break space\nb"));
    source().edit_button()->setChecked(false);
    write(path, "a = 1\r\nb = 2\n");
    QTest::mouseClick(source().edit_button(), Qt::LeftButton);
    QVERIFY(!source().editing());
    QVERIFY(source().note_text().contains(QStringLiteral("line ends of several kinds")));
  }

  void what_is_typed_is_not_replaced_by_what_is_found() {
    const QString path = with_script("abc = 1\nabc = 2\n");
    QTest::mouseClick(source().edit_button(), Qt::LeftButton);
    SourceEditor* editor = source().editor();
    QTest::keyClick(editor, Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(source().find()->input(), QStringLiteral("abc"));
    QTRY_VERIFY(!source().find()->searching());
    editor->setFocus();
    editor->moveCursor(QTextCursor::End);
    for (const QChar c : QStringLiteral("new = 3")) {
      QTest::keyClick(editor, c.toLatin1());
      QTRY_VERIFY(!source().find()->searching());
    }
    QVERIFY(source().save_edits());
    QCOMPARE(read(path), QStringLiteral("abc = 1\nabc = 2\nnew = 3"));
  }

  // What is drawn does not grow with the file, and finding goes on in slices.
  void a_million_lines() {
    Document d = sample_document();
    session::FileRecord file = d.files.front();
    for (int i = 0; i < 1'000'000; ++i) file.text += i % 1000 ? "x = 'some text' # 12\n" : "needle = 1\n";
    d.add(file);
    window().session().show(std::move(d));
    go_to_view("source");
    CodeView* code = source().code();
    QCOMPARE(code->text().size(), size_t{1'000'018});
    code->setFocus();
    QTest::keyClick(code, Qt::Key_End);
    QTest::qWait(20);
    QCOMPARE(selected().place.line, 1'000'018);
    const auto fits = static_cast<size_t>(code->viewport()->height() / 24 + 4);
    code->viewport()->repaint();
    QVERIFY2(code->painted_rows() <= fits, qPrintable(QString::number(code->painted_rows())));
    QVERIFY(code->painted_rows() > 5);
    code->verticalScrollBar()->setValue(code->verticalScrollBar()->maximum() / 2);
    code->viewport()->repaint();
    QVERIFY(code->painted_rows() <= fits);
    QTest::keyClick(code, Qt::Key_F, Qt::ControlModifier);
    source().find()->input()->setText(QStringLiteral("needle"));
    QVERIFY(source().find()->searching());  // the rest follows
    QTRY_VERIFY(!source().find()->searching());
    QCOMPARE(source().find()->found().size(), size_t{1000});
  }

  // As text, line by line, with what stands beside a line as the description.
  void for_a_screen_reader() {
    with_source();
    CodeView* code = source().code();
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(code);
    QVERIFY(face && face->textInterface());
    QCOMPARE(face->role(), QAccessible::EditableText);
    QVERIFY(face->state().readOnly);
    QAccessibleTextInterface* text = face->textInterface();
    const QString whole = QString::fromStdString(sample_script()).chopped(1);
    QCOMPARE(text->characterCount(), static_cast<int>(whole.size()));
    QCOMPARE(text->text(0, text->characterCount()), whole);
    QCOMPARE(text->text(10, 60), whole.mid(10, 50));
    int start = 0, end = 0;
    const int line_five = static_cast<int>(whole.indexOf(QStringLiteral("def train_step")));
    QCOMPARE(text->textAtOffset(line_five + 3, QAccessible::LineBoundary, &start, &end),
             QStringLiteral("def train_step(batch, lr, training):\n"));
    QCOMPARE(start, line_five);
    QCOMPARE(text->textBeforeOffset(line_five, QAccessible::LineBoundary, &start, &end),
             QStringLiteral("@tf.function\n"));
    text->setCursorPosition(line_five);
    QCOMPARE(code->current(), 5);
    QCOMPARE(text->cursorPosition(), line_five);
    QVERIFY(code->accessibleDescription().contains(QStringLiteral("traced 6 times")));
    QVERIFY(code->accessibleDescription().contains(QStringLiteral("Time, ms")));
    QCOMPARE(text->offsetAtPoint(text->characterRect(line_five).center()), line_five);
  }

  void python_in_colour() {
    LineState state = LineState::kCode;
    const auto tokens = python_tokens(QStringLiteral("    def f(x=1.5, s='#no'):  # yes"), state);
    QStringList seen;
    const QString line = QStringLiteral("    def f(x=1.5, s='#no'):  # yes");
    for (const ColouredText& t : tokens) seen << line.mid(t.start, t.length);
    QCOMPARE(seen, (QStringList{QStringLiteral("def"), QStringLiteral("f"), QStringLiteral("1.5"),
                                QStringLiteral("'#no'"), QStringLiteral("# yes")}));
    QCOMPARE(state_after("x = \"\"\"text", LineState::kCode), LineState::kTripleDouble);
    QCOMPARE(state_after("still # text", LineState::kTripleDouble), LineState::kTripleDouble);
    QCOMPARE(state_after("end\"\"\" # '''", LineState::kTripleDouble), LineState::kCode);
    QCOMPARE(state_after("'\\'' + '''", LineState::kCode), LineState::kTripleSingle);
  }
};

QTEST_MAIN(SourceViewTest)
#include "test_source_view.moc"
