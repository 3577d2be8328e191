// The window itself: what it opens and runs, its messages, its looks, and the settings it remembers.
#include "tests/app/stand_in.h"
#include "tests/app/window_case.h"
#include "tests/source_path.h"

#include "app/models/function_groups.h"
#include "app/models/text.h"
#include "app/views/view_list.h"

#include <QDir>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>

#include <cmath>
#include <ranges>
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

// The number of colours in a picture, counted coarsely: an empty view has a handful.
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

QImage picture(QWidget* widget) {
  QImage image(widget->size(), QImage::Format_RGB32);
  image.fill(theme()["window"]);
  widget->render(&image);
  return image;
}

}  // namespace

class WindowTest : public WindowCase {
  Q_OBJECT

  // The window's own, by the number of their parts.
  static QSplitter* splitter_with(MainWindow& window, int parts) {
    for (QSplitter* s : window.findChildren<QSplitter*>())
      if (s->count() == parts && s->isVisible()) return s;
    return nullptr;
  }
  static QList<QList<int>> window_sizes(MainWindow& window) {
    return {splitter_with(window, 3)->sizes(), splitter_with(window, 2)->sizes()};
  }

 private Q_SLOTS:
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
    // The function with the most traces is selected first.
    QCOMPARE(selected().function, FunctionId(1));
    QCOMPARE(window().findings()->count(), 1);
    QVERIFY(window().top_bar()->script().endsWith(QStringLiteral("train.py")));
    QCOMPARE(window().top_bar()->arguments(), (QStringList{QStringLiteral("--epochs"), QStringLiteral("6")}));
  }

  void opens_a_model() {
    QVERIFY(window().open(test::source_path("tests/golden/savedmodel/text")));
    window().settle();
    QVERIFY(window().session().is_open());
    QVERIFY(window().banner_text().isEmpty());
    QCOMPARE(window().view(), QStringLiteral("graph"));
    const Document& document = window().session().document();
    const auto has = [&](const char* name) {
      return std::ranges::any_of(document.functions, [&](const session::FunctionRecord& f) { return f.name == name; });
    };
    QVERIFY(has("join") && has("collatz"));
    QCOMPARE(document.calls, uint64_t(0));
  }

  // A model's functions are no calls and no traces of a run, and nothing was recorded.
  void a_model_tells_of_no_run() {
    for (const char* path : {"tests/golden/savedmodel/text", "tests/golden/models/dense.keras",
                             "tests/foreign/programs/lowered.hlo"}) {
      QVERIFY(window().open(test::source_path(path)));
      window().settle();
      const Document& document = window().session().document();
      QVERIFY(!document.functions.empty());
      std::vector<Selection> all{Selection{}};
      for (const session::FunctionRecord& f : document.functions) all.push_back(Selection::of_function(document, f.id));
      for (const session::FunctionRecord& f : document.functions) QVERIFY(!is_of_library(document, f));
      for (const session::TraceRecord& t : document.traces) all.push_back(Selection::of_trace(document, t.id));
      for (const Selection& selection : all) {
        select(selection);
        for (const InspectorGroup& group : window().inspector()->content().groups)
          for (const InspectorRow& row : group.rows)
            for (const char* word : {"Called", "Traced", "Traces", "Calls", "Level"})
              QVERIFY2(row.label != QLatin1String(word), qPrintable(row.label + QLatin1Char(' ') + row.value));
      }
      bool says = false;
      for (const QLabel* label : window().findChildren<QLabel*>()) {
        QVERIFY(!label->text().contains(QStringLiteral("Recorded with level")));
        says |= label->text().startsWith(QStringLiteral("Nothing ran: this is "));
      }
      QVERIFY(says);
    }
  }

  void a_broken_file_says_so() {
    write(at("broken.footlight"), "nothing that could be read");
    window().open(at("broken.footlight"));
    QTRY_VERIFY(window().banner_text().contains(QStringLiteral("broken.footlight could not be opened")));
    QVERIFY(!window().session().is_open());
    QVERIFY(!window().open(at("not there.footlight")));
    QVERIFY(window().banner_text().contains(QStringLiteral("There is no file")));
    QVERIFY(!window().open(folder_.path()));
    // After that, a good session still opens.
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

  void the_first_window_fits_the_screen() {
    QCOMPARE(MainWindow::first_size({1920, 1080}), QSize(1440, 900));
    for (const QSize screen : {QSize(1366, 768), QSize(1280, 720), QSize(1024, 600)}) {
      const QSize first = MainWindow::first_size(screen);
      QVERIFY(first.width() < screen.width() && first.height() < screen.height());
      // No part of the window needs more space.
      with_sample();
      QVERIFY2(window().minimumSizeHint().width() <= first.width(), qPrintable(QString::number(screen.width())));
      QVERIFY2(window().minimumSizeHint().height() <= first.height(), qPrintable(QString::number(screen.height())));
    }
  }

  void long_names_push_nothing_aside() {
    Document d = sample_document();
    const std::string name(400, 'n'), file = "/tmp/" + std::string(200, 'f') + ".py";
    for (const session::FunctionRecord& f : std::vector(d.functions)) {
      session::FunctionRecord renamed = f;
      renamed.name = name + f.name;
      for (std::string& p : renamed.parameters) p = name + p;
      d.add(renamed);
    }
    for (const session::FileRecord& f : std::vector(d.files)) d.add(session::FileRecord{f.id, file, f.text});
    for (const session::TraceRecord& t : std::vector(d.traces)) {
      session::TraceRecord renamed = t;
      renamed.why = "value of " + name;
      for (session::KeyLeaf& leaf : renamed.key) leaf.parameter = name + leaf.parameter;
      d.add(renamed);
    }
    d.run.script = file;
    window().session().show(d);
    window().top_bar()->set_script(q(file), {});
    window().resize(1000, 600);
    const Selection node = Selection::of_node(d, GraphId(10), 3);
    for (const Selection& s : {Selection::of_function(d, FunctionId(1)), Selection::of_trace(d, TraceId(12)), node}) {
      window().selection().select(s);
      for (const char* view : view_list() | std::views::transform(&ViewEntry::name)) {
        go_to_view(view);
        const QWidget* inspector = window().inspector();
        const int right = inspector->mapTo(&window(), inspector->rect().topRight()).x();
        QVERIFY2(right < window().width(), view);
        QVERIFY2(window().minimumSizeHint().width() <= 1000, view);
        for (const QScrollArea* scroll : window().findChildren<QScrollArea*>()) {
          if (scroll->isVisible() && scroll->widget() && scroll->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff)
            QVERIFY2(scroll->widget()->width() <= scroll->viewport()->width(), view);
        }
      }
    }
  }

  // A view is an entry of one list: its tab, its page and its name follow from it.
  void every_view_has_its_tab_and_page() {
    QStringList names, keys;
    for (const ViewEntry& entry : view_list()) {
      const auto index = static_cast<int>(names.size());
      QCOMPARE(window().tabs()->tabText(index), QLatin1String(entry.title));
      if (window().tabs()->isTabVisible(index)) {
        window().show_view(QLatin1String(entry.name));
        QCOMPARE(window().view(), QLatin1String(entry.name));
        QCOMPARE(window().tabs()->currentIndex(), index);
      } else {
        QCOMPARE(QLatin1String(entry.name), QLatin1String("ranks"));
      }
      QVERIFY(!names.contains(QLatin1String(entry.name)) && !keys.contains(QLatin1String(entry.key)));
      names << QLatin1String(entry.name);
      keys << QLatin1String(entry.key);
    }
    QCOMPARE(window().tabs()->count(), static_cast<int>(names.size()));
    QCOMPARE(shown_names().first(names.size()), names);
    QVERIFY(shown_names().contains(QStringLiteral("sql")) && shown_names().contains(QStringLiteral("finding")));
  }

  void tabs_and_panels_by_keys() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window().view(), QStringLiteral("autograph"));
    QTest::keyClick(&window(), Qt::Key_0, Qt::ControlModifier);
    QVERIFY(window().navigator()->tree()->hasFocus());
    QTest::keyClick(window().navigator()->tree(), Qt::Key_Down);
    QCOMPARE(selected().kind, Selection::Kind::kTrace);
    QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier);
    QVERIFY(!window().navigator()->isVisible());
    QTest::keyClick(&window(), Qt::Key_B, Qt::ControlModifier);
    QVERIFY(window().navigator()->isVisible());
  }

  void everything_has_a_name() {
    with_sample();
    for (const char* view : {"graph", "retraces", "autograph", "timeline", "source"}) {
      go_to_view(view);
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
        go_to_view(view);
        const QImage image = picture(&window());
        QVERIFY2(colours(image) > 40, view);
        QVERIFY2(pixels_of(image, theme()["amberFill"]) > 100, view);
      }
      go_to_view("retraces");
      const QImage strip = picture(window().retraces()->strip());
      // Six traces in amber, eighteen hits in teal.
      QVERIFY(pixels_of(strip, theme()["amberFill"]) > 6 * 300);
      QVERIFY(pixels_of(strip, theme()["tealFill"]) > 18 * 60);
      QVERIFY(pixels_of(picture(window().retraces()->diff()), theme()["amberSoft"]) > 1000);
      go_to_view("timeline");
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
      go_to_view(view);
    }
    QCOMPARE(window().inspector()->content().title, QStringLiteral("none.py"));
  }

  void remembers_across_windows() {
    qputenv("XDG_CONFIG_HOME", folder_.path().toUtf8());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
    QCoreApplication::setOrganizationName(QStringLiteral("FootlightTest"));
    QCoreApplication::setApplicationName(QStringLiteral("FootlightTest"));
    QList<QList<int>> sizes;
    {
      MainWindow first(true);
      first.show();
      first.resize(1234, 777);
      first.choose_theme(QStringLiteral("light"));
      QVERIFY(first.open(at("sample.footlight")));
      first.settle();
      first.show_view(QStringLiteral("console"));
      first.show_view(QStringLiteral("timeline"));
      // Both edges of the panels, and the dock's, are moved with the mouse.
      const auto drag = [](QSplitter* splitter, int handle, QPoint by) {
        QWidget* edge = splitter->handle(handle);
        const QPoint from = edge->rect().center();
        QTest::mousePress(edge, Qt::LeftButton, {}, from);
        QTest::mouseMove(edge, from + by);
        QTest::mouseRelease(edge, Qt::LeftButton, {}, from + by);
      };
      const QList<int> before = window_sizes(first).first();
      drag(splitter_with(first, 3), 1, {40, 0});
      drag(splitter_with(first, 3), 2, {-30, 0});
      drag(splitter_with(first, 2), 1, {0, -60});
      sizes = window_sizes(first);
      QVERIFY(sizes.first()[0] > before[0] && sizes.first()[2] > before[2]);
      first.close();
    }
    set_theme(QStringLiteral("dark"));
    MainWindow second(true);
    second.show();
    QCOMPARE(second.view(), QStringLiteral("timeline"));
    QVERIFY(second.open(at("sample.footlight"), true));
    second.settle();
    QCOMPARE(second.size(), QSize(1234, 777));
    QCOMPARE(window_sizes(second), sizes);
    QVERIFY(second.console()->isVisible());
    QCOMPARE(second.view(), QStringLiteral("timeline"));
    QCOMPARE(theme().name(), QStringLiteral("light"));
    QCOMPARE(second.recent(), QStringList{at("sample.footlight")});
    set_theme(QStringLiteral("dark"));
  }

  void runs_and_stops_a_script() {
    install_stand_in(folder_.path(),
                     "import sys, os, shutil\n"
                     "out = sys.argv[sys.argv.index('-o') + 1]\n"
                     "shutil.copy(os.environ['SAMPLE_SESSION'], out)\n"
                     "fd = int(sys.argv[sys.argv.index('--commands') + 1])\n"
                     "os.read(fd, 100)\n");
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
    install_stand_in(folder_.path(), "raise ImportError('the engine is missing')\n");
    write(at("script.py"), "pass\n");
    window().open(at("script.py"));
    QTest::keyClick(&window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window().banner_text().contains(QStringLiteral("the engine is missing")), 20000);
    QVERIFY(window().isVisible());
    QVERIFY(window().top_bar()->run_button()->isEnabled());
  }
};

QTEST_MAIN(WindowTest)
#include "test_window.moc"
