// Context menus of rows, calls and findings, opened with the mouse and with the menu key.
#include "tests/app/window_case.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QJsonDocument>
#include <QMenu>
#include <QSignalSpy>

using namespace footlight;
using namespace footlight::app;

class MenusTest : public WindowCase {
  Q_OBJECT

  QMenu* open_menu(QWidget* widget, const QPoint& at, bool by_key = false) {
    QContextMenuEvent event(by_key ? QContextMenuEvent::Keyboard : QContextMenuEvent::Mouse, at,
                            widget->mapToGlobal(at));
    QApplication::sendEvent(widget, &event);
    return qobject_cast<QMenu*>(QApplication::activePopupWidget());
  }
  bool choose(QMenu* menu, const char* text) {
    for (QAction* action : menu->actions()) {
      if (!action->text().startsWith(QLatin1String(text))) continue;
      QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
      return true;
    }
    return false;
  }

 private Q_SLOTS:
  // Another program's trace has no script: what runs one is off, wherever it is offered, and says why.
  void nothing_runs_the_script_of_an_imported_trace() {
    const auto action = [this](const char* text) -> QAction* {
      for (QAction* one : window().findChildren<QAction*>())
        if (one->text().remove(QLatin1Char('&')).startsWith(QLatin1String(text))) return one;
      return nullptr;
    };
    const std::vector<QAction*> actions = {action("Run the script"), action("Compare eager and traced"),
                                           action("Record the values"), action("Run and find the first NaN")};
    write(at("trace.json"),
          R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
             {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 9, "dur": 5}]})");
    open_recording(at("trace.json"));
    QTRY_VERIFY(document().events > 0);
    const QString why = QStringLiteral("Another program recorded trace.json, and the script is not in it: it cannot be "
                                       "run again. Open a Python script to run one.");
    const auto says_why = [&why](QWidget* widget) { return widget->toolTip().contains(why.toHtmlEscaped()); };
    QVERIFY(!window().top_bar()->run_button()->isEnabled());
    QVERIFY(says_why(window().top_bar()->run_button()));
    for (QAction* one : actions) {
      QVERIFY(one && !one->isEnabled());
      QCOMPARE(one->statusTip(), why);
    }
    go_to_view("compare");
    QVERIFY(!window().compare()->start()->main_button()->isEnabled());
    QVERIFY(window().compare()->start()->shown_text().contains(why));
    QVERIFY(window().compare()->sides()->button()->isEnabled());
    go_to_view("values");
    QVERIFY(!window().values()->record_button()->isEnabled());
    QVERIFY(!window().values()->check_button()->isEnabled());
    QVERIFY(window().values()->start_text().contains(why));
    window().open_palette(QStringLiteral(">Run the script"));
    QTest::keyClick(window().palette()->input(), Qt::Key_Return);
    QVERIFY(!window().worker().running());
    QCOMPARE(window().banner_text(), why);
    // A script's recording has them all again.
    with_sample();
    QTRY_VERIFY(window().top_bar()->run_button()->isEnabled());
    for (QAction* one : actions) QVERIFY(one->isEnabled() && one->statusTip().isEmpty());
  }

  void a_trace() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    Table* table = window().retraces()->table();
    const QPoint third = table->visualRect(table->model()->index(2, 0)).center();
    QMenu* menu = open_menu(table->viewport(), third);
    QVERIFY(menu);
    QVERIFY(choose(menu, "Copy the row"));
    const QString row = QGuiApplication::clipboard()->text();
    QVERIFY2(row.startsWith(QStringLiteral("#3\t")), qPrintable(row));
    QCOMPARE(selected().trace, TraceId(12));
    menu = open_menu(table, {}, true);
    QVERIFY(menu && choose(menu, "Copy the table as CSV"));
    const QStringList lines = QGuiApplication::clipboard()->text().split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), qsizetype{7});
    QVERIFY(lines[0].startsWith(QStringLiteral("Trace,batch,lr")));
    menu = open_menu(table->viewport(), third);
    QVERIFY(menu && choose(menu, "Show its graph"));
    QCOMPARE(window().view(), QStringLiteral("graph"));
    QCOMPARE(selected().trace, TraceId(12));
  }

  void a_call() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    CallStrip* strip = window().retraces()->strip();
    size_t fourth = 0;
    for (size_t i = 0; i < strip->cells().size(); ++i)
      if (strip->cells()[i].kind == StripCell::Kind::kTrace && strip->cells()[i].number == 4) fourth = i;
    QMenu* menu = open_menu(strip, strip->cell_rect(fourth).center().toPoint());
    QVERIFY(menu && choose(menu, "Mark its calls"));
    window().settle();
    QCOMPARE(strip->range_text(), QStringLiteral("4 of 24 calls marked"));
    menu = open_menu(strip, strip->cell_rect(fourth).center().toPoint());
    QVERIFY(menu && choose(menu, "Show the line that called"));
    QCOMPARE(window().view(), QStringLiteral("source"));
    QCOMPARE(selected().trace, TraceId(13));
  }

  void exports() {
    window().export_to(at("none.json"), timeline_export);
    QCOMPARE(window().banner_text(), QStringLiteral("There is no recording to export."));
    with_sample();
    const auto written = [&](const char* name, auto words) {
      window().hide_banner();
      window().export_to(at(name), words);
      for (int i = 0; i < 600 && window().banner_text().isEmpty(); ++i) QTest::qWait(50);
      QFile file(at(name));
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray chrome = written("out.json", timeline_export);
    QVERIFY2(window().banner_text().startsWith(QStringLiteral("Written: ")), qPrintable(window().banner_text()));
    QVERIFY(QJsonDocument::fromJson(chrome).isObject());
    QVERIFY(chrome.contains("train_step"));
    QVERIFY(written("out.perfetto-trace", timeline_export).contains("train_step"));
    QVERIFY(written("out.html", report_export).contains("<html"));
    QVERIFY(written("out.md", report_export).contains("train_step"));
    QVERIFY(QJsonDocument::fromJson(written("report.json", report_export)).isObject());
    QVERIFY(written("out.docx", report_export).isEmpty());
    QVERIFY(window().banner_text().contains(QStringLiteral("no export format")));
  }

  void a_cancelled_export_leaves_no_file() {
    ExportJob job;
    QSignalSpy ended(&job, &ExportJob::cancelled), done(&job, &ExportJob::done);
    job.start(timeline_export(at("sample.footlight"), at("cancelled.json")));
    job.cancel();
    QTRY_COMPARE(ended.size() + done.size(), 1);
    QCOMPARE(ended.size(), 1);
    QVERIFY(!QFile::exists(at("cancelled.json")));
    QCOMPARE(QDir(folder_.path()).entryList({QStringLiteral("cancelled.json*")}).size(), 0);
  }

  void a_finding() {
    with_sample();
    go_to_view("findings");
    QVERIFY(window().findings()->count() > 0);
    FindingWidget* card = window().findings()->cards().front();
    const QString title = card->card().title;
    QMenu* menu = open_menu(card, card->rect().center());
    QVERIFY(menu && choose(menu, "Copy as Markdown"));
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("### ") + title));
    menu = open_menu(card, {}, true);
    QVERIFY(menu && choose(menu, "Open the finding"));
    QVERIFY(window().finding_is_open());
    window().show_view(QStringLiteral("findings"));
    const int before = window().findings()->count();
    menu = open_menu(window().findings()->cards().front(), QPoint(5, 5));
    QVERIFY(menu && choose(menu, "Not a problem here"));
    QCOMPARE(window().findings()->count(), before - 1);
  }
};

QTEST_MAIN(MenusTest)
#include "test_menus.moc"
