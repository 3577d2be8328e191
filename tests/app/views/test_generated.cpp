// The Generated view: stages of JAX and PyTorch beside the source, chosen by mouse and keys, joined line by line.
#include "tests/app/window_case.h"

#include "app/models/function_groups.h"
#include "app/models/inspector.h"

#include "engine/session/chunk.h"
#include "tests/session/records.h"

#include <QProcess>

using namespace footlight;
using namespace footlight::app;

namespace {

constexpr const char* kSource =
    "import torch\n\n\n@torch.compile\ndef step(x):\n    y = torch.relu(x)\n    if y.sum() > 0:\n        y = y * 2\n"
    "    return y\n";

constexpr const char* kDynamo =
    "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: \"f32[4]\"):\n"
    "        # File: /home/ada/train.py:6 in step, code: y = torch.relu(x)\n"
    "        y: \"f32[4]\" = torch.relu(L_x_)\n\n"
    "        # File: /home/ada/train.py:7 in step, code: if y.sum() > 0:\n"
    "        sum_1: \"f32[]\" = y.sum()\n        return (y, sum_1)\n";

session::FunctionRecord function(uint32_t id, const char* kind) {
  return {FunctionId(id), "step", session::FileId(1), 5, 4, {"args[0]", "context.grad_mode"}, kind};
}

session::TraceRecord trace(uint32_t id, uint32_t of, int number, const char* native) {
  const int64_t start = 1'700'000'000'000'000'000 + id * 10'000'000;
  session::TraceRecord t = trace_of(TraceId(id), FunctionId(of), number, start, start + 1'000'000);
  t.native_id = native;
  return t;
}

// step breaks at line 7 and goes on in a resume function, which is traced twice.
Document torch_document() {
  Document d;
  d.path = QStringLiteral("/tmp/run.footlight");
  d.run.script = "/home/ada/train.py";
  d.add(session::FileRecord{session::FileId(1), "/home/ada/train.py", kSource});
  session::FunctionRecord first = function(1, "dynamo"), resume = function(2, "resume");
  first.options = "backend='aot_eager'";
  resume.options = "after line 7";
  resume.parent = first.id;
  d.add(first);
  d.add(resume);
  session::TraceRecord t = trace(1, 1, 1, "0/0");
  t.artifacts = {{"Dynamo graph", "fx", session::pack(kDynamo)},
                 {"AOT forward", "fx",
                  session::pack("class GraphModule\n# File: /home/ada/train.py:6 in step, code: y\n"
                                "relu = torch.ops.aten.relu.default(primals_1)\n")},
                 {"AOT backward", "fx", session::pack("class GraphModule\n    return (None,)\n")},
                 {"Bytecode", "bytecode", session::pack("  5           0 RESUME                   0\n")}};
  t.key = {{"args[0]", "x", "tensor", "float32", "4", "", session::KeySide::kUsed, session::KeyRole::kGuard},
           {"context.grad_mode", "", "context", "type", "", "on", session::KeySide::kUsed, session::KeyRole::kContext}};
  d.add(t);
  for (uint32_t i = 0; i < 2; ++i) {
    session::TraceRecord more = trace(2 + i, 2, static_cast<int>(i) + 1, i ? "1/1" : "1/0");
    more.artifacts = {{"Resume function", "bytecode", session::pack("  7           0 RESUME                   0\n")}};
    d.add(more);
  }
  return d;
}

}  // namespace

class GeneratedTest : public WindowCase {
  Q_OBJECT

 private:
  StagesView& view() { return *window().stages(); }
  QString tab() { return window().tabs()->tabText(2); }
  QStringList stages() {
    QStringList all;
    for (int i = 0; i < view().stages()->count(); ++i) all << view().stages()->tabText(i);
    return all;
  }
  void with_torch(TraceId id = TraceId(1)) {
    window().session().show(torch_document());
    window().selection().select(Selection::of_trace(document(), id));
    go_to_view("autograph");
  }
  void click(CodeView* code, int number) {
    const QRect at = code->row_rect(static_cast<size_t>(code->text().row_of(number)), 1);
    QTest::mouseClick(code->viewport(), Qt::LeftButton, {}, at.center());
  }
  void click_stage(int at) {
    QTest::mouseClick(view().stages(), Qt::LeftButton, {}, view().stages()->tabRect(at).center());
  }

