// The Compare tab by mouse and keyboard, over comparisons whose numbers are known.
#include "app/models/text.h"
#include "tests/app/compare_fixture.h"
#include "tests/app/stand_in.h"
#include "tests/app/window_case.h"
#include "tests/sanitizers/sanitized.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSvgRenderer>

#include <cmath>

using namespace footlight;
using namespace footlight::app;

class CompareViewTest : public WindowCase {
  Q_OBJECT

  CompareView& view() { return *window().compare(); }
  void with_comparisons() {
    window().session().show(compared_document());
    QTest::keyClick(&window(), Qt::Key_5, Qt::ControlModifier);
    window().selection().select(Selection::of_trace(document(), TraceId(10)));
    QApplication::processEvents();
    QVERIFY(view().isVisible());
    QVERIFY(view().shows_result());
  }
  void with_selected(FunctionId function) {
    QTest::keyClick(&window(), Qt::Key_5, Qt::ControlModifier);
    window().selection().select(Selection::of_function(document(), function));
    QApplication::processEvents();
  }
  QString cell(int row, const char* column) {
    return view().rows().index(row, view().rows().column(column)).data().toString();
  }
  PieceAt piece_named(bool traced, const std::string& label) {
    const CompareLanes& lanes = view().timelines()->lanes();
    for (const PlacedLane& lane : lanes.lanes())
      for (size_t i = 0; lane.traced == traced && i < lanes.lane(lane).pieces.size(); ++i)
        if (lanes.lane(lane).pieces[i].label == label) return {traced, lane.lane, static_cast<int>(i)};
    return {};
  }
  void click_piece(PieceAt at) {
    QTest::mouseClick(view().timelines(), Qt::LeftButton, {}, view().timelines()->rect_of(at).center().toPoint());
  }
  QPoint bar_centre(int bar) { return view().waterfall()->part_rect(bar).center().toPoint(); }
  // A recorder that waits until it is told to stop and notes how it was started.
  void with_stand_in() {
    install_stand_in(folder_.path(),
                     "import sys, os, shutil\n"
                     "with open(os.environ['NOTED_WORDS'], 'w') as f: f.write(' '.join(sys.argv[1:]))\n"
                     "shutil.copy(os.environ['SAMPLE_SESSION'], sys.argv[sys.argv.index('-o') + 1])\n"
                     "os.read(int(sys.argv[sys.argv.index('--commands') + 1]), 100)\n");
    qputenv("SAMPLE_SESSION", at("sample.footlight").toUtf8());
    qputenv("NOTED_WORDS", at("words").toUtf8());
    write(at("script.py"), sample_script().c_str());
  }
  QByteArray noted_words() {
    QFile file(at("words"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private Q_SLOTS:
  void a_session_without_comparisons_offers_one() {
    with_sample();
    with_selected(FunctionId(1));
    QVERIFY(!view().shows_result());
    QVERIFY(view().start()->main_button()->isEnabled());
    QVERIFY(view().start()->shown_text().contains(QStringLiteral("train_step")));
    QVERIFY(view().start()->shown_text().contains(QStringLiteral("Footlight runs train.py --epochs 6 again")));
    QCOMPARE(view().start()->call_box()->maximum(), 24);
    // The button asks first; Esc takes it back.
    QSignalSpy asked(&view(), &CompareView::run_asked);
    view().start()->pairs_box()->setValue(20);
    QTest::mouseClick(view().start()->main_button(), Qt::LeftButton);
    QCOMPARE(view().start()->state(), CompareStart::State::kAsking);
    QVERIFY(view().start()->shown_text().contains(QStringLiteral("20 times")));
    QTest::keyClick(view().start()->main_button(), Qt::Key_Escape);
    QCOMPARE(view().start()->state(), CompareStart::State::kIdle);
    QCOMPARE(asked.count(), 0);
  }

  void the_call_of_the_selected_trace_is_offered() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_5, Qt::ControlModifier);
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    // Each trace serves four calls, the first of which makes it.
    QTRY_COMPARE(view().start()->call_box()->value(), 9);
  }

  void nothing_selected_says_so() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_5, Qt::ControlModifier);
    window().selection().clear();
    QVERIFY(!view().start()->main_button()->isEnabled());
    QVERIFY(view().start()->shown_text().contains(QStringLiteral("Select a traced function")));
  }

  void a_run_is_started_shown_and_stopped() {
    with_stand_in();
    with_sample();
    // The sample's own script does not exist; what the top bar has is run.
    window().top_bar()->set_script(at("script.py"), {});
    with_selected(FunctionId(1));
    view().start()->call_box()->setValue(5);
    QTest::keyClick(&window(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(view().start()->state(), CompareStart::State::kAsking);
    QVERIFY(view().start()->main_button()->hasFocus());
    QTest::keyClick(view().start()->main_button(), Qt::Key_Space);
    QCOMPARE(view().start()->state(), CompareStart::State::kRunning);
    QTRY_VERIFY_WITH_TIMEOUT(window().session().is_open(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(view().start()->shown_text().contains(QStringLiteral("24 calls so far")), 20000);
    QVERIFY(noted_words().contains("--compare train_step:5 --compare-pairs 200 --compare-seconds 10 " +
                                   at("script.py").toUtf8()));
    QTest::keyClick(view().start()->main_button(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running(), 20000);
    QTRY_COMPARE_WITH_TIMEOUT(view().start()->state(), CompareStart::State::kIdle, 20000);
    QVERIFY(view().start()->shown_text().contains(
        QStringLiteral("There is no comparison: the script ended (Stopped)")));
  }

  // Whoever has waited for it with the keys on Stop has them on the result.
  void a_result_gets_the_keys() {
    SampleRun run = sample_run();
    run.comparisons.push_back(repetitions());
    write_session(at("compared.footlight"), run);
    with_stand_in();
    qputenv("SAMPLE_SESSION", at("compared.footlight").toUtf8());
    with_sample();
    window().top_bar()->set_script(at("script.py"), {});
    with_selected(FunctionId(1));
    view().start()->call_box()->setValue(2);
    QTest::keyClick(&window(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClick(view().start()->main_button(), Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(view().shows_result(), 20000);
    QVERIFY(view().main_widget()->hasFocus());
    QTest::keyClick(&window(), Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running(), 20000);
  }

  void recorded_repetitions_are_read_beside_the_window() {
    SampleRun run = sample_run();
    run.comparisons.push_back(repetitions());
    write_session(at("compared.footlight"), run);
    open_recording(at("compared.footlight"));
    QTest::keyClick(&window(), Qt::Key_5, Qt::ControlModifier);
    QVERIFY(view().shows_result());
    QVERIFY(view().sentence().startsWith(QStringLiteral("30.0 us eager, 12.0 us traced: 2.5 times as fast.")));
    QCOMPARE(view().shown()->call, uint64_t{2});
    // Python takes 8 us less, dispatch 1 us more, kernels 11 us less.
    double parts = 0, python = 0;
    for (const WaterfallBar& bar : view().waterfall()->waterfall().bars) {
      if (bar.kind == WaterfallBar::Kind::kPart) parts += bar.change();
      if (bar.name == QStringLiteral("Python")) python = bar.change();
    }
    QCOMPARE(parts, -18'000.0);
    QCOMPARE(python, -8'000.0);
    double eager = 0, traced = 0;
    for (int r = 0; r + 1 < view().rows().rowCount(); ++r) {
      eager += cell(r, "Eager time").toDouble();
      traced += cell(r, "Traced time").toDouble();
    }
    QCOMPARE(eager, 30.0);
    QCOMPARE(traced, 12.0);
    const CompareLanes& lanes = view().timelines()->lanes();
    QCOMPARE(lanes.longest(), int64_t{30'000});
    const PieceAt product = piece_named(true, "MatMul");
    QCOMPARE(lanes.piece(product).start, int64_t{1'000});
    QCOMPARE(lanes.piece(product).end, int64_t{10'000});
  }

  void the_sentence_and_the_totals_are_shown() {
    with_comparisons();
    QCOMPARE(view().shown()->call, uint64_t{1});
    QVERIFY(view().sentence().startsWith(QStringLiteral("40.0 us eager, 16.0 us traced: 2.5 times as fast.")));
    const int total = view().rows().rowCount() - 1;
    const Waterfall& w = view().waterfall()->waterfall();
    const auto number = [](const QString& text) { return text.section(QLatin1Char(' '), 0, 0).toDouble(); };
    QCOMPARE(number(cell(total, "Eager time")), number(w.bars.front().value));
    QCOMPARE(number(cell(total, "Traced time")), number(w.bars.back().value));
    double parts = 0;
    for (size_t i = 1; i + 1 < w.bars.size(); ++i) parts += w.bars[i].change();
    QVERIFY(std::abs(parts / 1000 - cell(total, "Difference").toDouble()) < 0.05);
    QVERIFY(view().row_box()->shown_text().contains(QStringLiteral("Worth it from call 255")));
  }

  void bars_are_painted_where_the_layout_says() {
    with_comparisons();
    const QImage picture = view().waterfall()->grab().toImage();
    const double scale = picture.devicePixelRatio();
    const auto color_at = [&](QPointF p) { return picture.pixelColor((p * scale).toPoint()).rgb(); };
    const auto inside = [&](int bar) {
      const QRectF r = view().waterfall()->bar_rect(bar);
      return QPointF(r.left() + 8, r.center().y());   // beside the whisker
    };
    QCOMPARE(color_at(inside(0)), theme()["blueFill"].rgb());
    QCOMPARE(color_at(inside(1)), theme()["greenFill"].rgb());
    QCOMPARE(color_at(inside(view().waterfall()->parts() - 1)), theme()["tealFill"].rgb());
    // The eager bar is 40/16 times as tall as the traced one.
    const double eager = view().waterfall()->bar_rect(0).height();
    const double traced = view().waterfall()->bar_rect(view().waterfall()->parts() - 1).height();
    QVERIFY(std::abs(eager / traced - 2.5) < 0.01);
  }

  void small_parts_open_by_key_and_by_mouse() {
    with_comparisons();
    WaterfallCanvas* canvas = view().waterfall();
    const int closed = canvas->parts();
    int small = 0;
    while (!canvas->waterfall().bars[static_cast<size_t>(small)].joins_small) ++small;
    QTest::mouseClick(canvas, Qt::LeftButton, {}, bar_centre(small));
    QCOMPARE(canvas->parts(), closed + 2);
    canvas->setFocus();
    QTest::keyClick(canvas, Qt::Key_Return);
    QCOMPARE(canvas->parts(), closed);
    QTest::keyClick(canvas, Qt::Key_Home);
    QTest::keyClick(canvas, Qt::Key_Right);
    QCOMPARE(canvas->current_part(), 1);
    QVERIFY(view().meaning().contains(QStringLiteral("outside of the engine")));
  }

  void rows_pieces_bars_and_the_selection_go_together() {
    with_comparisons();
    click_piece(piece_named(false, "Sum"));
    QCOMPARE(view().table()->currentIndex().row(), 1);
    QCOMPARE(selected().kind, Selection::Kind::kNode);
    QCOMPARE(selected().graph, GraphId(10));
    QCOMPARE(selected().node, 4u);
    QVERIFY(view().row_box()->shown_text().contains(QStringLiteral("2 ops, 7.80 us")));
    // By keyboard in the table: the next row has no node, so its line is selected.
    view().table()->setFocus();
    QTest::keyClick(view().table(), Qt::Key_Down);
    QCOMPARE(selected().kind, Selection::Kind::kLine);
    QCOMPARE(selected().place.line, 7);
    QCOMPARE(view().timelines()->chosen_piece(), piece_named(false, "Greater"));
    // And back: a node selected elsewhere.
    window().selection().select(Selection::of_node(document(), GraphId(10), 10));
    QCOMPARE(view().table()->currentIndex().row(), 3);
    window().selection().select(Selection::of_line(document(), {session::FileId(1), 6}));
    QCOMPARE(view().table()->currentIndex().row(), 0);
  }

  void the_timelines_step_zoom_and_frame() {
    with_comparisons();
    CompareTimelines* canvas = view().timelines();
    canvas->setFocus();
    click_piece(piece_named(false, "MatMul"));
    QTest::keyClick(canvas, Qt::Key_Period);
    QCOMPARE(canvas->chosen_piece(), piece_named(false, "Relu"));
    QVERIFY(view().row_box()->shown_text().contains(QStringLiteral("4.00 us before it went into Python")));
    QTest::keyClick(canvas, Qt::Key_Down);
    QVERIFY(canvas->chosen_piece().traced);
    QTest::keyClick(canvas, Qt::Key_W);
    QVERIFY(canvas->to() - canvas->from() < 40'000);
    const int64_t before = canvas->from();
    QTest::keyClick(canvas, Qt::Key_D);
    QVERIFY(canvas->from() > before);
    QTest::keyClick(canvas, Qt::Key_Home);
    QCOMPARE(canvas->to() - canvas->from(), int64_t{40'000});
    click_piece(piece_named(true, "Mul"));
    QTest::keyClick(canvas, Qt::Key_F);
    // Mul runs at 37.8 us eagerly and at 12.1 us traced: both are in view.
    for (const bool traced : {false, true}) QVERIFY(!canvas->rect_of(piece_named(traced, "Mul")).isEmpty());
    QVERIFY(canvas->rect_of(piece_named(false, "MatMul")).isEmpty() || canvas->from() > 0);
  }

  void dragging_moves_the_timelines() {
    with_comparisons();
    CompareTimelines* canvas = view().timelines();
    canvas->set_range(10'000, 20'000);
    const QPoint from(canvas->width() / 2, canvas->height() - 8), to = from - QPoint(100, 0);
    QTest::mousePress(canvas, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, to, canvas->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(canvas, &move);
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, to);
    QVERIFY(canvas->from() > 10'000);
    QCOMPARE(canvas->to() - canvas->from(), int64_t{10'000});
  }

  void the_table_is_filtered_and_sorted() {
    with_comparisons();
    QTest::mouseClick(view().filter(), Qt::LeftButton);
    QTest::keyClicks(view().filter(), QStringLiteral("matmul"));
    QCOMPARE(view().rows().shown_rows(), size_t{1});
    QCOMPARE(cell(0, "Eager ops"), QStringLiteral("MatMul"));
    view().filter()->clear();
    QCOMPARE(view().rows().shown_rows(), size_t{5});
    QHeaderView* header = view().table()->horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(view().rows().column("Difference")) + 10, 10));
    QCOMPARE(view().order_box()->currentText(), QStringLiteral("Difference"));
    QCOMPARE(cell(0, "Eager ops"), QStringLiteral("Relu, Sum"));
    view().order_box()->setFocus();
    QTest::keyClick(view().order_box(), Qt::Key_Home);
    QCOMPARE(cell(0, "Eager ops"), QStringLiteral("MatMul"));
  }

  void several_comparisons_can_be_chosen() {
    with_comparisons();
    QCOMPARE(view().choice()->count(), 2);
    view().choice()->setFocus();
    QTest::keyClick(view().choice(), Qt::Key_Down);
    QCOMPARE(view().shown()->call, uint64_t{5});
    QVERIFY(view().sentence().contains(QStringLiteral("7 % of the traced time is unexplained")));
    QCOMPARE(view().timelines()->lanes().lanes().size(), size_t{6});
    // Another trace brings its own comparison.
    view().choice()->setFocus();
    window().selection().select(Selection::of_function(document(), FunctionId(2)));
    QVERIFY(!view().shows_result());
    window().selection().select(Selection::of_trace(document(), TraceId(10)));
    QCOMPARE(view().shown()->call, uint64_t{1});
  }

  void run_again_asks_for_the_same_call() {
    with_comparisons();
    view().choice()->setFocus();
    QTest::keyClick(view().choice(), Qt::Key_Down);
    QTest::mouseClick(view().again_button(), Qt::LeftButton);
    QVERIFY(!view().shows_result());
    QCOMPARE(view().start()->state(), CompareStart::State::kAsking);
    QCOMPARE(view().start()->plan().call, qulonglong{5});
    QTest::mouseClick(view().start()->cancel_button(), Qt::LeftButton);
    QVERIFY(view().shows_result());
  }

  void it_is_exported() {
    with_comparisons();
    const auto actions = view().export_menu()->actions();
    actions[0]->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text().count(QStringLiteral("\n")), 8);
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("\"Relu, Sum\",7.8")));
    actions[1]->trigger();
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("| 6 | MatMul | 9.40 |")));
    QVERIFY(view().save_picture(at("compare.png")));
    const QImage image(at("compare.png"));
    QVERIFY(image.width() > view().waterfall()->width());
    // The eager bar is in it.
    int blue = 0;
    for (int x = 0; x < image.width(); x += 4)
      for (int y = 0; y < image.height(); y += 4) blue += image.pixelColor(x, y).rgb() == theme()["blueFill"].rgb();
    QVERIFY(blue > 100);
    QVERIFY(view().save_picture(at("compare.svg")));
    QSvgRenderer svg(at("compare.svg"));
    QVERIFY(svg.isValid());
    QVERIFY(!view().save_picture(at("no/such/folder.svg")));
  }

  // In the smallest window, with the dock open: nothing is squeezed, the page scrolls, and what gets the keys is seen.
  void in_a_small_window_the_parts_keep_their_room() {
    with_comparisons();
    window().resize(1000, 600);
    QTest::keyClick(&window(), Qt::Key_7, Qt::ControlModifier);
    QApplication::processEvents();
    QCOMPARE(window().size(), QSize(1000, 600));
    const QScrollArea* page = view().page();
    QVERIFY(page->verticalScrollBar()->maximum() > 0);
    QVERIFY(view().waterfall()->height() >= 108);
    QVERIFY(view().table()->height() >= 120);
    // The box is below the table, which has the width.
    QVERIFY(view().row_box()->mapTo(page->widget(), QPoint()).y() >
            view().table()->mapTo(page->widget(), QPoint()).y());
    const auto seen = [&](QWidget* part) {
      const QRect at(part->mapTo(page->viewport(), QPoint()), part->size());
      return page->viewport()->rect().intersected(at).height();
    };
    QTest::keyClick(&window(), Qt::Key_5, Qt::ControlModifier);
    QVERIFY(view().waterfall()->hasFocus());
    QApplication::processEvents();
    QCOMPARE(seen(view().waterfall()), view().waterfall()->height());
    for (int i = 0; i < 12 && !view().table()->hasFocus(); ++i)
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QVERIFY(view().table()->hasFocus());
    QApplication::processEvents();
    QCOMPARE(seen(view().table()), view().table()->height());
    // With room for all of it, the table has the keys at once, and the box is beside it.
    window().resize(1600, 1000);
    QApplication::processEvents();
    QCOMPARE(page->verticalScrollBar()->maximum(), 0);
    QTest::keyClick(&window(), Qt::Key_7, Qt::ControlModifier);
    QTest::keyClick(&window(), Qt::Key_5, Qt::ControlModifier);
    QVERIFY(view().table()->hasFocus());
    QVERIFY(view().row_box()->mapTo(page->widget(), QPoint()).x() > view().table()->width());
  }

  void canvases_have_children_with_names() {
    with_comparisons();
    for (PaintedParts* canvas : std::initializer_list<PaintedParts*>{view().waterfall(), view().timelines()}) {
      QAccessibleInterface* access = QAccessible::queryAccessibleInterface(canvas);
      QVERIFY(access);
      QVERIFY(!access->text(QAccessible::Name).isEmpty());
      QCOMPARE(access->childCount(), canvas->parts());
      QAccessibleInterface* child = access->child(1);
      QVERIFY(child);
      QCOMPARE(child->parent(), access);
      QCOMPARE(access->indexOfChild(child), 1);
      QVERIFY(!child->text(QAccessible::Name).isEmpty());
      QVERIFY(!child->rect().isEmpty());
      child->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
      QCOMPARE(canvas->current_part(), 1);
      QVERIFY(child->state().selected);
    }
    QCOMPARE(QAccessible::queryAccessibleInterface(view().waterfall())->child(1)->text(QAccessible::Name),
             QStringLiteral("Python, -13.0 us"));
  }

  void every_theme_paints_it() {
    const QStringList names = Theme::names();
    for (const QString& name : names.first(footlight::test::some_of(static_cast<int>(names.size())))) {
      window().choose_theme(name);
      with_comparisons();
      const QImage picture = view().waterfall()->grab().toImage();
      const QRectF bar = view().waterfall()->bar_rect(0);
      const QPointF inside = QPointF(bar.left() + 8, bar.center().y()) * picture.devicePixelRatio();
      QCOMPARE(picture.pixelColor(inside.toPoint()).rgb(), theme()["blueFill"].rgb());
    }
    window().choose_theme(QStringLiteral("dark"));
  }
};

QTEST_MAIN(CompareViewTest)
#include "test_compare_view.moc"
