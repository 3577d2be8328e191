// Where a person lands after a run, the words of an error everywhere, and the ways into the window and out of it.
#include "tests/app/stand_in.h"
#include "tests/app/window_case.h"

#include "app/models/run_end.h"
#include "app/models/text.h"
#include "app/models/traces_model.h"
#include "app/session/runs.h"
#include "tests/session/records.h"

#include <QDesktopServices>
#include <QMessageBox>
#include <QSettings>
#include <QStandardPaths>

#include <tuple>

using namespace footlight;
using namespace footlight::app;

namespace {

constexpr const char* kWords = "ValueError: the sizes 3 and 4 differ at layers.py:2";

std::string error_text() {
  return "ValueError: in user code:\n\n    File \"/tmp/train.py\", line 4, in train_step  *\n        project(x)\n"
         "    File \"/run/layers.py\", line 2, in project  *\n        y = x @ w\n\n"
         "    ValueError: the sizes 3 and 4 differ\n";
}

// The sample, which ends with an error: of a trace, or else of the script alone.
Document failed_document(bool in_a_trace) {
  Document d = sample_document();
  d.add(session::FileRecord{session::FileId(40), "/run/layers.py", "def project(x):\n    y = x @ w\n"});
  if (in_a_trace) {
    session::TraceRecord t = d.traces.back();
    t.error = error_text();
    d.add(t);
  }
  session::ConsoleRecord printed;
  printed.stream = session::ConsoleStream::kStderr;
  printed.text = "Traceback (most recent call last):\n  File \"/tmp/train.py\", line 9, in <module>\n    go()\n";
  d.console.push_back(printed);
  printed.text = error_text();
  d.console.push_back(printed);
  d.end->exit_code = 1;
  d.end->reason = kWords;
  return d;
}

}  // namespace

class LandingTest : public WindowCase {
  Q_OBJECT

  // A recorder that copies the sample's session, says "ready" and ends after `seconds`, or when it is told to stop.
  void with_stand_in(const char* seconds) {
    install_stand_in(folder_.path(),
                     QByteArray("import sys, os, shutil, select\n"
                                "out = sys.argv[sys.argv.index('-o') + 1]\n"
                                "shutil.copy(os.environ['SAMPLE_SESSION'], out)\n"
                                "with open(os.environ['SAMPLE_SESSION'] + '.words', 'w') as f:\n"
                                "    f.write(repr((sys.argv[1:], os.getcwd(), os.environ.get('COLOUR'))))\n"
                                "fd = int(sys.argv[sys.argv.index('--commands') + 1])\n"
                                "select.select([fd], [], [], ") +
                         seconds + ")\n");
    qputenv("SAMPLE_SESSION", at("sample.footlight").toUtf8());
    write(at("script.py"), sample_script().c_str());
  }
  QMessageBox* quit_box() { return window().findChild<QMessageBox*>(QStringLiteral("quitBox")); }
  void press(QMessageBox* box, const char* text) {
    for (QAbstractButton* b : box->buttons())
      if (b->text() == QLatin1String(text)) return QTest::mouseClick(b, Qt::LeftButton);
    QFAIL("there is no such button");
  }

 private Q_SLOTS:
  void an_error_in_all_places() {
    const Document d = failed_document(true);
    const QString words = QLatin1String(kWords);
    QCOMPARE(run_end(d).text, words);
    QCOMPARE(run_end(d).place.line, 2);
    const FindingList list = findings_of(d);
    QCOMPARE(list.cards.front().detail, QStringLiteral("ValueError: the sizes 3 and 4 differ"));
    QCOMPARE(list.cards.front().place_text, QStringLiteral("layers.py:2"));
    QCOMPARE(run_note(d, list.cards), words);
    QCOMPARE(reason_text(d.traces.back()), words);
    show_document(d);
    QCOMPARE(window().top_bar()->status_text(), words);
    // The trace that failed is selected, and Retraces shows why.
    QCOMPARE(selected().trace, d.traces.back().id);
    QVERIFY(!window().selection().can_go_back());
  }

