// The sentence above each view against counts made another way, and empty views, which point on by mouse and by keys.
#include "tests/app/window_case.h"

#include "app/models/text.h"
#include "app/models/view_leads.h"
#include "engine/session/writer.h"
#include "tests/session/records.h"

#include <QPushButton>

using namespace footlight;
using namespace footlight::app;

class LeadsTest : public WindowCase {
  Q_OBJECT

  // Eager ops alone, without any traced function.
  SampleRun eager_run(uint64_t ops) {
    SampleRun run = sample_run();
    SampleRun made;
    Document& d = made.document;
    d.run = run.document.run;
    for (const auto& f : run.document.files) d.add(f);
    for (const auto& c : run.document.codes) d.add(c);
    d.ops = run.document.ops;
    int64_t at = run.document.run.started_ns + 1000;
    for (uint64_t i = 0; i < ops; ++i, at += 2000) {
      OpEvent e = op_of(OpId(3), at, at + 900);
      e.set_source({CodeId(1), 16});
      made.ops.append(0, i + 1, e);
    }
    d.end = session::EndRecord{at, 0, 0, "finished"};
    return made;
  }

 private Q_SLOTS:
  // What came before the first event has a name.
  void the_start_of_a_run() {
    Document d = sample_document();
    d.run.started_ns = d.first_ns() - 1'200'000'000;
    const QString said = timeline_lead(d).text;
    QVERIFY2(said.contains(QStringLiteral("imports and other code took 1.20 s before the first event")),
             qPrintable(said));
    d.run.started_ns = d.first_ns() - 1'000'000;
    QVERIFY(!timeline_lead(d).text.contains(QStringLiteral("imports")));
  }

  void sentences_say_what_was_recorded() {
    const SampleRun run = sample_run();
    const Document& d = run.document;
    with_sample();
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    go_to_view("graph");
    const session::GraphRecord *root = d.graph(GraphId(12)), *a = d.graph(GraphId(100)), *b = d.graph(GraphId(101));
    QCOMPARE(window().graph()->lead()->text(),
             QStringLiteral("#3: %1 nodes, and %2 in the branches, loops and functions that they call")
                 .arg(root->nodes.size())
                 .arg(a->nodes.size() + b->nodes.size()));
    go_to_view("timeline");
    uint64_t eager = 0, evaluated = 0;
    for (size_t i = 0; i < run.ops.size(); ++i) {
      const bool is_traced = std::ranges::any_of(d.traces, [&](const session::TraceRecord& t) {
        return t.start_ns <= run.ops.start_ns[i] && run.ops.start_ns[i] < t.end_ns;
      });
      if (!run.ops.call[i].valid()) ++(is_traced ? evaluated : eager);
    }
    const QString for_graphs = evaluated ? QStringLiteral(", %1 evaluated while tracing").arg(count_text(evaluated))
                                         : QString();
    int64_t tracing = 0;
    for (const session::TraceRecord& t : d.traces) tracing += t.end_ns - t.start_ns;  // one after the other
    const QString said = window().timeline()->lead()->text();
    QVERIFY2(said.startsWith(QStringLiteral("%1 op events, %2 of them eager%3; %4 calls; "
                                            "functions were being traced for %5 of ")
                                 .arg(count_text(run.ops.size()), count_text(eager), for_graphs,
                                      count_text(run.calls.size()), duration_text(tracing))),
             qPrintable(said));
    go_to_view("autograph");
    uint64_t staged = 0;
    for (const CodeLine& line : window().autograph()->source()->lines())
      staged += line.fate == QStringLiteral("staged");
    QVERIFY(staged > 0);
    const QString lead = window().autograph()->lead()->text();
    QVERIFY2(lead.startsWith(QStringLiteral("%1 lines went into the graph").arg(staged)), qPrintable(lead));
    // A line of a function that was not converted is not among those shown.
    Selection line = Selection::of_line(d, {d.function(FunctionId(1))->file, 1});
    line.function = FunctionId(1);
    window().selection().select(line);
    const QString other = window().autograph()->lead()->text();
    QVERIFY2(other.endsWith(QStringLiteral("is not in train_step, which is shown here")), qPrintable(other));
  }

