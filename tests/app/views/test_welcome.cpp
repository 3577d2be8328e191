// The welcome page: samples, what recent files were, the button of a script that was not run yet.
#include "tests/app/window_case.h"

#include "app/models/samples.h"
#include "app/session/found_packages.h"
#include "app/session/run_options.h"
#include "app/session/runs.h"

#include <QMessageBox>
#include <QSettings>
#include <QTreeView>

using namespace footlight;
using namespace footlight::app;

class WelcomeTest : public WindowCase {
  Q_OBJECT

 public:
  WelcomeTest() { qputenv("FOOTLIGHT_EXAMPLES", folder_.filePath(QStringLiteral("examples")).toUtf8()); }

 private:
  LinkButton* link(QWidget* in, const QString& accessible_name) {
    for (LinkButton* l : in->findChildren<LinkButton*>())
      if (l->accessibleName() == accessible_name) return l;
    return nullptr;
  }

 private Q_SLOTS:
  void every_sample_has_a_title() {
    const auto samples = sample_scripts();
    QCOMPARE(samples.size(), size_t{14});
    for (const Sample& s : samples) {
      QVERIFY2(!s.title.isEmpty() && s.title.size() < 40, qPrintable(s.title));
      QVERIFY(s.bytes.contains(s.title.toUtf8()));
    }
  }

  void a_sample_is_read_as_a_copy() {
    QVERIFY(window().welcome()->isVisible());
    LinkButton* read = link(window().welcome(), QStringLiteral("Read shapes.py"));
    QVERIFY(read);
    QTest::mouseClick(read, Qt::LeftButton);
    const QString copy = folder_.filePath(QStringLiteral("examples/shapes.py"));
    QTRY_COMPARE(window().top_bar()->script(), copy);
    QCOMPARE(window().view(), QStringLiteral("source"));
    QVERIFY(!window().welcome()->isVisible());
    // A changed copy stays, and can be restored.
    write(copy, "changed = True\n");
    const Sample shapes = sample_scripts()[7];
    QCOMPARE(shapes.name, QStringLiteral("shapes.py"));
    QVERIFY(is_changed(shapes));
    QCOMPARE(copy_of(shapes), copy);
    QVERIFY(is_changed(shapes));
    window().welcome()->show_samples();
    QTest::mouseClick(link(window().welcome(), QStringLiteral("Restore shapes.py")), Qt::LeftButton);
    QTRY_VERIFY(!is_changed(shapes));
  }

