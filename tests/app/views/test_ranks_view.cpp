// The Ranks view over a merged recording of three ranks, of which one traces its function again at the third step.
#include "tests/app/window_case.h"

#include "app/models/finding_content.h"
#include "app/models/text.h"
#include "app/views/ranks_view.h"

#include "engine/session/merge.h"
#include "engine/session/writer.h"
#include "tests/session/rank_recording.h"
#include "tests/session/records.h"

#include <QAction>
#include <QSignalSpy>

using namespace footlight;
using namespace footlight::app;

namespace {

constexpr int64_t kMs = 1'000'000, kBegin = 1'000'000 * kMs;
constexpr int kSteps = 5, kRanks = 3, kLateStep = 2, kLateRank = 1;

}  // namespace

class RanksViewTest : public WindowCase {
  Q_OBJECT

 private:
  bool has_collectives_ = true;

  // Steps of 10 ms, one collective after each; rank 1 needs 30 ms more for the third.
  std::string write_rank(int rank, int late_ms) {
    const std::string to = at(("rank" + std::to_string(rank) + ".footlight").c_str()).toStdString();
    auto writer =
        begin_rank(to, RecordingLevel::kStructure,
                   {rank, kRanks, rank == 2 ? "node18" : "node17", "boot-1", {{kBegin, 5 * kMs, 40}}});
    int64_t now = kBegin;
    for (int step = 0; step < kSteps; ++step) {
      const bool is_late = step == kLateStep;
      const int64_t comes = now + 10 * kMs + rank * 4'000 + (is_late && rank == kLateRank ? late_ms * kMs : 0);
      now += 11 * kMs + (is_late ? late_ms * kMs : 0);
      if (is_late && rank == kLateRank) {
        session::TraceRecord trace = trace_of(TraceId(2), FunctionId(0), 2, comes - (late_ms + 2) * kMs,
                                               comes - 3 * kMs);
        trace.why = "shape of tokens";
        writer->add(std::move(trace));
      }
      session::CallRecord call = call_of(CallId(static_cast<uint64_t>(step)), FunctionId(0), {}, CallOutcome::kHit,
                                         comes - 2 * kMs, comes);
      call.thread = session::ThreadId(0);
      writer->add(call);
      session::SpanRecord span{session::TrackId(0), comes, now, "all_reduce", "collective"};
      span.args = R"({"group": "world", "bytes": 64, "file": "/home/ada/train.py", "line": 88})";
      if (has_collectives_) writer->add(span);
    }
    writer->finish({now, 0, 0, "finished"});
    return to;
  }

  RanksView* view() { return window().findChild<RanksView*>(); }
  bool palette_has_ranks() {
    window().open_palette(QStringLiteral("> Ranks"));
    const QAbstractItemModel* const found = window().palette()->list()->model();
    bool has = false;
    for (int i = 0; i < found->rowCount(); ++i)
      has |= found->index(i, 0).data(Qt::DisplayRole).toString() == QStringLiteral("Ranks");
    window().palette()->hide();
    return has;
  }
  void with_ranks(int late_ms = 30) {
    std::vector<session::MergePart> parts;
    for (int rank = 0; rank < kRanks; ++rank) parts.push_back({write_rank(rank, late_ms), 0, 80});
    session::write_merged(parts, at("all.footlight").toStdString());
    open_recording(at("all.footlight"));
    QTest::keyClick(&window(), Qt::Key_9, Qt::ControlModifier);
    QCOMPARE(window().view(), QStringLiteral("ranks"));
    QTRY_VERIFY(view()->data() && !view()->busy());
    if (has_collectives_) QTRY_COMPARE(view()->canvas()->tracks().size(), size_t{kRanks});
  }

 private Q_SLOTS:
  void the_late_rank_is_chosen_and_explained() {
    with_ranks();
    QVERIFY2(view()->verdict().startsWith(QStringLiteral("Rank 1 is late at all_reduce #3 by 30.0 ms: it traced")),
             qPrintable(view()->verdict()));
    QCOMPARE(view()->canvas()->chosen(), std::optional<size_t>(kLateStep));
    QVERIFY(view()->canvas()->is_open(kLateRank));
    QVERIFY(!view()->canvas()->is_open(0));
    QVERIFY(view()->facts().startsWith(QStringLiteral("world, 3 ranks")));
    const QAbstractItemModel* const late = view()->late_table()->model();
    QCOMPARE(late->rowCount(), 1);
    QCOMPARE(late->index(0, 0).data().toString(), QStringLiteral("Own tracing"));
    QCOMPARE(late->index(0, 1).data().toString(), QStringLiteral("train_step"));
    QCOMPARE(view()->arrivals_table()->model()->rowCount(), kRanks);
    QCOMPARE(view()->line_link()->text(), QStringLiteral("train.py:88"));
  }

  void the_reason_leads_to_the_trace() {
    with_ranks();
    QVERIFY(view()->show_reason());
    QCOMPARE(window().view(), QStringLiteral("retraces"));
    const Selection& selected = window().selection().current();
    QVERIFY(selected.kind == Selection::Kind::kTrace);
    QCOMPARE(document().trace(selected.trace)->why, std::string("shape of tokens"));
  }