  void an_error_without_a_trace() {
    const Document d = failed_document(false);
    const FindingList list = findings_of(d);
    QCOMPARE(list.cards.front().title, QStringLiteral("The script ended with an error"));
    QCOMPARE(list.cards.front().place_text, QStringLiteral("layers.py:2"));
    const Landing landing = landing_of(d, list);
    QCOMPARE(landing.view, QStringLiteral("source"));
    QCOMPARE(place_of(d, landing.selection).line, 2);
    // The way to the error, not that of a call of the line that worked.
    QStringList stack;
    for (const CallerFrame& frame : stack_of_end(d))
      stack << QString::fromStdString(frame.name) + QLatin1Char(' ') + d.place_text(frame.place);
    QCOMPARE(stack.join(QStringLiteral(", ")),
             QStringLiteral("project layers.py:2, train_step train.py:4, <module> train.py:9"));
    bool is_shown = false;
    for (const InspectorGroup& group : inspect(d, landing.selection, nullptr).groups)
      is_shown |= group.title == QStringLiteral("Called from, when the script failed") && group.rows.size() == 3;
    QVERIFY(is_shown);
    // A traceback that was only printed is no end of the script.
    Document printed = failed_document(false);
    printed.end->exit_code = 3;
    printed.end->reason = "exited with status 3";
    QCOMPARE(run_end(printed).text, QStringLiteral("Exited with status 3"));
    QVERIFY(run_end(printed).error.message.empty());
  }

  // Python's traceback knows nothing of the functions between the call of a graph and the line of the node that failed.
  void the_way_through_a_graph_to_its_error() {
    Document d = failed_document(false);
    const session::FileId layers(40);
    const session::FileId train = d.file_named("/tmp/train.py");
    QVERIFY(train.valid());
    session::CodeRecord code{CodeId(90), layers, "project", 1, {}};
    code.lines.emplace_back(2, 2);
    d.add(code);
    uint32_t last_location = 900;
    const auto add_node = [&](uint32_t graph, int line_of_helper) {
      session::LocationId caller;
      const std::tuple<const char*, session::FileId, int> stack[] = {
          {"train_step", train, 4}, {"helper", train, line_of_helper}, {"project", layers, 2}};
      for (const auto& [name, file, line] : stack) {
        d.add(location_of(session::LocationId(last_location), file, line, caller, name));
        caller = session::LocationId(last_location++);
      }
      session::NodeRecord node;
      node.name = "MatMul_1", node.source = {CodeId(90), 2}, node.location = caller;
      session::GraphRecord made;
      made.id = GraphId(graph);
      made.nodes = {node};
      d.add(made);
    };
    const auto stack = [&] {
      QStringList words;
      for (const CallerFrame& frame : stack_of_end(d)) words << QString::fromStdString(frame.name);
      return words.join(QStringLiteral(", "));
    };
    add_node(900, 7);
    QCOMPARE(stack(), QStringLiteral("project, train_step, <module>"));  // the error names no node
    session::ConsoleRecord printed;
    printed.stream = session::ConsoleStream::kStderr;
    printed.text = "Traceback (most recent call last):\n  File \"/tmp/train.py\", line 9, in <module>\n    go()\n"
                   "  File \"/tmp/train.py\", line 4, in train_step\n    project(x)\n"
                   "footlight.errors.InvalidArgumentError: it failed\n\t [[{{node MatMul_1}}]]\n"
                   "    File \"/run/layers.py\", line 2, in project\n";
    d.console.push_back(printed);
    QCOMPARE(stack(), QStringLiteral("project, helper, train_step, <module>"));
    // Two ways lead to nodes of that name: which of them failed is not recorded.
    add_node(901, 6);
    QCOMPARE(stack(), QStringLiteral("project, train_step, <module>"));
  }