 private Q_SLOTS:
  void the_tab_is_called_for_what_it_shows() {
    with_sample();
    QCOMPARE(tab(), QStringLiteral("AutoGraph"));
    QVERIFY(window().autograph()->isVisibleTo(window().autograph()->parentWidget()));
    with_torch();
    QCOMPARE(tab(), QStringLiteral("Generated"));
    QVERIFY(view().isVisible() && !window().autograph()->isVisible());
    with_sample();
    QCOMPARE(tab(), QStringLiteral("AutoGraph"));
  }

  void stages_are_chosen_by_mouse_and_keys() {
    with_torch();
    QCOMPARE(stages(), (QStringList{QStringLiteral("Dynamo"), QStringLiteral("AOT"), QStringLiteral("Inductor"),
                                    QStringLiteral("Guards"), QStringLiteral("Bytecode")}));
    QCOMPARE(view().text()->lines().size(), size_t{8});
    click_stage(1);
    QCOMPARE(view().text()->lines().size(), size_t{3});
    QCOMPARE(view().parts()->count(), 3);
    QCOMPARE(view().parts()->itemText(2), QStringLiteral("Joint, not recorded"));
    view().parts()->setFocus();
    QTest::keyClick(view().parts(), Qt::Key_Down);
    QCOMPARE(view().parts()->currentText(), QStringLiteral("Backward"));
    QCOMPARE(view().text()->lines().size(), size_t{2});
    view().text()->setFocus();
    QTest::keyClick(view().text(), Qt::Key_BracketRight);
    QCOMPARE(view().stages()->currentIndex(), 2);
    QVERIFY(view().absent()->isVisible() && !view().text()->isVisible());
    QVERIFY(view().absent()->text().startsWith(QStringLiteral("Not recorded. backend='aot_eager' runs")));
    view().stages()->setFocus();
    QTest::keyClick(view().stages(), Qt::Key_Left);
    QCOMPARE(view().stages()->currentIndex(), 1);
    QVERIFY(view().text()->isVisible());
  }

  void lines_of_both_sides_belong_together() {
    with_torch();
    click(view().text(), 4);
    const Selection& now = selected();
    QCOMPARE(now.kind, Selection::Kind::kLine);
    QCOMPARE(now.place.line, 6);
    QCOMPARE(now.trace, TraceId(1));
    QCOMPARE(view().source()->current(), 6);
    QCOMPARE(view().joined(), QString::fromUtf8("train.py:6 ↔ lines 3–4"));
    click(view().source(), 7);
    QCOMPARE(view().joined(), QString::fromUtf8("train.py:7 ↔ lines 6–7"));
    QCOMPARE(view().text()->current(), 6);
    // A line of the text that names none, and one of the program that is in no line.
    click(view().text(), 1);
    QCOMPARE(view().joined(), QStringLiteral("Line 1 of the text names no line of your code"));
    click(view().source(), 9);
    QCOMPARE(view().joined(), QStringLiteral("No line of this text names train.py:9"));
    view().text()->setFocus();
    QTest::keyClick(view().text(), Qt::Key_Up);
    window().selection().back();
    QVERIFY(selected().place.line > 0);
  }

