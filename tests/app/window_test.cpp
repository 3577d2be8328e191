// The window with real mouse and key events: open, select, walk, search, run and stop; and pictures of every view.
#include "tests/app/sample.h"

#include "app/views/main_window.h"
#include "app/views/theme.h"

#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QImage>
#include <QMenuBar>
#include <QMimeData>
#include <QProcess>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <memory>
#include <set>

using namespace footlight;
using namespace footlight::app;

namespace {

double luminance(const QColor& c) {
  const auto part = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// How many colours a picture has, at a coarse grain: an empty view has a handful.
size_t colours(const QImage& image) {
  std::set<QRgb> seen;
  for (int y = 0; y < image.height(); y += 2) {
    for (int x = 0; x < image.width(); x += 2) seen.insert(image.pixel(x, y) & 0xfff0f0f0);
  }
  return seen.size();
}

size_t pixels_of(const QImage& image, const QColor& color) {
  size_t count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == color;
  }
  return count;
}

}  // namespace

class WindowTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  QString at(const char* name) { return folder_.filePath(QLatin1String(name)); }

  MainWindow& window() { return *window_; }
  void with_sample() {
    window().session().show(sample_document());
    window().settle();
  }
  void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  QImage picture(QWidget* widget) {
    QImage image(widget->size(), QImage::Format_RGB32);
    image.fill(theme()["window"]);
    widget->render(&image);
    return image;
  }

 private Q_SLOTS:
  void initTestCase() {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    set_theme(QStringLiteral("dark"));
    qputenv("FOOTLIGHT_RUNS", folder_.filePath(QStringLiteral("runs")).toUtf8());
    write_sample_session(at("sample.footlight"));
  }

  void init() {
    window_ = std::make_unique<MainWindow>(false);
    window_->resize(1400, 900);
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    // Shortcuts are those of the active window.
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }
  void cleanup() { window_.reset(); }

  void every_text_can_be_read() {
    for (const QString& name : Theme::names()) {
      const Theme t = Theme::load(name);
      for (const char* surface : {"window", "panel", "raised"}) {
        for (const char* text :
             {"text", "dim", "faint", "amber", "teal", "blue", "violet", "green", "pink", "red", "grey"}) {
          QVERIFY2(contrast(t[surface], t[text]) >= 4.5,
                   qPrintable(QStringLiteral("%1: %2 on %3 is %4")
                                  .arg(name, QLatin1String(text), QLatin1String(surface))
                                  .arg(contrast(t[surface], t[text]))));
        }
      }
      for (const char* tone : {"amber", "teal", "blue", "violet", "green", "pink", "red", "grey"}) {
        QVERIFY(contrast(t.color(QLatin1String(tone) + QStringLiteral("Fill")), t["onFill"]) >= 4.5);
        QVERIFY(contrast(t.color(QLatin1String(tone) + QStringLiteral("Soft")), t[tone]) >= 4.5);
      }
      QVERIFY(contrast(t["selection"], t["selectionText"]) >= 4.5);
    }
    QVERIFY_EXCEPTION_THROWN(Theme::load(QStringLiteral("no such")), std::runtime_error);
  }

  void opens_a_session() {
    QVERIFY(window().open(at("sample.footlight")));
    window().settle();
    QVERIFY(window().session().is_open());
    QVERIFY(window().banner_text().isEmpty());
    // The function that was traced most often is looked at first.
    QCOMPARE(window().selection().current().function, FunctionId(1));
    QCOMPARE(window().findings()->count(), 1);
    QVERIFY(window().top_bar()->script().endsWith(QStringLiteral("train.py")));
    QCOMPARE(window().top_bar()->arguments(), (QStringList{QStringLiteral("--epochs"), QStringLiteral("6")}));
  }

  void a_broken_file_says_so() {
    write(at("broken.footlight"), "nothing that could be read");
    window().open(at("broken.footlight"));
    QTRY_VERIFY(window().banner_text().contains(QStringLiteral("broken.footlight could not be opened")));
    QVERIFY(!window().session().is_open());
    QVERIFY(!window().open(at("not there.footlight")));
    QVERIFY(window().banner_text().contains(QStringLiteral("There is no file")));
    QVERIFY(!window().open(folder_.path()));
    // And the next good one opens.
    QVERIFY(window().open(at("sample.footlight")));
    window().settle();
    QVERIFY(window().session().is_open());
    QVERIFY(window().banner_text().isEmpty());
  }

  void a_file_can_be_dropped() {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(at("sample.footlight"))});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &drop);
    QVERIFY(drop.isAccepted());
    window().settle();
    QVERIFY(window().session().is_open());
  }

  void table_and_key_by_mouse_and_keys() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    Table* table = window().retraces()->table();
    const QRect row = table->visualRect(table->model()->index(2, 0));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(window().selection().current().trace, TraceId(12));
    QCOMPARE(window().retraces()->diff()->diff().differing, 1);
    QTest::keyClick(table, Qt::Key_Down);
    QCOMPARE(window().selection().current().trace, TraceId(13));
    // The navigator and the strip show the same trace.
    QCOMPARE(window().navigator()->tree()->currentIndex().data(NavigatorModel::kTraceId).toUInt(), 13u);
    QTest::keyClick(&window(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(window().selection().current().trace, TraceId(12));
    QCOMPARE(table->currentIndex().row(), 2);
    QTest::keyClick(&window(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(window().selection().current().trace, TraceId(13));
    QTest::keyClick(&window(), Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(window().selection().current().trace, TraceId(12));
  }

  void strip_is_clicked_and_walked() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    CallStrip* strip = window().retraces()->strip();
    size_t fourth = 0;
    for (size_t i = 0; i < strip->cells().size(); ++i) {
      if (strip->cells()[i].kind == StripCell::Kind::kTrace && strip->cells()[i].number == 4) fourth = i;
    }
    QTest::mouseClick(strip, Qt::LeftButton, {}, strip->cell_rect(fourth).center().toPoint());
    QCOMPARE(window().selection().current().trace, TraceId(13));
    strip->setFocus();
    QTest::keyClick(strip, Qt::Key_Period);
    QCOMPARE(window().selection().current().trace, TraceId(14));
    QTest::keyClick(strip, Qt::Key_Comma);
    QCOMPARE(window().selection().current().trace, TraceId(13));
  }

  void key_groups_open_and_close() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    window().selection().select(Selection::of_trace(window().session().document(), TraceId(12)));
    KeyDiffView* diff = window().retraces()->diff();
    const size_t before = diff->shown().size();
    diff->setFocus();
    QTest::keyClick(diff, Qt::Key_Down);
    QTest::keyClick(diff, Qt::Key_Down);
    QTest::keyClick(diff, Qt::Key_Right);   // captures
    QVERIFY(diff->shown().size() > before);
    QTest::keyClick(diff, Qt::Key_Left);
    QCOMPARE(diff->shown().size(), before);
  }

  void graph_by_keys() {
    with_sample();
    window().show_view(QStringLiteral("graph"));
    window().settle();
    GraphCanvas* canvas = window().graph()->canvas();
    QVERIFY(canvas->plan().boxes.size() > 10);
    canvas->setFocus();
    QVERIFY(window().select_by_name(QStringLiteral("MatMul")));
    QCOMPARE(window().selection().current().node, 3u);
    QTest::keyClick(canvas, Qt::Key_Down);
    QCOMPARE(window().selection().current().node, 4u);
    QTest::keyClick(canvas, Qt::Key_Up);
    QCOMPARE(window().selection().current().node, 3u);
    const double before = canvas->scale();
    QTest::keyClick(canvas, Qt::Key_Minus);
    QVERIFY(canvas->scale() < before);
    QTest::keyClick(canvas, Qt::Key_Plus);
    QVERIFY(std::abs(canvas->scale() - before) < 1e-9);
    QTest::keyClick(canvas, Qt::Key_F);
    const int box = canvas->plan().box_of(GraphId(10), 3);
    const QPointF centre = canvas->to_screen(canvas->plan().boxes[static_cast<size_t>(box)].rect.center());
    QVERIFY(QRectF(canvas->rect()).contains(centre));
    QTest::keyClick(canvas, Qt::Key_Home);
    // Every box is on the screen now.
    for (const PlanBox& b : canvas->plan().boxes)
      QVERIFY(canvas->visible_world().adjusted(-2, -2, 2, 2).contains(b.rect));
    // Enter closes the branches of the cond, and opens them again.
    QVERIFY(window().select_by_name(QStringLiteral("cond")));
    QTest::keyClick(canvas, Qt::Key_Return);
    window().settle();
    QCOMPARE(canvas->plan().areas.size(), size_t{1});
    QTest::keyClick(canvas, Qt::Key_Return);
    window().settle();
    QCOMPARE(canvas->plan().areas.size(), size_t{3});
  }

  void graph_by_mouse_links_to_code() {
    with_sample();
    window().show_view(QStringLiteral("graph"));
    window().settle();
    GraphCanvas* canvas = window().graph()->canvas();
    const auto click = [&](GraphId graph, uint32_t node) {
      const int box = canvas->plan().box_of(graph, node);
      canvas->set_selected({box});
      canvas->frame_selected();
      QTest::mouseClick(
          canvas, Qt::LeftButton, {},
          canvas->to_screen(canvas->plan().boxes[static_cast<size_t>(box)].rect.center()).toPoint());
    };
    click(GraphId(10), 10);
    QCOMPARE(window().selection().current().node, 10u);
    QCOMPARE(place_of(window().session().document(), window().selection().current()).line, 9);
    QCOMPARE(window().source()->code()->current(), 9);
    QCOMPARE(window().inspector()->content().title, QStringLiteral("Mul"));
    click(GraphId(100), 1);
    QCOMPARE(window().selection().current().graph, GraphId(100));
    QCOMPARE(window().selection().current().trace, TraceId(10));
  }

  void another_trace_keeps_the_picture_until_its_own_is_ready() {
    with_sample();
    window().show_view(QStringLiteral("graph"));
    window().settle();
    GraphCanvas* canvas = window().graph()->canvas();
    QCOMPARE(canvas->plan().root, GraphId(10));
    // A graph whose structure is not in the cache: Graphviz is asked, the old one stays meanwhile.
    window().selection().select(Selection::of_trace(window().session().document(), TraceId(20)));
    QCOMPARE(canvas->plan().root, GraphId(10));
    window().settle();
    QCOMPARE(canvas->plan().root, GraphId(20));
  }

  void autograph_links_both_ways() {
    with_sample();
    window().show_view(QStringLiteral("autograph"));
    CodeView *source = window().autograph()->source(), *generated = window().autograph()->generated();
    QCOMPARE(source->lines().front().number, 4);
    QCOMPARE(generated->lines().size(), size_t{6});
    source->setFocus();
    // Row 3 is line 7, the `if`.
    QTest::mouseClick(source->viewport(), Qt::LeftButton, {}, QPoint(120, 4 + 26 * 3 + 10));
    QCOMPARE(window().selection().current().place.line, 7);
    QCOMPARE(generated->current(), 3);
    QTest::keyClick(source, Qt::Key_Down);
    QCOMPARE(window().selection().current().place.line, 8);
    QTest::mouseClick(generated->viewport(), Qt::LeftButton, {}, QPoint(120, 4 + 24 * 5 + 10));
    QCOMPARE(window().selection().current().place.line, 9);
    QCOMPARE(source->current(), 9);
    // Nodes of that line are marked in the graph.
    window().show_view(QStringLiteral("graph"));
    window().settle();
    QCOMPARE(window().graph()->canvas()->selected().size(), 3);
  }

  void timeline_by_keys_and_mouse() {
    with_sample();
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    TimelineCanvas* canvas = window().timeline()->canvas();
    const int64_t whole = canvas->to() - canvas->from();
    canvas->setFocus();
    QTest::keyClick(canvas, Qt::Key_W);
    QVERIFY(canvas->to() - canvas->from() < whole);
    const int64_t from = canvas->from();
    QTest::keyClick(canvas, Qt::Key_D);
    QVERIFY(canvas->from() > from);
    QTest::keyClick(canvas, Qt::Key_A);
    QVERIFY(std::abs(canvas->from() - from) < 10);
    QTest::keyClick(canvas, Qt::Key_S);
    QTest::keyClick(canvas, Qt::Key_Home);
    QTest::keyClick(canvas, Qt::Key_Period);
    QCOMPARE(window().selection().current().kind, Selection::Kind::kCall);
    const CallId first = window().selection().current().call;
    QTest::keyClick(canvas, Qt::Key_Period);
    QVERIFY(window().selection().current().call != first);
    QTest::keyClick(canvas, Qt::Key_Comma);
    QCOMPARE(window().selection().current().call, first);
    QTest::keyClick(canvas, Qt::Key_F);
    QVERIFY(canvas->to() - canvas->from() < whole);
    QTest::keyClick(canvas, Qt::Key_Home);
    // A drag marks a range, and the table is of that range.
    window().settle();
    const int before = window().timeline()->ops().rowCount();
    QVERIFY(before > 0);
    QTest::mousePress(canvas, Qt::LeftButton, {}, QPoint(200, 100));
    QTest::mouseMove(canvas, QPoint(300, 100));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, QPoint(300, 100));
    QVERIFY(canvas->has_marked_range());
    window().settle();
    QTest::keyClick(canvas, Qt::Key_Escape);
    QVERIFY(!canvas->has_marked_range());
  }

  void a_node_is_found_in_the_timeline() {
    with_sample();
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    QVERIFY(window().select_by_name(QStringLiteral("MatMul")));
    TimelineCanvas* canvas = window().timeline()->canvas();
    QTest::keyClick(canvas, Qt::Key_F);
    window().settle();
    QCOMPARE(window().timeline()->ops().index(0, 0).data().toString(), QStringLiteral("MatMul"));
    QVERIFY(canvas->to() - canvas->from() <= 80'000);
  }

  void search_by_keys() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(window().palette()->isVisible());
    QTest::keyClicks(window().palette()->input(), QStringLiteral("relu"));
    QVERIFY(window().palette()->list()->model()->rowCount() > 0);
    QTest::keyClick(window().palette()->input(), Qt::Key_Return);
    QVERIFY(!window().palette()->isVisible());
    QCOMPARE(window().view(), QStringLiteral("graph"));
    QCOMPARE(window().selection().current().node, 4u);
    QTest::keyClick(&window(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClicks(window().palette()->input(), QStringLiteral("timeline"));
    QTest::keyClick(window().palette()->input(), Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("timeline"));
    window().open_palette();
    QTest::keyClicks(window().palette()->input(), QStringLiteral("nowhere"));
    QVERIFY(window().palette()->nothing()->isVisible());
    QVERIFY(window().palette()->nothing()->text().contains(QStringLiteral("nowhere")));
    QTest::keyClick(window().palette()->input(), Qt::Key_Escape);
    QVERIFY(!window().palette()->isVisible());
  }

  void a_finding_leads_to_its_retrace() {
    with_sample();
    window().show_view(QStringLiteral("source"));
    QTest::keyClick(&window(), Qt::Key_F8);
    QCOMPARE(window().view(), QStringLiteral("retraces"));
    QCOMPARE(window().selection().current().trace, TraceId(11));
    QVERIFY(window().findings()->cards().front()->property("chosen").toBool());
  }

  void console_places_lead_to_the_line() {
    with_sample();
    window().show_view(QStringLiteral("console"));
    const auto& lines = window().console()->lines().lines();
    QCOMPARE(lines.size(), size_t{8});
    QCOMPARE(lines[6].stream, session::ConsoleStream::kTfPrint);
    ConsoleText* text = window().console()->text();
    text->moveCursor(QTextCursor::End);
    QTest::keyClick(text, Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("source"));
    QCOMPARE(window().selection().current().place.line, 17);
  }

  // Traceback lines and the places in Footlight's own messages, by keys and by mouse; files that the session lacks come
  // from the disk.
  void the_first_window_fits_the_screen() {
    QCOMPARE(MainWindow::first_size({1920, 1080}), QSize(1440, 900));
    for (const QSize screen : {QSize(1366, 768), QSize(1280, 720), QSize(1024, 600)}) {
      const QSize first = MainWindow::first_size(screen);
      QVERIFY(first.width() < screen.width() && first.height() < screen.height());
      // Nothing in the window asks for more.
      with_sample();
      QVERIFY2(window().minimumSizeHint().width() <= first.width(), qPrintable(QString::number(screen.width())));
      QVERIFY2(window().minimumSizeHint().height() <= first.height(), qPrintable(QString::number(screen.height())));
    }
  }

  void errors_in_the_console_lead_to_their_lines() {
    QTemporaryDir folder;
    QFile helper(folder.filePath(QStringLiteral("my helper.py")));
    QVERIFY(helper.open(QIODevice::WriteOnly));
    helper.write("def half(x):\n  return x / 2\n\nhalf('a')\n");
    helper.close();
    Document d = sample_document();
    const std::string known = d.files.front().path;
    const size_t files = d.files.size();
    d.console.clear();
    for (const std::string& line :
         {std::string("Traceback (most recent call last):\n"), "  File \"" + known + "\", line 12, in <module>\n",
          "  File \"" + helper.fileName().toStdString() + "\", line 2, in half\n",
          std::string("InvalidArgumentError: MatMul: In[0] mismatch [Op:MatMul] (train.py:9, in train_step)\n"),
          std::string("  File \"/nowhere/gone.py\", line 3, in f\n")})
      d.console.push_back({d.first_ns(), session::ConsoleStream::kStderr, line});
    window().session().show(std::move(d));
    window().settle();
    ConsoleText* text = window().console()->text();
    const auto line_now = [&] { return window().selection().current().place.line; };
    window().show_view(QStringLiteral("console"));
    text->moveCursor(QTextCursor::Start);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(window().view(), QStringLiteral("source"));
    QCOMPARE(line_now(), 12);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 2);
    QCOMPARE(window().session().document().files.size(), files + 1);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 9);
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 9);  // the file is gone: said, and nothing else changes
    QTest::keyClick(&window(), Qt::Key_F4);
    QCOMPARE(line_now(), 12);
    QTest::keyClick(&window(), Qt::Key_F4, Qt::ShiftModifier);
    QTest::keyClick(&window(), Qt::Key_F4, Qt::ShiftModifier);
    QCOMPARE(line_now(), 9);
    // The mouse, in the middle of the place.
    text->moveCursor(QTextCursor::Start);
    QTextCursor cursor = text->document()->find(QStringLiteral("my helper"));
    cursor.clearSelection();
    text->setTextCursor(cursor);
    text->ensureCursorVisible();
    const QPoint at = text->cursorRect().center();
    QTest::mouseMove(text->viewport(), at);
    QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(line_now(), 2);
  }

  void tabs_and_panels_by_keys() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window().view(), QStringLiteral("autograph"));
    QTest::keyClick(&window(), Qt::Key_0, Qt::ControlModifier);
    QVERIFY(window().navigator()->tree()->hasFocus());
    QTest::keyClick(window().navigator()->tree(), Qt::Key_Down);
    QCOMPARE(window().selection().current().kind, Selection::Kind::kTrace);
    QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier);
    QVERIFY(!window().navigator()->isVisible());
    QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier);
    QVERIFY(window().navigator()->isVisible());
  }

  void everything_has_a_name() {
    with_sample();
    for (const char* view : {"graph", "retraces", "autograph", "timeline", "source"}) {
      window().show_view(QLatin1String(view));
      window().settle();
      for (QWidget* w : window().findChildren<QWidget*>()) {
        if (!w->isVisible() || w->focusPolicy() == Qt::NoFocus) continue;
        const bool text = qobject_cast<QAbstractButton*>(w) && !static_cast<QAbstractButton*>(w)->text().isEmpty();
        QVERIFY2(text || !w->accessibleName().isEmpty(),
                 qPrintable(QStringLiteral("%1 in %2")
                                .arg(QLatin1String(w->metaObject()->className()), QLatin1String(view))));
      }
    }
  }

  void pictures_of_every_view() {
    for (const QString& name : {QStringLiteral("dark"), QStringLiteral("light")}) {
      window().choose_theme(name);
      with_sample();
      window().selection().select(Selection::of_trace(window().session().document(), TraceId(12)));
      for (const char* view : {"graph", "retraces", "autograph", "timeline", "source"}) {
        window().show_view(QLatin1String(view));
        window().settle();
        const QImage image = picture(&window());
        QVERIFY2(colours(image) > 40, view);
        QVERIFY2(pixels_of(image, theme()["amberFill"]) > 100, view);
      }
      window().show_view(QStringLiteral("retraces"));
      window().settle();
      const QImage strip = picture(window().retraces()->strip());
      // Six traces in amber, eighteen hits in teal.
      QVERIFY(pixels_of(strip, theme()["amberFill"]) > 6 * 300);
      QVERIFY(pixels_of(strip, theme()["tealFill"]) > 18 * 60);
      QVERIFY(pixels_of(picture(window().retraces()->diff()), theme()["amberSoft"]) > 1000);
      window().show_view(QStringLiteral("timeline"));
      window().settle();
      QVERIFY(pixels_of(picture(window().timeline()->canvas()), theme()["amberFill"]) > 500);
    }
    window().choose_theme(QStringLiteral("dark"));
  }

  void small_and_empty_windows() {
    window().resize(900, 560);
    window().settle();
    QVERIFY(colours(picture(&window())) > 3);
    Document empty;
    empty.run.script = "/tmp/none.py";
    window().session().show(empty);
    for (const char* view : {"graph", "retraces", "autograph", "timeline", "source", "console", "findings"}) {
      window().show_view(QLatin1String(view));
      window().settle();
    }
    QCOMPARE(window().inspector()->content().title, QStringLiteral("none.py"));
  }

  void remembers_across_windows() {
    qputenv("XDG_CONFIG_HOME", folder_.path().toUtf8());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
    QCoreApplication::setOrganizationName(QStringLiteral("FootlightTest"));
    QCoreApplication::setApplicationName(QStringLiteral("FootlightTest"));
    {
      MainWindow first(true);
      first.show();
      first.choose_theme(QStringLiteral("light"));
      QVERIFY(first.open(at("sample.footlight")));
      first.settle();
      first.show_view(QStringLiteral("timeline"));
      first.close();
    }
    set_theme(QStringLiteral("dark"));
    MainWindow second(true);
    QCOMPARE(second.view(), QStringLiteral("timeline"));
    QCOMPARE(theme().name(), QStringLiteral("light"));
    QCOMPARE(second.recent(), QStringList{at("sample.footlight")});
    set_theme(QStringLiteral("dark"));
  }

  void runs_and_stops_a_script() {
    // A stand-in for the engine's worker: what is tested is the window.
    const QString package = folder_.filePath(QStringLiteral("package/footlight"));
    QDir().mkpath(package);
    write(package + QStringLiteral("/__init__.py"), "");
    write(package + QStringLiteral("/worker.py"),
          "import sys, os, shutil\n"
          "out = sys.argv[sys.argv.index('-o') + 1]\n"
          "shutil.copy(os.environ['SAMPLE_SESSION'], out)\n"
          "fd = int(sys.argv[sys.argv.index('--commands') + 1])\n"
          "os.read(fd, 100)\n");
    QProcess version;
    version.start(QStringLiteral("python3"),
                  {QStringLiteral("-c"), QStringLiteral("import sys; print('%d%d' % sys.version_info[:2])")});
    version.waitForFinished();
    write(package + QStringLiteral("/_engine.cpython-") +
              QString::fromUtf8(version.readAllStandardOutput()).trimmed() + QStringLiteral("-x.so"),
          "");
    qputenv("FOOTLIGHT_PACKAGE", folder_.filePath(QStringLiteral("package")).toUtf8());
    qputenv("SAMPLE_SESSION", at("sample.footlight").toUtf8());
    write(at("script.py"), sample_script().c_str());
    QVERIFY(window().open(at("script.py")));
    QVERIFY(window().top_bar()->run_button()->isEnabled());
    QVERIFY(!window().top_bar()->stop_button()->isEnabled());
    QTest::mouseClick(window().top_bar()->run_button(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window().session().is_open(), 20000);
    QVERIFY(window().worker().running());
    QVERIFY(!window().top_bar()->run_button()->isEnabled());
    QTest::keyClick(&window(), Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!window().worker().running(), 20000);
    QTRY_VERIFY(window().top_bar()->run_button()->isEnabled());
  }

  void a_worker_that_cannot_start_is_told_of() {
    write(folder_.filePath(QStringLiteral("package/footlight/worker.py")),
          "raise ImportError('the engine is missing')\n");
    write(at("script.py"), "pass\n");
    window().open(at("script.py"));
    QTest::keyClick(&window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window().banner_text().contains(QStringLiteral("the engine is missing")), 20000);
    QVERIFY(window().isVisible());
    QVERIFY(window().top_bar()->run_button()->isEnabled());
  }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