  void the_busiest_function_where_nothing_is_found() {
    Document d = sample_document();
    const FunctionId evaluate = d.functions.back().id;
    QVERIFY(evaluate != FunctionId(1));
    QCOMPARE(landing_of(d, findings_of(d)).selection.function, FunctionId(1));  // of the first finding
    query::CallSums sums = d.calls_of(evaluate);
    sums.total_ns = int64_t{1} << 50;
    d.set_calls(evaluate, sums);
    QCOMPARE(landing_of(d, {}).selection.function, evaluate);
    QCOMPARE(landing_of(d, {}).view, QStringLiteral("retraces"));
    // A library's function only where there is no other.
    session::FileRecord library{session::FileId(41), "/v/lib/python3.11/site-packages/keras/trainer.py", ""};
    d.add(library);
    session::FunctionRecord moved = *d.function(evaluate);
    moved.file = library.id;
    d.add(moved);
    QCOMPARE(landing_of(d, {}).selection.function, FunctionId(1));
    QCOMPARE(busiest_function(Document()).kind, Selection::Kind::kRun);
  }

  void a_run_lands_in_retraces() {
    with_stand_in("0.3");
    window().show_view(QStringLiteral("timeline"));
    QVERIFY(window().open(at("script.py")));
    window().run();
    QTRY_VERIFY_WITH_TIMEOUT(window().session().is_open() && !window().worker().running(), 20000);
    QTRY_COMPARE_WITH_TIMEOUT(window().view(), QStringLiteral("retraces"), 10000);
    QCOMPARE(selected().function, FunctionId(1));
    QCOMPARE(selected().kind, Selection::Kind::kFunction);
    QVERIFY(!window().selection().can_go_back());
  }

  // Whatever view was left last: the finding's is shown, once, and not over a view that was chosen meanwhile.
  void an_opened_recording_lands_in_the_view_of_its_first_finding() {
    window().show_view(QStringLiteral("compare"));
    QVERIFY(window().open(at("sample.footlight")));
    QTRY_COMPARE_WITH_TIMEOUT(window().view(), QStringLiteral("retraces"), 10000);
    QCOMPARE(selected().function, FunctionId(1));
    window().show_view(QStringLiteral("graph"));
    show_document(sample_document());
    QCOMPARE(window().view(), QStringLiteral("graph"));
    QVERIFY(window().open(at("sample.footlight")));
    go_to_view("timeline");  // as --view does
    QCOMPARE(window().view(), QStringLiteral("timeline"));
    QVERIFY(window().open(at("sample.footlight"), true));  // another run of the navigator
    window().settle();
    QCOMPARE(window().view(), QStringLiteral("timeline"));
  }

  // A library's function stands at the line that calls the library: neither that line nor a finding means it.
  void a_library_s_function_is_no_place_to_land() {
    Document d = sample_document();
    session::FileRecord script{session::FileId(50), "/run/fit.py", "import keras\nmodel = build()\nmodel.fit(data)\n"};
    d.add(script);
    session::FunctionRecord made = *d.function(FunctionId(1));
    made.id = FunctionId(70);
    made.name = "Dataset_map_permutation";
    made.file = script.id;
    made.line = 3;
    made.decorator_line = 0;
    d.add(made);
    session::TraceRecord trace = d.traces.front();
    trace.id = TraceId(70);
    trace.function = made.id;
    d.add(trace);
    const SourcePlace place{script.id, 3};
    QVERIFY(!Selection::of_line(d, place).function.valid());
    FindingList list;
    FindingCard card;
    card.finding.emplace();
    card.place = place;
    card.target = Selection::of_trace(d, trace.id);
    for (const Selection& target : {Selection::of_trace(d, trace.id), Selection::of_line(d, place)}) {
      card.target = target;
      list.cards = {card};
      const Landing landing = landing_of(d, list), same = landing_at(d, card);
      QCOMPARE(same.selection, landing.selection);
      QCOMPARE(landing.view, QStringLiteral("source"));
      QCOMPARE(landing.selection.kind, Selection::Kind::kLine);
      QCOMPARE(landing.selection.place.line, 3);
      QVERIFY(!landing.selection.function.valid());
    }
    // What Keras traces of the model is the person's.
    made.id = FunctionId(71);
    made.name = "train_function";
    d.add(made);
    QCOMPARE(Selection::of_line(d, place).function, FunctionId(71));
  }

