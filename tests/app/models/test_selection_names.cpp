// What a person selects by name: functions, traces, lines and nodes.
#include "tests/app/sample.h"
#include "tests/explain/sample_run.h"

#include "app/models/selection_names.h"
#include "tests/session/records.h"

#include <QTest>

using namespace footlight;
using namespace footlight::app;

class SelectionNamesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Functions with equal names are told apart by the line of their def.
  void names_select() {
    SampleRun run = sample_run();
    Document& d = run.document;
    const session::FileId file(1);
    d.add(session::FunctionRecord{FunctionId(7), "train_step", file, 15, 14, {}});
    for (const uint32_t number : {1, 2, 9}) {
      d.add(trace_of(TraceId(700 + number), FunctionId(7), static_cast<int>(number)));
    }
    const auto named = [&](const char* text) { return selection_named(d, Selection::of_trace(d, TraceId(12)), text); };
    QCOMPARE(named("train.py:5#2").selection->trace, TraceId(11));
    QCOMPARE(named("train.py:15#2").selection->trace, TraceId(702));
    QCOMPARE(named("train.py:14#2").selection->trace, TraceId(702));  // the line of its decorator
    QCOMPARE(named("train_step#9").selection->trace, TraceId(709));   // only one of them has it
    QVERIFY(!named("train_step#2").selection);
    QCOMPARE(named("train_step#2").why_not,
             QStringLiteral("there are 2 functions with the name 'train_step'; say which: train.py:5#2, "
                            "train.py:15#2"));
    QVERIFY(named("train_step").why_not.endsWith(QStringLiteral("say which: train.py:5#1, train.py:15#1")));
    for (const char* no_number : {"train_step#abc", "train_step#0", "#", "#x"}) QVERIFY(!named(no_number).selection);
    QCOMPARE(named("#3").selection->trace, TraceId(12));
    QCOMPARE(named("evaluate").selection->function, FunctionId(2));
    QCOMPARE(named("train.py:9").selection->kind, Selection::Kind::kLine);
    QVERIFY(named("MatMul").selection);
    QCOMPARE(named("nope").why_not, QStringLiteral("nothing in this run has the name 'nope'"));
    // One line that makes a function again and again is one definition.
    d.add(session::FunctionRecord{FunctionId(8), "evaluate", file, 12, 11, {}});
    QCOMPARE(named("evaluate").selection->function, FunctionId(2));
  }
};

QTEST_GUILESS_MAIN(SelectionNamesTest)
#include "test_selection_names.moc"
