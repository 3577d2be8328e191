// The page of a finding, on a real run: what it says against `footlight report --json`, its edits, the two runs.
#include "tests/app/window_case.h"

#include "app/models/phases.h"
#include "app/models/text.h"
#include "app/views/run_table.h"
#include "app/views/theme.h"
#include "tests/session/records.h"

#include <QClipboard>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include <cmath>

using namespace footlight;
using namespace footlight::app;

namespace {

QJsonObject report_of(const QString& session) {
  QProcess process;
  process.start(QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/footlight"),
                {QStringLiteral("report"), session, QStringLiteral("--json")});
  process.waitForFinished();
  return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
}

// The report rounds to microseconds.
bool says_duration(const QString& text, double ms) {
  for (const int64_t off : {-500, 0, 500})
    if (text.contains(duration_text(static_cast<int64_t>(ms * 1e6) + off))) return true;
  return false;
}

QString value_of(const FindingContent& content, const QString& name) {
  for (const EvidenceRow& row : content.evidence)
    if (row.name.compare(name, Qt::CaseInsensitive) == 0) return row.value;
  return {};
}

}  // namespace

class FindingTest : public WindowCase {
  Q_OBJECT

  QString script_, text_;

  void run_script() {
    script_ = at("retracing.py");
    for (const Sample& sample : sample_scripts())
      if (sample.name == QStringLiteral("retracing.py")) text_ = QString::fromUtf8(sample.bytes);
    write(script_, text_.toUtf8());
    QVERIFY(window().open(script_));
    QTest::keyClick(&window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running() && window().session().document().end, 60000);
    window().settle();
    QTRY_VERIFY_WITH_TIMEOUT(window().findings()->count() > 0, 10000);
  }
  QString on_disk() {
    QFile file(script_);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  FindingPage& page() { return *window().finding_page(); }
  void open_first() {
    window().show_view(QStringLiteral("findings"));
    QTest::keyClick(window().findings()->cards().front(), Qt::Key_Return);
    QVERIFY(window().finding_is_open());
  }

 private Q_SLOTS:
  void a_note_without_findings_is_one_line() {
    Document d;
    explain::EagerPlace place;
    place.ops = 7866;
    d.eager.places.push_back(place);
    window().session().show(d);
    go_to_view("findings");
    QLabel* note = nullptr;
    for (QLabel* label : window().findings()->findChildren<QLabel*>())
      if (label->text().startsWith(QStringLiteral("7,866 ops ran eagerly"))) note = label;
    QVERIFY(note && note->isVisible());
    QVERIFY(note->height() < 2 * QFontMetrics(note->font()).height());
  }

  void says_what_the_report_says() {
    run_script();
    open_first();
    const QJsonObject report = report_of(window().session().path());
    const QJsonArray findings = report[QStringLiteral("findings")].toArray();
    QCOMPARE(static_cast<qsizetype>(window().findings()->count()), findings.size());
    // The sentence of the Retraces view, too.
    const int removable = report[QStringLiteral("summary")].toObject()[QStringLiteral("removable_traces")].toInt();
    QVERIFY(removable > 0);
    QCOMPARE(window().retraces()->sentence(), QStringLiteral("%1 of 12 traces avoidable: lr").arg(removable));
    const QJsonObject f = findings[0].toObject();
    const FindingContent& shown = page().content();
    QVERIFY(f[QStringLiteral("message")].toString().startsWith(shown.card.title));
    QCOMPARE(shown.card.function, f[QStringLiteral("function")].toString());
    QCOMPARE(shown.path, f[QStringLiteral("file")].toString());
    QCOMPARE(shown.card.place.line, f[QStringLiteral("line")].toInt());
    const QJsonObject checked = f[QStringLiteral("checked")].toObject();
    const int before = checked[QStringLiteral("traces_before")].toInt(),
              after = checked[QStringLiteral("traces_after")].toInt();
    QVERIFY(shown.card.check.contains(QStringLiteral("saves %1 of %2 traces").arg(before - after).arg(before)));
    QVERIFY(says_duration(shown.card.check, f[QStringLiteral("saves")].toObject()[QStringLiteral("ms")].toDouble()));
    const QJsonObject evidence = f[QStringLiteral("evidence")].toObject();
    const QString values = value_of(shown, f[QStringLiteral("path")].toString() + QLatin1Char(' ') +
                                               f[QStringLiteral("parameter")].toString());
    QVERIFY2(values.startsWith(QStringLiteral("%1 values").arg(evidence[QStringLiteral("distinct")].toInt())),
             qPrintable(values));
    QVERIFY(values.contains(evidence[QStringLiteral("values")].toArray()[0].toString()));
    QCOMPARE(value_of(shown, QStringLiteral("Calls")), QString::number(evidence[QStringLiteral("calls")].toInt()));
    QVERIFY(says_duration(value_of(shown, QStringLiteral("Cost")), f[QStringLiteral("cost_ms")].toDouble()));
    // Its parts make it up: what was timed, recorded, or neither.
    const QString parts = value_of(shown, QStringLiteral("Cost")).section(QStringLiteral(": "), 1)
                              .section(QLatin1Char(';'), 0, 0);
    double sum = 0;
    for (const QString& part : parts.split(QStringLiteral(", "))) {
      const QStringList words = part.split(QLatin1Char(' '));
      const QString unit = words.last();
      sum += words.value(words.size() - 2).toDouble() *
             (unit == QStringLiteral("s") ? 1e3 : unit == QStringLiteral("ms") ? 1
              : unit == QStringLiteral("us")                                   ? 1e-3
                                                                               : 1e-6);
    }
    const double cost = f[QStringLiteral("cost_ms")].toDouble();
    QVERIFY2(std::abs(sum - cost) < 0.02 * cost, qPrintable(value_of(shown, QStringLiteral("Cost"))));
    QVERIFY(value_of(shown, QStringLiteral("Traces"))
                .startsWith(QStringLiteral("%1 of %2 traces avoidable").arg(before - after).arg(before)));
    int places = 0;
    for (const QJsonValue& related : f[QStringLiteral("related_lines")].toArray()) {
      const QString link = QStringLiteral("retracing.py:%1").arg(related[QStringLiteral("line")].toInt());
      for (const EvidenceRow& row : shown.evidence) places += row.link == link;
    }
    QCOMPARE(static_cast<qsizetype>(places), f[QStringLiteral("related_lines")].toArray().size());
    // A tab for each fix, its edit in the lines below.
    const QJsonArray others = f[QStringLiteral("alternatives")].toArray();
    QCOMPARE(static_cast<qsizetype>(page().fix_tabs()->count()), 1 + others.size());
    const QJsonObject edit = f[QStringLiteral("fix")].toObject()[QStringLiteral("edit")].toObject();
    QStringList gone, come;
    for (const QString& line : page().edit()->toPlainText().split(QLatin1Char('\n'))) {
      if (line.contains(QStringLiteral("  -  "))) gone << line.section(QStringLiteral("  -  "), 1).trimmed();
      if (line.contains(QStringLiteral("  +  "))) come << line.section(QStringLiteral("  +  "), 1).trimmed();
    }
    QCOMPARE(gone, QStringList{edit[QStringLiteral("old")].toString()});
    QCOMPARE(come, QStringList{edit[QStringLiteral("new")].toString()});
    page().fix_tabs()->setFocus();
    QTest::keyClick(page().fix_tabs(), Qt::Key_Right);
    const QJsonObject other = others[0].toObject()[QStringLiteral("edit")].toObject();
    QVERIFY(page().edit()->toPlainText().contains(other[QStringLiteral("new")].toString()));
    // What was looked for: every cause is found, dropped or named as not found.
    QStringList looked_for, where;
    for (const LookedFor& looked : window().findings()->list().not_found) {
      looked_for << looked.causes;
      where << looked.where;
    }
    QVERIFY(looked_for.contains(capitalized(cause_words("varying_rank"))));
    for (const QString& cause : looked_for) QVERIFY2(!cause[0].isLower(), qPrintable(cause));
    QVERIFY(!looked_for.contains(capitalized(cause_words("python_scalar_argument"))));
    for (const explain::Cause* cause : explain::all_causes())
      QVERIFY2(!cause_words(cause->name).contains(QString::fromLatin1(cause->name).replace('_', ' ')), cause->name);
    const QJsonObject sums = report[QStringLiteral("summary")].toObject();
    QVERIFY(where.contains(QStringLiteral("In the keys of %1 calls and %2 traces")
                               .arg(sums[QStringLiteral("calls")].toInt())
                               .arg(sums[QStringLiteral("traces")].toInt())));
  }

  // Every sample: cards, pages and the inspector against the report, which tests/cli/test_figures.py holds against SQL.
  void samples_say_what_their_reports_say_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"shapes", "flags", "made_in_loop", "stale", "side_effect", "starved", "eager_loop"})
      QTest::newRow(name) << QLatin1String(name) + QStringLiteral(".py");
  }
  void samples_say_what_their_reports_say() {
    QFETCH(QString, name);
    for (const Sample& sample : sample_scripts())
      if (sample.name == name) write(folder_.filePath(name), sample.bytes);
    const QString recording = folder_.filePath(name + QStringLiteral(".footlight"));
    QProcess record;
    record.start(QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/footlight"),
                 {QStringLiteral("record"), folder_.filePath(name), QStringLiteral("-o"), recording});
    QVERIFY(record.waitForFinished(60000));
    open_recording(recording);
    const QJsonObject report = report_of(recording);
    const QJsonArray findings = report[QStringLiteral("findings")].toArray();
    QVERIFY(!findings.isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(static_cast<qsizetype>(window().findings()->count()), findings.size(), 10000);
    const Document& document = window().session().document();
    const double seconds = report[QStringLiteral("run")].toObject()[QStringLiteral("seconds")].toDouble();
    for (qsizetype i = 0; i < findings.size(); ++i) {
      const QJsonObject f = findings[i].toObject();
      const FindingContent shown = finding_content(document, window().findings()->list().cards[size_t(i)]);
      const QJsonObject evidence = f[QStringLiteral("evidence")].toObject();
      const QString message = f[QStringLiteral("message")].toString();
      QCOMPARE(shown.card.number, f[QStringLiteral("id")].toString());
      QVERIFY2(message.startsWith(shown.card.title + QStringLiteral(". ") + shown.about), qPrintable(message));
      QVERIFY2(message.contains(shown.fixes[0].check), qPrintable(message + shown.fixes[0].check));
      QCOMPARE(shown.card.function, f[QStringLiteral("function")].toString());
      QCOMPARE(shown.card.place.line, f[QStringLiteral("line")].toInt());
      QCOMPARE(value_of(shown, evidence[QStringLiteral("counted")].toString()),
               count_text(static_cast<uint64_t>(evidence[QStringLiteral("calls")].toInt())));
      const QString cost = value_of(shown, QStringLiteral("Cost"));
      const double cost_ms = f[QStringLiteral("cost_ms")].toDouble();
      if (f[QStringLiteral("severity")].toString() == QStringLiteral("cost")) {
        QVERIFY2(says_duration(cost, cost_ms), qPrintable(cost));
        QVERIFY2(says_duration(cost, seconds * 1e3), qPrintable(cost));
        QVERIFY2(cost.contains(QStringLiteral(" % of the run (")), qPrintable(cost));
      } else {
        QVERIFY(cost.isEmpty());
      }
      QVERIFY(!shown.fixes[0].lines.empty());  // code, also where the fix is no edit
      const QJsonObject pair = evidence[QStringLiteral("pair")].toObject();
      QCOMPARE(value_of(shown, QStringLiteral("Graphs")).contains(pair[QStringLiteral("difference")].toString()), true);
    }
    for (const QJsonValue& each : report[QStringLiteral("functions")].toArray()) {
      uint64_t calls = 0, traces = 0;
      for (const session::FunctionRecord& f : document.functions) {
        if (q(f.name) != each[QStringLiteral("function")].toString()) continue;
        calls += document.calls_of(f.id).calls;
        traces += document.traces_of(f.id).size();
        QString said;
        for (const InspectorGroup& g : inspect(document, Selection::of_function(document, f.id), nullptr).groups)
          for (const InspectorRow& r : g.rows) said += r.label + QLatin1Char(' ') + r.value + QLatin1Char('\n');
        QVERIFY2(said.contains(QStringLiteral("Called ") + counted(document.calls_of(f.id).calls, "time", "times")),
                 qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("Traced ") + counted(document.traces_of(f.id).size(), "time", "times")),
                 qPrintable(said));
      }
      QCOMPARE(calls, static_cast<uint64_t>(each[QStringLiteral("calls")].toInt()));
      QCOMPARE(traces, static_cast<uint64_t>(each[QStringLiteral("traces")].toInt()));
    }
  }

  // The last calls of a run may come after its findings, which they do not change.
  void counts_beside_follow_the_session() {
    with_sample();
    window().findings()->open_first();
    Session& session = window().session();
    const_cast<Document&>(session.document()).calls += 5;
    Q_EMIT session.grown();
    const QString words = QStringLiteral("In the keys of %1 calls").arg(session.document().calls);
    const auto said = [&] {
      return std::ranges::any_of(window().findChild<FindingSide*>()->findChildren<QLabel*>(),
                                 [&](QLabel* label) { return label->text().startsWith(words); });
    };
    QTRY_VERIFY(said());
  }

  void applied_and_run_again() {
    run_script();
    open_first();
    const QString first = window().session().path();
    const QString changed = page().content().fixes[0].after;
    QVERIFY(changed != text_);
    QTest::mouseClick(page().apply_and_run_button(), Qt::LeftButton);
    QCOMPARE(on_disk(), changed);
    QTRY_VERIFY_WITH_TIMEOUT(page().table()->rows().size() > 4, 60000);
    const QString second = window().session().path();
    QVERIFY(first != second);
    const QJsonObject before = report_of(first), after = report_of(second);
    const auto of_function = [&](const QJsonObject& report) {
      for (const QJsonValue& f : report[QStringLiteral("functions")].toArray())
        if (f[QStringLiteral("function")].toString() == page().content().card.function) return f.toObject();
      return QJsonObject();
    };
    const QJsonObject was = of_function(before), is = of_function(after);
    const auto& rows = page().table()->rows();
    QCOMPARE(rows[1][1].toInt(), was[QStringLiteral("traces")].toInt());
    QCOMPARE(rows[1][2].toInt(), is[QStringLiteral("traces")].toInt());
    QCOMPARE(rows[1][3], QString::fromUtf8("−%1").arg(was[QStringLiteral("traces")].toInt() -
                                                       is[QStringLiteral("traces")].toInt()));
    QVERIFY(says_duration(rows[2][1], was[QStringLiteral("trace_ms")].toDouble()));
    QVERIFY(says_duration(rows[2][2], is[QStringLiteral("trace_ms")].toDouble()));
    QVERIFY(before[QStringLiteral("findings")].toArray().size() > after[QStringLiteral("findings")].toArray().size());
    QCOMPARE(rows.back()[3], QStringLiteral("Gone"));
    // Undone with the keyboard.
    page().undo_button()->setFocus();
    QTest::keyClick(page().undo_button(), Qt::Key_Space);
    QCOMPARE(on_disk(), text_);
  }

  void a_changed_script_is_left_alone() {
    run_script();
    open_first();
    const QString other = text_ + QStringLiteral("# mine\n");
    write(script_, other.toUtf8());
    QTest::mouseClick(page().apply_button(), Qt::LeftButton);
    QVERIFY(page().note()->text().contains(QStringLiteral("is not what was recorded")));
    QCOMPARE(on_disk(), other);
    QTest::mouseClick(page().copy_button(), Qt::LeftButton);
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("\n+            loss = train_step(")));
    QTest::mouseClick(page().markdown_button(), Qt::LeftButton);
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("### lr is a Python number")));
  }

  void no_problem_here_is_remembered_and_undone() {
    run_script();
    open_first();
    const int count = window().findings()->count();
    QTest::mouseClick(page().dismiss_button(), Qt::LeftButton);
    QCOMPARE(window().findings()->count(), count - 1);
    QCOMPARE(window().findings()->dismissed().keys().size(), qsizetype{1});
    // It holds for the next run of this script.
    QTest::keyClick(&page(), Qt::Key_Escape);
    QVERIFY(!window().finding_is_open());
    const QString first = window().session().path();
    QTest::keyClick(&window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running() && window().session().document().end &&
                                 window().session().path() != first,
                             60000);
    window().settle();
    QCOMPARE(window().findings()->count(), count - 1);
    const auto show = [&]() -> LinkButton* {
      for (LinkButton* link : window().findings()->findChildren<LinkButton*>())
        if (link->text() == QStringLiteral("Show")) return link;
      return nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(show(), 10000);
    QTest::mouseClick(show(), Qt::LeftButton);
    QTRY_VERIFY(window().findings()->findChildren<FindingWidget*>().size() == count);
    QTest::keyClick(window().findings()->findChildren<FindingWidget*>().last(), Qt::Key_Return);
    QCOMPARE(page().dismiss_button()->text(), QStringLiteral("Mark as a problem"));
    QTest::mouseClick(page().dismiss_button(), Qt::LeftButton);
    QCOMPARE(window().findings()->count(), count);
  }

  void links_lead_to_the_other_views() {
    run_script();
    open_first();
    const auto link = [&](const QString& text) -> LinkButton* {
      for (LinkButton* l : page().findChildren<LinkButton*>())
        if (l->text() == text) return l;
      return nullptr;
    };
    QVERIFY(link(QStringLiteral("Show the difference")));
    QTest::mouseClick(link(QStringLiteral("Show the difference")), Qt::LeftButton);
    QCOMPARE(window().view(), QStringLiteral("diff"));
    QVERIFY(!window().finding_is_open());
    // The view says of the pair what the page said.
    const QString said = value_of(page().content(), QStringLiteral("Graphs")).section(QStringLiteral(": "), 1);
    QVERIFY(said.startsWith(QStringLiteral("the graphs differ only in ")));
    QTRY_COMPARE(window().diff()->verdict(), said[0].toUpper() + said.mid(1) + QLatin1Char('.'));
    open_first();
    QTest::mouseClick(link(page().content().card.place_text), Qt::LeftButton);
    QCOMPARE(window().view(), QStringLiteral("source"));
    QCOMPARE(selected().place.line, page().content().card.place.line);
    open_first();
    QTest::keyClick(&window(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY(!window().finding_is_open());
  }

  // The console's warning and the dock never contradict each other.
  void a_warning_is_not_passed_over() {
    Document d;
    d.run.script = "/tmp/s.py";
    d.add(session::FunctionRecord{FunctionId(1), "f", session::FileId(1), 2, 1, {"x"}});
    for (uint32_t i = 0; i < 6; ++i) {
      d.add(trace_of(TraceId(i), FunctionId(1), static_cast<int>(i) + 1));
    }
    session::ConsoleRecord said;
    said.stream = session::ConsoleStream::kStderr;
    said.text = "function 'f' is retracing often: 5 of the last 10 calls traced it";
    d.console.push_back(said);
    const FindingList list = findings_of(d);
    QVERIFY(list.cards.empty());
    QCOMPARE(list.notes.size(), size_t{1});
    QVERIFY(list.notes[0].text.contains(QStringLiteral("f was traced 6 times")));
    // That no cause was found does not mean that no change would help.
    QVERIFY(!list.notes[0].text.contains(QStringLiteral("would spare")));
    window().session().show(d);
    for (QLabel* label : window().findings()->findChildren<QLabel*>())
      QVERIFY(!label->text().contains(QStringLiteral("Nothing to report")));
  }

  void of_a_text_of_which_nothing_ran_no_problem_is_denied() {
    const auto show = [&](const char* engine) {
      Document d;
      d.run.engine = engine;
      d.end = session::EndRecord();
      d.add(session::FunctionRecord{FunctionId(1), "main", session::FileId(1), 2, 1, {"x"}});
      d.add(trace_of(TraceId(0), FunctionId(1), 1));
      window().session().show(d);
    };
    const auto shows = [&](const char* text) {
      const QList<QLabel*> labels = window().findings()->findChildren<QLabel*>();
      return std::ranges::any_of(labels, [&](QLabel* label) { return label->text().contains(QLatin1String(text)); });
    };
    show("imported: HLO text");
    QTRY_VERIFY(shows("no problem could be looked for"));
    show("footlight 0.1");
    QTRY_VERIFY(shows("none of the known problems was found"));
  }

  // Keras takes its lines out of an error, which leaves two traces, one in the other, and ends the script.
  void an_error_that_leaves_nested_traces_is_one_finding() {
    Document d;
    d.run.script = "/tmp/s.py";
    d.add(session::FileRecord{session::FileId(1), "/tmp/s.py", "a\nb\nc\nd\n"});
    for (uint32_t i = 1; i < 3; ++i) {
      d.add(session::FunctionRecord{FunctionId(i), "f" + std::to_string(i), session::FileId(1), 2, 1, {"x"}});
      session::TraceRecord t = trace_of(TraceId(i), FunctionId(i), 1, 100 * i, 1000 - 100 * i);
      t.error = "ValueError: no good";
      d.add(t);
    }
    session::ConsoleRecord said;
    said.stream = session::ConsoleStream::kStderr;
    said.text = "Traceback (most recent call last):\n  File \"/tmp/s.py\", line 4, in <module>\n    d\n"
                "  File \"/tmp/s.py\", line 3, in g\n    c\nValueError: no good\n";
    d.console.push_back(said);
    d.end = session::EndRecord();
    d.end->exit_code = 1;
    d.end->reason = "ValueError: no good";
    const FindingList list = findings_of(d);
    QCOMPARE(list.cards.size(), size_t{1});
    QCOMPARE(list.cards[0].title, QStringLiteral("Tracing f1 failed"));
    QCOMPARE(list.cards[0].place.line, 3);
  }

  // The script catches the error of one function, and ends with that of another.
  void the_error_that_ended_the_script_comes_first() {
    Document d;
    d.run.script = "/tmp/s.py";
    d.add(session::FileRecord{session::FileId(1), "/tmp/s.py", "a\nb\n"});
    for (uint32_t i = 1; i < 3; ++i) {
      d.add(session::FunctionRecord{FunctionId(i), "f" + std::to_string(i), session::FileId(1), 2, 1, {"x"}});
      session::TraceRecord t = trace_of(TraceId(i), FunctionId(i), 1, 100 * i);
      t.end_ns = t.start_ns + 10;
      t.error = i == 1 ? "ValueError: caught" : "ValueError: not caught";
      d.add(t);
    }
    d.end = session::EndRecord();
    d.end->exit_code = 1;
    d.end->reason = "ValueError: not caught at s.py:2";
    const FindingList list = findings_of(d);
    QCOMPARE(list.cards.size(), size_t{2});
    QCOMPARE(list.cards[0].title, QStringLiteral("Tracing f2 failed"));
    QCOMPARE(list.cards[0].detail, QStringLiteral("ValueError: not caught"));
    QCOMPARE(list.cards[1].detail, QStringLiteral("ValueError: caught (the script caught this error and went on)"));
  }

  // A run that failed at once has fewer traces, and shows nothing of the fix.
  void a_run_that_failed_is_no_success() {
    RunPair pair;
    pair.before.calls = 20, pair.before.traces = 10, pair.before.found = true;
    pair.before.ended = QStringLiteral("finished");
    pair.after.failed = true;
    pair.after.ended = QStringLiteral("ModuleNotFoundError: No module named 'numpy' at s.py:2");
    RunTable table;
    table.set_runs(QStringLiteral("f"), pair);
    QCOMPARE(table.rows()[1], (QStringList{QStringLiteral("Ended"), pair.before.ended, pair.after.ended,
                                           QStringLiteral("The run failed")}));
    QCOMPARE(table.rows().back()[2], QStringLiteral("Not known"));
    const QString green = theme()["green"].name();
    for (const QLabel* label : table.findChildren<QLabel*>()) QVERIFY(!label->styleSheet().contains(green));
    // One that went well, but never called the function.
    pair.after.failed = false;
    pair.after.ended = pair.before.ended;
    table.set_runs(QStringLiteral("f"), pair);
    QCOMPARE(table.rows().back()[3], QStringLiteral("f was not called"));
    pair.after.calls = 20;
    table.set_runs(QStringLiteral("f"), pair);
    QCOMPARE(table.rows().back()[3], QStringLiteral("Gone"));
  }

  // "2 of 3 traces", as the finding says, and not of 4: the trace that failed is counted beside them.
  void a_failed_trace_is_not_among_those_that_could_be_avoided() {
    Document d;
    d.add(session::FunctionRecord{FunctionId(1), "f", session::FileId(1), 2, 1, {"x"}});
    for (uint32_t i = 0; i < 4; ++i) {
      session::TraceRecord t = trace_of(TraceId(i), FunctionId(1), static_cast<int>(i) + 1);
      if (i == 2) t.error = "ValueError: no good";
      d.add(t);
    }
    FindingCard card;
    card.finding = explain::Finding();
    card.finding->checked.ok = true;
    card.finding->parameter = "x";
    card.finding->saved = {TraceId(1), TraceId(3)};
    FindingList list;
    list.cards.push_back(card);
    QCOMPARE(avoidable_text(d, list, FunctionId(1)), QStringLiteral("2 of 3 traces avoidable: x"));
  }

  // "Findings 1" in the window would contradict "No findings" in the report.
  void an_error_is_no_finding() {
    Document d;
    d.add(session::FunctionRecord{FunctionId(1), "f", session::FileId(1), 2, 1, {"x"}});
    session::TraceRecord failed = trace_of(TraceId(0), FunctionId(1), 1);
    failed.error = "ValueError: no good";
    d.add(failed);
    const FindingList list = findings_of(d);
    QCOMPARE(list.cards.size(), size_t{1});
    QCOMPARE(list.numbered(), 0);
  }

  // What is too little for a finding is said, where reports list it.
  void few_values_are_said_to_be_no_problem() {
    Document d;
    d.add(session::FunctionRecord{FunctionId(1), "f", session::FileId(1), 2, 1, {"e"}});
    for (uint32_t i = 0; i < 2; ++i) d.add(trace_of(TraceId(i), FunctionId(1), static_cast<int>(i) + 1));
    explain::Findings found;
    found.suppressed.push_back({FunctionId(1), "python_scalar_argument", explain::Rule::kVariants,
                                "e is a Python number with 2 values", {TraceId(1)}});
    const FindingList list = list_of(d, found);
    QCOMPARE(list.dropped, QStringList{QStringLiteral("f: e is a Python number with 2 values")});
    QCOMPARE(avoidable_text(d, list, FunctionId(1)), QStringLiteral("No problem: e is a Python number with 2 values"));
    QCOMPARE(avoidable_text(d, list, FunctionId(2)), QString());
  }

  void many_eager_ops_point_to_the_timeline() {
    Document d;
    explain::EagerPlace place;
    place.ops = 22004;
    d.eager.places.push_back(place);
    const FindingList list = findings_of(d);
    QCOMPARE(list.notes.size(), size_t{1});
    QVERIFY(list.notes[0].text.startsWith(QStringLiteral("22,004 ops")));
    QCOMPARE(list.notes[0].view, QStringLiteral("timeline"));
  }
};

QTEST_MAIN(FindingTest)
#include "test_finding.moc"