  void views_without_a_trace_point_to_the_timeline() {
    write_session(at("eager.footlight"), eager_run(1502));
    open_recording(at("eager.footlight"));
    for (const char* view : {"graph", "retraces", "autograph"}) {
      for (const bool by_key : {false, true}) {
        window().show_view(QLatin1String(view));
        Lead* nothing = view == std::string("graph")      ? window().graph()->nothing()
                        : view == std::string("retraces") ? window().retraces()->nothing()
                                                          : window().autograph()->nothing();
        QVERIFY(nothing->isVisible());
        QCOMPARE(nothing->text(),
                 QStringLiteral("No function was traced in this recording; 1,502 eager ops ran one by one."));
        QCOMPARE(nothing->link()->text(), QStringLiteral("Open Timeline"));
        if (by_key) {
          QVERIFY(nothing->link()->hasFocus());
          QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        } else {
          QTest::mouseClick(nothing->link(), Qt::LeftButton);
        }
        QCOMPARE(window().view(), QStringLiteral("timeline"));
      }
    }
    QVERIFY(window().timeline()->lead()->text().startsWith(QStringLiteral("1,502 op events, all eager")));
    // Compare has nothing to run twice, and says where to look.
    window().show_view(QStringLiteral("compare"));
    auto* way_on = qobject_cast<QPushButton*>(QApplication::focusWidget());
    QVERIFY(way_on);
    QCOMPARE(way_on->text(), QStringLiteral("Open Timeline"));
    QTest::keyClick(way_on, Qt::Key_Space);
    QCOMPARE(window().view(), QStringLiteral("timeline"));
    // The dock, too: the ops are added up last.
    QTRY_VERIFY_WITH_TIMEOUT(!window().findings()->list().notes.empty(), 10000);
    QVERIFY(window().findings()->list().notes.front().text.startsWith(QStringLiteral("1,502 ops")));
    for (QLabel* label : window().findings()->findChildren<QLabel*>())
      QVERIFY(!label->text().contains(QStringLiteral("Looking for")));
  }

  // Spans are on the timeline of a trace that has nothing else, such as one of another program.
  void spans_alone() {
    SampleRun run = eager_run(0);
    write_session(at("spans.footlight"), run, false);
    const int64_t start = run.document.run.started_ns + 5'000'000;
    {
      auto writer = session::Writer::attach(at("spans.footlight").toStdString());
      session::TrackRecord track;
      track.id = session::TrackId(3);
      track.kind = "thread", track.name = "loader";
      writer->add(track);
      writer->add(session::SpanRecord{session::TrackId(3), start, start + 600'000, "load", "io"});
      writer->finish({start + 1'000'000, 0, 0, "finished"});
    }
    window().session().open(at("spans.footlight"));
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    window().settle();
    QVERIFY(!window().timeline()->nothing()->isVisible());
    QCOMPARE(window().timeline()->lead()->text(),
             QStringLiteral("No call of a traced function and no op was recorded, only spans"));
    QVERIFY(!window().timeline()->canvas()->picture().tracks.empty());
  }

  void a_run_in_which_nothing_ran() {
    SampleRun run = eager_run(0);
    run.document.files.clear();
    run.document.codes.clear();
    run.document.console.push_back({1000, session::ConsoleStream::kStdout, "hello\n"});
    write_session(at("nothing.footlight"), run);
    open_recording(at("nothing.footlight"));
    for (const char* view : {"timeline", "source", "graph"}) {
      window().show_view(QLatin1String(view));
      Lead* nothing = view == std::string("timeline") ? window().timeline()->nothing()
                      : view == std::string("source") ? window().source()->nothing()
                                                      : window().graph()->nothing();
      QVERIFY(nothing->isVisible());
      QVERIFY(nothing->link()->hasFocus());
      QTest::keyClick(nothing->link(), Qt::Key_Space);
      QVERIFY(window().console()->isVisible());
    }
  }
};

QTEST_MAIN(LeadsTest)
#include "test_leads.moc"