  void who_has_gone_elsewhere_stays_there() {
    with_stand_in("1.2");
    window().show_view(QStringLiteral("timeline"));
    QVERIFY(window().open(at("script.py")));
    window().run();
    QTRY_VERIFY_WITH_TIMEOUT(window().session().is_open() && !window().session().loading(), 20000);
    window().show_view(QStringLiteral("graph"));
    const FunctionId evaluate = document().functions.back().id;
    window().selection().select(Selection::of_function(document(), evaluate));
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running(), 20000);
    QTest::qWait(600);
    QCOMPARE(window().view(), QStringLiteral("graph"));
    QCOMPARE(selected().function, evaluate);
  }

  void another_run_stays_at_what_was_looked_at() {
    with_stand_in("0.1");
    SampleRun run = sample_run();
    run.document.run.script = at("script.py").toStdString();
    write_session(at("own.footlight"), run);
    qputenv("SAMPLE_SESSION", at("own.footlight").toUtf8());
    QVERIFY(window().open(at("script.py")));
    window().run();
    QTRY_COMPARE_WITH_TIMEOUT(selected().function, FunctionId(1), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running(), 20000);
    QTest::qWait(600);  // what follows the end of a run
    window().settle();
    const FunctionId evaluate = document().functions.back().id;
    window().selection().select(Selection::of_function(document(), evaluate));
    window().show_view(QStringLiteral("graph"));
    const QString first = window().session().path();
    window().run();
    QTRY_VERIFY_WITH_TIMEOUT(window().session().is_open() && window().session().path() != first, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running(), 20000);
    QTest::qWait(600);
    window().settle();
    QCOMPARE(window().view(), QStringLiteral("graph"));
    QCOMPARE(selected().function, evaluate);
  }

  void quitting_asks_while_a_script_runs() {
    with_stand_in("20");
    QVERIFY(window().open(at("script.py")));
    window().run();
    QTRY_VERIFY_WITH_TIMEOUT(window().session().is_open(), 20000);
    QVERIFY(!window().close());
    QVERIFY(window().isVisible());
    QMessageBox* box = quit_box();
    QVERIFY(box && box->isVisible());
    QVERIFY(box->text().startsWith(QStringLiteral("script.py is still running")));
    QTest::keyClick(box, Qt::Key_Escape);
    QTRY_VERIFY(!quit_box());
    QVERIFY(window().worker().running());
    window().close();
    press(quit_box(), "Stop and quit");
    QTRY_VERIFY_WITH_TIMEOUT(!window().isVisible(), 20000);
    QVERIFY(!window().worker().running());
  }

  void run_options_in_one_panel() {
    with_stand_in("0.1");
    QVERIFY(window().open(at("script.py")));
    QTest::keyClick(&window(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    RunPanel* panel = window().run_panel();
    QVERIFY(panel && panel->isVisible());
    for (int i = 0; i < panel->python()->count(); ++i) QVERIFY(QFileInfo(panel->python()->itemText(i)).isExecutable());
    QVERIFY(panel->python()->count() > 0);
    panel->directory()->setText(at("nowhere"));
    QCOMPARE(panel->problem(), QStringLiteral("There is no folder ") + at("nowhere"));
    QVERIFY(!panel->run_button()->isEnabled());
    panel->directory()->setText(folder_.path());
    panel->environment()->setPlainText(QStringLiteral("COLOUR"));
    QCOMPARE(panel->problem(), QStringLiteral("Write NAME=value; this is not: COLOUR"));
    panel->environment()->setPlainText(QStringLiteral("# what it is drawn in\nCOLOUR=deep = blue\n"));
    panel->python()->setEditText(at("script.py"));
    QVERIFY(panel->problem().endsWith(QStringLiteral("cannot be executed. Choose a Python interpreter.")));
    panel->python()->setEditText(QString());
    panel->arguments()->setText(QStringLiteral("--epochs 5 \"two words\""));
    QVERIFY(panel->problem().isEmpty());
    QTest::mouseClick(panel->run_button(), Qt::LeftButton);
    QVERIFY(!panel->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(at("sample.footlight.words")) && !window().worker().running(), 20000);
    QFile file(at("sample.footlight.words"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString words = QString::fromUtf8(file.readAll());
    QVERIFY2(words.contains(QStringLiteral("'--epochs', '5', 'two words']")), qPrintable(words));
    QVERIFY2(words.endsWith(QStringLiteral("'deep = blue')")), qPrintable(words));
    QCOMPARE(window().top_bar()->arguments().size(), 3);
    // Kept for the script.
    QSettings settings(at("options.ini"), QSettings::IniFormat);
    RunOptions options = window().run_options();
    options.arguments = window().top_bar()->arguments();
    save_options(settings, at("script.py"), options);
    QCOMPARE(load_options(settings, at("script.py")), options);
    QCOMPARE(load_options(settings, at("other.py")), RunOptions());
  }

  void arguments_stay_as_they_were_typed() {
    const QStringList words{QStringLiteral("{\"lr\": 0.1}"), QStringLiteral("it's"), QStringLiteral("a b"), QString(),
                            QStringLiteral("C:\\x"), QStringLiteral("--n=5"), QStringLiteral("$HOME *")};
    QCOMPARE(split_arguments(joined_arguments(words)), words);
    QCOMPARE(joined_arguments({QStringLiteral("--epochs"), QStringLiteral("5")}), QStringLiteral("--epochs 5"));
    QCOMPARE(split_arguments(QStringLiteral("  --a \"two words\"  'it is' x\\ y \"a\\\"b\" ")),
             (QStringList{QStringLiteral("--a"), QStringLiteral("two words"), QStringLiteral("it is"),
                          QStringLiteral("x y"), QStringLiteral("a\"b")}));
    window().top_bar()->set_script(at("script.py"), words);
    QCOMPARE(window().top_bar()->arguments(), words);
  }

  // What one script is run with may be a secret of its own.
  void a_recording_runs_again_with_its_own_interpreter() {
    const QString real = QStandardPaths::findExecutable(QStringLiteral("python3"));
    QVERIFY(QFile::link(real, at("python3.11")));
    QVERIFY(QFile::link(real, at("format_disk")));
    QCOMPARE(interpreter_of(QStringLiteral("3.11.7 (/a b/python3)")), QStringLiteral("/a b/python3"));
    QCOMPARE(interpreter_of(QStringLiteral("3.11.7")), QString());
    QCOMPARE(choose_python({}, at("python3.11")), at("python3.11"));
    QCOMPARE(choose_python(real, at("python3.11")), real);
    // A recording names whatever it likes.
    for (const QString& no : {at("format_disk"), at("python3.12"), QStringLiteral("python3")})
      QVERIFY(choose_python({}, no) != no);
    qputenv("FOOTLIGHT_PYTHON", at("python3.11").toUtf8());
    QCOMPARE(choose_python({}, at("format_disk")), at("python3.11"));
    qunsetenv("FOOTLIGHT_PYTHON");
  }

  void options_stay_with_their_script() {
    with_stand_in("0.1");
    QVERIFY(window().open(at("script.py")));
    window().edit_run_options();
    window().run_panel()->directory()->setText(folder_.path());
    window().run_panel()->environment()->setPlainText(QStringLiteral("TOKEN=1"));
    QTest::mouseClick(window().run_panel()->keep_button(), Qt::LeftButton);
    QCOMPARE(window().run_options().environment, QStringList{QStringLiteral("TOKEN=1")});
    with_sample();  // the recording of another script
    QVERIFY(window().top_bar()->script().endsWith(QStringLiteral("train.py")));
    QVERIFY(window().run_options().environment.isEmpty());
    QVERIFY(window().run_options().directory.isEmpty());
  }

  void the_welcome_page_comes_back() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(window().welcome_is_shown());
    QVERIFY(window().welcome()->back_button()->isVisible());
    QCOMPARE(window().welcome()->back_button()->text(), QString::fromUtf8("← Back to train.py"));
    window().welcome()->back_button()->setFocus();
    QTest::keyClick(window().welcome()->back_button(), Qt::Key_Return);
    QVERIFY(!window().welcome_is_shown());
    QVERIFY(window().session().is_open());
    window().show_welcome();
    QTest::keyClick(window().welcome()->main_widget(), Qt::Key_Escape);
    QVERIFY(!window().welcome_is_shown());
  }

  void the_palette_finds_the_files_commands_and_the_samples() {
    window().open_palette(QStringLiteral(">"));
    for (const char* text : {"welcome", "save recording", "show in folder", "run options", "sample: "}) {
      window().palette()->input()->setText(QStringLiteral(">") + QLatin1String(text));
      window().settle();
      QVERIFY2(window().palette()->list()->model()->rowCount() > 0, text);
    }
  }

  void a_recording_is_saved_elsewhere() {
    QVERIFY(!window().save_recording(at("copy.footlight")));
    QCOMPARE(window().banner_text(), QStringLiteral("There is no recording to save."));
    with_sample();
    QVERIFY(window().save_recording(at("copy.footlight")));
    QFile copy(at("copy.footlight")), sample(at("sample.footlight"));
    QVERIFY(copy.open(QIODevice::ReadOnly) && sample.open(QIODevice::ReadOnly));
    QVERIFY(copy.readAll() == sample.readAll());
    QVERIFY(window().recent().contains(at("copy.footlight")));
    QVERIFY(!window().save_recording(at("sample.footlight")));  // itself
    QVERIFY(QFileInfo(at("sample.footlight")).size() > 0);
    QVERIFY(!window().save_recording(at("no folder/copy.footlight")));
    QVERIFY(window().banner_text().contains(QStringLiteral("cannot be written")));
  }

  void the_folder_of_a_recording_is_shown() {
    with_sample();
    QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "note_folder");
    window().show_in_folder();
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    QCOMPARE(folder_shown_, folder_.path());
  }

  void an_incomplete_recording_says_so() {
    write_sample_session(at("killed.footlight"), false);
    QVERIFY(window().open(at("killed.footlight")));
    window().settle();
    Document d = sample_document();
    d.end.reset();
    d.live = false;
    window().session().show(d);
    QVERIFY2(window().banner_text().contains(QStringLiteral("The program was killed")),
             qPrintable(window().banner_text()));
    QCOMPARE(window().top_bar()->status_text().section(QLatin1Char(' '), 0, 0), QStringLiteral("Killed"));
    window().hide_banner();
    d = sample_document();
    d.damage = QStringLiteral("3 pages are not readable");
    d.dropped = 12;
    window().session().show(d);
    QVERIFY2(window().banner_text().contains(QStringLiteral("is incomplete. 3 pages are not readable. 12 events were")),
             qPrintable(window().banner_text()));
    window().hide_banner();
    window().session().show(sample_document());
    QVERIFY(window().banner_text().isEmpty());
  }

  void enter_presses_buttons_and_follows_links() {
    with_sample();
    window().top_bar()->options_button()->setFocusPolicy(Qt::StrongFocus);
    window().top_bar()->options_button()->setFocus();
    QTest::keyClick(window().top_bar()->options_button(), Qt::Key_Return);
    QVERIFY(window().run_panel() && window().run_panel()->isVisible());
    window().run_panel()->reject();
    go_to_view("findings");
    QPushButton* place = nullptr;
    for (QPushButton* b : window().findings()->findChildren<QPushButton*>())
      if (b->text().contains(QStringLiteral("train.py:"))) place = b;
    QVERIFY(place);
    place->setFocus();
    QTest::keyClick(place, Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("source"));
    QVERIFY(!window().finding_is_open());
  }

 public Q_SLOTS:
  void note_folder(const QUrl& url) { folder_shown_ = url.toLocalFile(); }

 private:
  QString folder_shown_;
};

QTEST_MAIN(LandingTest)
#include "test_landing.moc"