  void keys_fold_step_and_zoom() {
    with_ranks();
    RanksCanvas* const canvas = view()->canvas();
    canvas->setFocus();
    const int64_t length = canvas->to() - canvas->from();
    QTest::keyClick(canvas, Qt::Key_W);
    QVERIFY(canvas->to() - canvas->from() < length);
    QTest::keyClick(canvas, Qt::Key_Home);
    QVERIFY(canvas->to() - canvas->from() > length);
    const int before = canvas->content_height(), row = canvas->row();
    QTest::keyClick(canvas, Qt::Key_Space);
    QVERIFY(canvas->content_height() != before);
    QTest::keyClick(canvas, row > 0 ? Qt::Key_Up : Qt::Key_Down);
    QVERIFY(canvas->row() != row);
    view()->choose(0);
    QTest::keyClick(canvas, Qt::Key_Period);
    QCOMPARE(canvas->chosen(), std::optional<size_t>(kLateStep));
    QVERIFY(!view()->step(1));  // there is no other late one
  }

  void alignment_makes_the_collective_end_at_one_moment() {
    with_ranks();
    RanksCanvas* const canvas = view()->canvas();
    view()->align_switch()->setChecked(true);
    const query::Collective& one = view()->data()->collective(kLateStep);
    const double x = canvas->x_of(one.arrivals[0].end_ns, 0);
    for (int row = 0; row < kRanks; ++row)
      QCOMPARE(canvas->x_of(one.arrivals[static_cast<size_t>(row)].end_ns, row), x);
  }

  void tips_say_who_waits_for_whom() {
    with_ranks();
    RanksCanvas* const canvas = view()->canvas();
    const query::Arrival& own = view()->data()->collective(kLateStep).arrivals[0];
    const QRectF rect = canvas->row_rect(0);
    const QString tip = canvas->tip_at({canvas->x_of(own.start_ns + 15 * kMs, 0), rect.top() + 23});
    QVERIFY2(tip.contains(QStringLiteral("waits ")) && tip.endsWith(QStringLiteral("for Rank 1")), qPrintable(tip));
    QVERIFY(canvas->part_name(kLateRank).endsWith(QStringLiteral(", late")));
    QVERIFY(canvas->part_description(2).contains(QStringLiteral("node18")));
    QVERIFY(view()->host_switch()->isVisible());
  }

  void a_recording_of_one_process_has_no_tab() {
    with_ranks();
    int tab = 0;
    while (window().tabs()->tabText(tab) != QStringLiteral("Ranks")) ++tab;
    QVERIFY(window().tabs()->isTabVisible(tab));
    QVERIFY(palette_has_ranks());
    with_sample();
    QVERIFY(!window().tabs()->isTabVisible(tab));
    QVERIFY(window().view() != QStringLiteral("ranks"));
    QVERIFY(!palette_has_ranks());
    const QString before = window().view();
    QTest::keyClick(&window(), Qt::Key_9, Qt::ControlModifier);
    QCOMPARE(window().view(), before);
    for (const QAction* action : window().findChildren<QAction*>())
      if (action->text() == QStringLiteral("Ranks")) QVERIFY(!action->isVisible());
    with_ranks();
    QVERIFY(window().tabs()->isTabVisible(tab));
  }

  void without_collectives_it_says_so() {
    has_collectives_ = false;
    with_ranks();
    has_collectives_ = true;
    QVERIFY2(view()->nothing()->text().startsWith(QStringLiteral("No collectives were recorded")),
             qPrintable(view()->nothing()->text()));
    QVERIFY(view()->nothing()->isVisible());
    go_to_view("ranks");
    QVERIFY(view()->nothing()->link()->hasFocus());
  }

  void the_finding_leads_to_the_collective() {
    with_ranks(60);
    QTRY_VERIFY(window().findings()->count() > 0);
    const auto& cards = window().findings()->list().cards;
    const auto late = std::ranges::find_if(
        cards, [](const FindingCard& card) { return card.finding && card.finding->cause == "late_rank"; });
    QVERIFY(late != cards.end());
    QCOMPARE(late->title, QStringLiteral("Rank 1 is late: it traces train_step again"));
    const FindingContent content = finding_content(document(), *late);
    QCOMPARE(content.evidence.front().value, QStringLiteral("60.0 ms at all_reduce #3"));
    QCOMPARE(content.evidence.front().link, QStringLiteral("Show in Ranks"));
    view()->choose(0);
    go_to_view("graph");
    Q_EMIT window().finding_page()->ranks_asked(q(late->finding->collective));
    window().settle();
    QCOMPARE(window().view(), QStringLiteral("ranks"));
    QCOMPARE(view()->canvas()->chosen(), std::optional<size_t>(kLateStep));
  }
};

QTEST_MAIN(RanksViewTest)
#include "test_ranks_view.moc"