  void a_sample_runs() {
    QTest::keyClick(link(window().welcome(), QStringLiteral("Run flags.py")), Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(
        window().session().is_open() && !window().worker().running() && !window().session().loading(), 60000);
    QTRY_VERIFY_WITH_TIMEOUT(window().findings()->count() == 1, 10000);
    QVERIFY(!window().welcome()->isVisible());
  }

  void samples_of_other_engines_say_what_they_need() {
    QCOMPARE(engine_samples().size(), size_t{38});
    for (const Sample& s : engine_samples()) {
      QVERIFY2(!s.title.isEmpty() && s.title.at(0).isUpper(), qPrintable(s.name));
      QVERIFY(s.name.startsWith(s.engine + QLatin1Char('/')));
      QVERIFY(!s.title.contains(QStringLiteral("pip install")));
    }
    const Sample sample = engine_samples().front();
    QCOMPARE(engine_of_sample(copy_of(sample)), QStringLiteral("tensorflow"));
    QCOMPARE(options_for(copy_of(sample), false, {}).engine, QStringLiteral("tensorflow"));
    QVERIFY(engine_of_sample(at("script.py")).isEmpty());

    WelcomePage& page = *window().welcome();
    page.set_packages({.python = QStringLiteral("/opt/python3"),
                       .versions = {{QStringLiteral("jax"), QStringLiteral("0.10.2")}},
                       .known = true});
    QVERIFY(link(page.engine_box(), QStringLiteral("Run jax/weak_type.py")));
    QVERIFY(!link(page.engine_box(), QStringLiteral("Run torch/transformer.py")));
    QVERIFY(link(page.engine_box(), QStringLiteral("Read torch/transformer.py")));
    QVERIFY(!link(page.engine_box(), QStringLiteral("Choose an interpreter for JAX")));
    QTest::keyClick(link(page.engine_box(), QStringLiteral("Choose an interpreter for PyTorch")), Qt::Key_Space);
    QTRY_VERIFY(window().run_panel() && window().run_panel()->isVisible());
    window().run_panel()->reject();
    QStringList said;
    for (const QLabel* label : page.engine_box()->findChildren<QLabel*>()) said << label->text();
    QVERIFY(said.contains(QStringLiteral("jax 0.10.2 in /opt/python3")));
    QVERIFY(said.contains(QStringLiteral("torch not found in /opt/python3")));
    QVERIFY(said.contains(QStringLiteral("Needs torch: not found")));
  }

  void an_interpreter_says_what_it_has() {
    write(at("python"), "#!/bin/sh\necho '{\"jax\": \"0.10.2\", \"torch\": \"\"}'\n");
    QVERIFY(QFile::setPermissions(at("python"), QFile::ReadOwner | QFile::ExeOwner));
    PackageSearch search;
    search.ask(at("python"));
    QVERIFY(!search.found().known);
    QTRY_VERIFY(search.found().known);
    QCOMPARE(package_words(search.found(), QStringLiteral("jax")), QStringLiteral("Needs jax: 0.10.2 found"));
    QCOMPARE(package_words(search.found(), QStringLiteral("torch")), QStringLiteral("Needs torch: found"));
    QCOMPARE(package_words(search.found(), QStringLiteral("tensorflow")),
             QStringLiteral("Needs tensorflow: not found"));
    search.ask(at("no_python"));
    QTRY_VERIFY(!search.found().problem.isEmpty());
    QVERIFY(!search.found().known);
    search.ask({});
    QCOMPARE(package_words(search.found(), QStringLiteral("jax")), QStringLiteral("Needs jax: no python3 on the path"));
    // A real one, in which none has to be installed.
    search.ask(choose_python({}));
    QTRY_VERIFY_WITH_TIMEOUT(search.found().known, 30000);
  }

  void a_recording_is_a_sample_too() {
    window().show_welcome();
    LinkButton* open = link(window().welcome(), QStringLiteral("Open gpu.footlight"));
    QVERIFY(open);
    QVERIFY(!link(window().welcome(), QStringLiteral("Run gpu.footlight")));
    QTest::keyClick(open, Qt::Key_Space);
    QTRY_VERIFY(window().session().is_open() && !window().session().loading());
    QVERIFY(!window().welcome()->isVisible());
    QCOMPARE(window().view(), QStringLiteral("timeline"));
    // Its kernels and copies are a table of that view: a kernel for each op, and two for the product.
    TimelineTable* table = window().timeline()->table();
    table->form_box()->setCurrentIndex(TimelineTable::kKernels);
    window().settle();
    size_t kernels = 0;
    for (int r = 0; r < table->kernels().rowCount(); ++r)
      if (table->kernels().at(r)->kind == "kernel") kernels += table->kernels().at(r)->count;
    QCOMPARE(kernels, size_t{9});
  }

  void a_loaded_script_has_its_button() {
    write(at("script.py"), "print('hello')\n");
    QVERIFY(window().welcome()->open_button()->isVisible());
    QVERIFY(window().open(at("script.py")));
    QVERIFY(!window().welcome()->open_button()->isVisible());
    QVERIFY(window().welcome()->run_button()->isVisible());
    window().welcome()->run_button()->setFocus();
    QTest::keyClick(window().welcome()->run_button(), Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(window().session().is_open() && !window().worker().running(), 60000);
    QVERIFY(!window().welcome()->isVisible());
  }

  void recent_files_say_what_they_were() {
    with_sample();
    QVERIFY(window().open(at("sample.footlight")));
    window().settle();
    QTRY_COMPARE(window().recent(), QStringList{at("sample.footlight")});
    RecentFiles files;
    files.add(QStringLiteral("/a.py"));
    files.add(QStringLiteral("/b.py"));
    files.set_note(QStringLiteral("/a.py"), QStringLiteral("12 traces"));
    files.add(QStringLiteral("/a.py"));
    QCOMPARE(files.paths(), (QStringList{QStringLiteral("/a.py"), QStringLiteral("/b.py")}));
    QCOMPARE(files.files()[0].note, QStringLiteral("12 traces"));
    QSettings settings(at("settings.ini"), QSettings::IniFormat);
    files.save(settings);
    RecentFiles again;
    again.load(settings);
    QCOMPARE(again.paths(), files.paths());
    QCOMPARE(again.files()[0].note, QStringLiteral("12 traces"));
    QVERIFY(again.files()[0].when.isValid());
    Document d = sample_document();
    const auto cards = findings_of(d).cards;
    QCOMPARE(run_note(d, cards), cards.front().title);
    QVERIFY(run_note(d, {}).startsWith(QStringLiteral("Finished")));
    d.end->signal = 11;
    d.end->reason = "killed by signal 11";
    QCOMPARE(run_note(d, cards), QStringLiteral("Killed by signal 11"));
    const QDateTime now(QDate(2026, 5, 15), QTime(14, 0));
    QCOMPARE(day_text(QDateTime(QDate(2026, 5, 15), QTime(12, 4)), now), QStringLiteral("today 12:04"));
    QCOMPARE(day_text(now.addDays(-1), now), QStringLiteral("yesterday"));
    QCOMPARE(day_text(now.addDays(-2), now), QStringLiteral("Wednesday"));
    QCOMPARE(day_text(now.addDays(-40), now), QStringLiteral("5 Apr 2026"));
  }

  void runs_are_renamed_and_deleted() {
    const QString path = runs_folder() + QStringLiteral("/20260515-120000-000-train.footlight");
    QVERIFY(QFile::copy(at("sample.footlight"), path));
    QVERIFY(!delete_run(at("sample.footlight")));  // not made by the window
    QVERIFY(rename_run(path, QStringLiteral("../away")).isEmpty());
    const QString named = rename_run(path, QStringLiteral("first try"));
    QVERIFY(QFile::exists(named) && !QFile::exists(path));
    const auto listed = [&](const QString& title) {
      for (const RunFile& run : recorded_runs(50))
        if (run.title == title) return run.path;
      return QString();
    };
    QCOMPARE(listed(QStringLiteral("first try.py")), named);
    QVERIFY(listed(QStringLiteral("train.py")).isEmpty());
    QVERIFY(window().open(named));
    window().settle();
    QTreeView* tree = window().navigator()->tree();
    tree->setFocus();
    tree->setCurrentIndex(window().navigator()->model().index_of_run());
    QTest::keyClick(tree, Qt::Key_Delete);
    auto* box = window().findChild<QMessageBox*>();
    QVERIFY(box && box->isVisible());
    QVERIFY(box->text().contains(named));
    QTest::keyClick(box, Qt::Key_Escape);
    QVERIFY(QFile::exists(named));
    QTRY_VERIFY(!window().findChild<QMessageBox*>());
    window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window()));
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Delete);
    box = window().findChild<QMessageBox*>();
    QVERIFY(box);
    for (QAbstractButton* b : box->buttons())
      if (b->text() == QStringLiteral("Delete")) QTest::mouseClick(b, Qt::LeftButton);
    QVERIFY(!QFile::exists(named));
    QVERIFY(!window().session().is_open());
    QVERIFY(window().welcome()->isVisible());
  }

  // An earlier recording that is opened is the open one, and no earlier one any more; that before it is.
  void a_recording_is_listed_once() {
    const QStringList paths{runs_folder() + QStringLiteral("/20260516-120000-000-one.footlight"),
                            runs_folder() + QStringLiteral("/20260516-120001-000-two.footlight")};
    for (const QString& path : paths) QVERIFY(QFile::copy(at("sample.footlight"), path));
    qputenv("XDG_CONFIG_HOME", folder_.path().toUtf8());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
    MainWindow remembering(true);
    const auto rows_of = [&](const QString& path) {
      const NavigatorModel& model = remembering.navigator()->model();
      int rows = 0;
      for (int i = 0; i < model.rowCount(); ++i)
        rows += model.index(i, 0).data(NavigatorModel::kPath).toString() == path;
      return rows;
    };
    for (const QString& opened : {paths[0], paths[1], paths[0]}) {
      QVERIFY(remembering.open(opened));
      remembering.settle();
      for (const QString& path : paths) QCOMPARE(rows_of(path), 1);
      QCOMPARE(remembering.navigator()->model().index(0, 0).data(NavigatorModel::kPath).toString(), opened);
    }
    // The same folder by another way.
    const QString link = at("link");
    QVERIFY(QFile::link(runs_folder(), link));
    QVERIFY(remembering.open(link + QStringLiteral("/20260516-120001-000-two.footlight")));
    remembering.settle();
    QCOMPARE(rows_of(paths[1]), 0);
    QCOMPARE(rows_of(paths[0]), 1);
    for (const QString& path : paths) QVERIFY(QFile::remove(path));
  }

  void all_of_it_by_tab() {
    // The interpreter's answer replaces the samples of other engines.
    const auto answered = [&] {
      for (const QLabel* label : window().welcome()->engine_box()->findChildren<QLabel*>())
        if (label->text().startsWith(QStringLiteral("Needs jax:"))) return true;
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(answered(), 30000);
    QSet<QWidget*> reached;
    window().welcome()->open_button()->setFocus();
    for (int i = 0; i < 200; ++i) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      reached.insert(QApplication::focusWidget());
    }
    for (QPushButton* b : window().welcome()->findChildren<QPushButton*>())
      if (b->isVisible()) QVERIFY2(reached.contains(b), qPrintable(b->accessibleName() + b->text()));
  }
};

QTEST_MAIN(WelcomeTest)
#include "test_welcome.moc"