  void text_is_found_and_copied() {
    with_torch();
    view().text()->setFocus();
    QTest::keyClick(view().text(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(view().find()->isVisible());
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("sum_1"));
    QTRY_COMPARE(view().find()->found().size(), size_t{2});
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(view().text()->hasFocus());
  }

  void the_stage_stays_from_trace_to_trace() {
    with_torch();
    click_stage(4);
    QVERIFY(!view().parts()->isVisible());
    window().selection().select(Selection::of_trace(document(), TraceId(2)));
    QCOMPARE(view().stages()->currentIndex(), 4);
    QCOMPARE(view().parts()->count(), 2);
    view().parts()->setFocus();
    QTest::keyClick(view().parts(), Qt::Key_Down);
    QVERIFY(view().text()->lines().front().text.contains(QStringLiteral("RESUME")));
    QVERIFY(view().lead()->text().endsWith(QStringLiteral(". 1 line, 1 of them with a line of your code")));
  }

  void resume_functions_are_below_their_function() {
    with_torch(TraceId(3));
    const NavigatorModel& model = window().navigator()->model();
    const QModelIndex run = model.index_of_run();
    QCOMPARE(model.rowCount(run), 2);
    QCOMPARE(model.index(0, 0, run).data(Qt::DisplayRole).toString(), QStringLiteral("step"));
    QCOMPARE(model.index(0, 0, run).data(NavigatorModel::kDetail).toString(), QStringLiteral("1 trace"));
    const QModelIndex resume = model.index(1, 0, run);
    QCOMPARE(resume.data(Qt::DisplayRole).toString(), QString::fromUtf8("↳ after line 7"));
    QCOMPARE(resume.data(Qt::AccessibleTextRole).toString(), QStringLiteral("step, resumed after line 7, 2 traces"));
    QCOMPARE(model.rowCount(resume), 2);
    QCOMPARE(model.index_of(FunctionId(2), TraceId(3)).parent(), resume);
  }

  void guards_are_called_guards() {
    const Document d = torch_document();
    const auto rows = [&](const Selection& s) {
      QStringList all;
      const InspectorContent content = inspect(d, s, nullptr, nullptr);
      for (const InspectorGroup& g : content.groups)
        for (const InspectorRow& r : g.rows) all << r.label + QStringLiteral(": ") + r.value;
      return all;
    };
    const QStringList function = rows(Selection::of_function(d, FunctionId(1)));
    QVERIFY(function.contains(QStringLiteral("Guards look at: args[0], context.grad_mode")));
    QVERIFY(function.filter(QStringLiteral("Parameters")).isEmpty());
    QVERIFY(rows(Selection::of_trace(d, TraceId(1))).contains(QStringLiteral("Guards: 1 on values, 1 on the context")));
    QVERIFY(rows(Selection::of_function(d, FunctionId(2))).contains(QStringLiteral("Resumes: step")));
    QVERIFY(rows(Selection::of_trace(d, TraceId(2))).contains(QStringLiteral("Function: step, resumed after line 7")));
  }

  void a_recording_of_jax() {
    const QString packed = QStringLiteral(FOOTLIGHT_ENGINE_RECORDINGS "/jax-0.10.2.footlight.gz");
    QProcess gzip;
    gzip.start(QStringLiteral("gzip"), {QStringLiteral("-dc"), packed});
    QVERIFY(gzip.waitForFinished() && gzip.exitCode() == 0);
    write(at("jax.footlight"), gzip.readAllStandardOutput());
    open_recording(at("jax.footlight"));
    const Document& d = document();
    const auto update = std::ranges::find(d.functions, "update", &session::FunctionRecord::name);
    QVERIFY(update != d.functions.end());
    window().selection().select(Selection::of_function(d, update->id));
    go_to_view("autograph");
    QCOMPARE(tab(), QStringLiteral("Generated"));
    QCOMPARE(stages(), (QStringList{QStringLiteral("jaxpr"), QStringLiteral("StableHLO"), QStringLiteral("HLO")}));
    QVERIFY(view().text()->lines().front().text.startsWith(QStringLiteral("{ lambda")));
    click_stage(2);
    // Every line of HLO that names a frame is joined to a line of the script.
    QVERIFY(view().lead()->text().endsWith(QStringLiteral("with a line of your code")));
    int joined = 0;
    for (const CodeLine& line : view().source()->lines()) joined += line.strip == QStringLiteral("violet");
    QVERIFY(joined > 0);
  }
};

QTEST_MAIN(GeneratedTest)
#include "test_generated.moc"
