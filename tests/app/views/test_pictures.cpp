// Every view against a picture that was looked at: tests/app/pictures. FOOTLIGHT_TAKE_PICTURES=1 takes them anew.
#include "tests/app/compare_fixture.h"
#include "tests/app/window_case.h"

#include <QDir>
#include <QFontDatabase>
#include <QLabel>

#include <algorithm>
#include <cstdlib>

using namespace footlight;
using namespace footlight::app;

namespace {

// A picture may differ a little where letters and lines are smoothed: three pixels of ten thousand.
constexpr double kMaxDifferent = 0.0003;
constexpr int kVisible = 32;

double share_of_different(const QImage& a, const QImage& b) {
  if (a.size() != b.size()) return 1;
  qint64 different = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) {
      const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
      const int most = std::max({std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)),
                                 std::abs(qBlue(p) - qBlue(q))});
      different += most > kVisible;
    }
  }
  return static_cast<double>(different) / (static_cast<double>(a.width()) * a.height());
}

}  // namespace

class PicturesTest : public WindowCase {
  Q_OBJECT

  // What no two runs have in common: how long a layout took.
  void hide_times() {
    for (QLabel* label : window().findChildren<QLabel*>())
      if (label->text().contains(QStringLiteral("layout "))) label->setText(QStringLiteral("laid out"));
  }

  void same_as(const QString& name) {
    const QStringList families = QFontDatabase::families();
    for (const char* family : {"Inter", "JetBrains Mono", "DejaVu Sans"})
      if (!families.contains(QString::fromLatin1(family))) QSKIP("the fonts that the pictures need are not installed");
    window().resize(1200, 800);
    window().settle();
    hide_times();
    const QImage now = window().grab().toImage().convertToFormat(QImage::Format_RGB32);
    const QString path = QDir(QStringLiteral(FOOTLIGHT_PICTURES)).filePath(name + QStringLiteral(".png"));
    if (qEnvironmentVariableIsSet("FOOTLIGHT_TAKE_PICTURES")) {
      QVERIFY(now.save(path, nullptr, 0));
      return;
    }
    const QImage golden = QImage(path).convertToFormat(QImage::Format_RGB32);
    QVERIFY2(!golden.isNull(), qPrintable(path));
    const double share = share_of_different(now, golden);
    if (share <= kMaxDifferent) return;
    const QString seen = QDir::current().filePath(QStringLiteral("seen_") + name + QStringLiteral(".png"));
    now.save(seen);
    QFAIL(qPrintable(QStringLiteral("%1 % of %2 differ: see %3").arg(share * 100).arg(name, seen)));
  }

 private Q_SLOTS:
  void views_data() {
    QTest::addColumn<QString>("view");
    for (const char* view : {"graph", "retraces", "autograph", "timeline", "source", "diff", "console"})
      QTest::newRow(view) << QString::fromLatin1(view);
  }
  void views() {
    QFETCH(QString, view);
    with_sample();
    window().selection().select(Selection::of_trace(document(), TraceId(11)));
    window().show_view(view);
    same_as(view);
  }

  void comparison() {
    window().session().show(compared_document());
    window().show_view(QStringLiteral("compare"));
    window().selection().select(Selection::of_trace(document(), TraceId(10)));
    same_as(QStringLiteral("compare"));
  }

  void finding() {
    with_sample();
    QVERIFY(!window().findings()->list().cards.empty());
    window().findings()->open_first();
    same_as(QStringLiteral("finding"));
  }

  void welcome() { same_as(QStringLiteral("welcome")); }

  void themes_data() {
    QTest::addColumn<QString>("theme");
    for (const char* theme : {"light", "contrast"}) QTest::newRow(theme) << QString::fromLatin1(theme);
  }
  void themes() {
    QFETCH(QString, theme);
    set_theme(theme);
    with_sample();
    window().selection().select(Selection::of_trace(document(), TraceId(11)));
    window().show_view(QStringLiteral("graph"));
    same_as(QStringLiteral("graph_") + theme);
    set_theme(QStringLiteral("dark"));
  }
};

int main(int argc, char** argv) {
  qputenv("TZ", "UTC");  // the run's time of day
  qputenv("FONTCONFIG_FILE", FOOTLIGHT_PICTURES "/fonts.conf");
  QApplication app(argc, argv);
  QApplication::setCursorFlashTime(0);
  PicturesTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "test_pictures.moc"
