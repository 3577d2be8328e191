// The desktop app: command line, then the window, or a picture of a view without a display.
#include "app/models/samples.h"
#include "app/models/text.h"
#include "app/screenshot.h"
#include "app/single_instance.h"
#include "app/views/guarded_application.h"
#include "app/views/main_window.h"
#include "app/views/theme.h"
#include "app/views/view_list.h"

#include "footlight_version.h"

#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QIcon>
#include <QStyleFactory>
#include <QTextStream>
#include <QTimer>

#include <csignal>
#include <cstring>

namespace {

using namespace footlight::app;

constexpr const char* kAbout =
    "Shows what happens when a Python function is staged into a graph.\n\n"
    "  footlight-app                        the window\n"
    "  footlight-app script.py [ARGS...]    prepares a run; --run starts it at once\n"
    "  footlight-app --sample retracing.py  prepares a run of your own copy of a sample\n"
    "  footlight-app run.footlight          opens a recording\n"
    "  footlight-app a.footlight b.footlight  opens b and compares a with it, function by function\n"
    "  footlight-app trace.json.gz          opens what another program recorded (`footlight import --help`)\n"
    "  footlight-app MODEL                  shows a SavedModel's folder, a GraphDef (.pb, .pbtxt) or a .keras file\n"
    "  footlight-app --screenshot OUT [--view VIEW] run.footlight\n"
    "                                       draws the window without a display; OUT: a .png file, or a\n"
    "                                       folder for a picture of every view";

int fail(const QString& text) {
  QTextStream(stderr) << "footlight-app: " << text << '\n';
  return 2;
}

// Puts into `path` where the user's copy of a sample is; returns what is wrong.
QString copy_sample(const QString& name, QString& path) {
  QStringList names;
  std::vector<Sample> all = all_samples();
  for (Sample& one : engine_samples()) all.push_back(std::move(one));
  for (const Sample& one : all) {
    names << one.name;
    if (one.name != name) continue;
    path = copy_of(one);
    return path.isEmpty() ? QStringLiteral("%1 could not be copied to %2").arg(name, samples_folder()) : QString();
  }
  return QStringLiteral("there is no sample '%1'; the samples are: %2").arg(name, names.join(QStringLiteral(", ")));
}

}  // namespace

int main(int argc, char** argv) {
  // A screenshot needs no display; this must be set before Qt looks for one.
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--screenshot") == 0 || std::strcmp(argv[i], "--help") == 0 ||
        std::strcmp(argv[i], "-h") == 0 || std::strcmp(argv[i], "--version") == 0 ||
        std::strcmp(argv[i], "-v") == 0) {
      qputenv("QT_QPA_PLATFORM", "offscreen");
    }
  }
  // A worker that dies closes its pipes; writing to them must not kill the app.
  std::signal(SIGPIPE, SIG_IGN);
  QApplication::setApplicationName(QStringLiteral("Footlight"));
  QApplication::setOrganizationName(QStringLiteral("Footlight"));
  QApplication::setApplicationVersion(QStringLiteral(FOOTLIGHT_VERSION));
  GuardedApplication app(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));

  QCommandLineParser parser;
  parser.setApplicationDescription(QString::fromUtf8(kAbout));
  parser.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsOptions);
  const auto help = parser.addHelpOption();
  const auto version = parser.addVersionOption();
  const QCommandLineOption run(QStringLiteral("run"), QStringLiteral("Start the script at once."));
  const QCommandLineOption shot(QStringLiteral("screenshot"),
                                QStringLiteral("Draw the run into a .png file, or every view into a folder."),
                                QStringLiteral("OUT"));
  const QCommandLineOption theme_name(QStringLiteral("theme"), QStringLiteral("dark, light or contrast."),
                                      QStringLiteral("NAME"));
  const QCommandLineOption size(QStringLiteral("size"),
                                QStringLiteral("Size of the window, such as 1600x1000."),
                                QStringLiteral("WxH"));
  const QCommandLineOption select(
      QStringLiteral("select"),
      QStringLiteral(
          "What to select: '#3', 'train_step#3', 'file.py:12', 'file.py:12#3' (the function defined there) or a node's "
          "name; separate several with ';'."),
      QStringLiteral("WHAT"));
  const QCommandLineOption view(
      QStringLiteral("view"),
      QStringLiteral("What to show: %1.").arg(shown_names().join(QStringLiteral(", "))),
      QStringLiteral("VIEW"));
  const QCommandLineOption sample(QStringLiteral("sample"),
                                  QStringLiteral("Open your own copy of a sample of the welcome page."),
                                  QStringLiteral("NAME"));
  parser.addOptions({run, shot, theme_name, size, select, view, sample});
  parser.addPositionalArgument(QStringLiteral("file"),
                               QStringLiteral("A script (.py), a recording (.footlight or foreign) or a model."),
                               QStringLiteral("[file]"));
  parser.addPositionalArgument(
      QStringLiteral("args"), QStringLiteral("Arguments of the script; everything after -- is the script's."),
      QStringLiteral("[args...]"));

  // Everything after the script's name is passed to the script, options included.
  QStringList own, rest;
  const QStringList all = QApplication::arguments();
  bool script_seen = false;
  for (qsizetype i = 0; i < all.size(); ++i) {
    if (script_seen) {
      rest << all[i];
    } else {
      own << all[i];
      const bool is_script = all[i].endsWith(QStringLiteral(".py")) && !all[i].startsWith(QLatin1Char('-'));
      if (i > 0 && is_script && all[i - 1] != QStringLiteral("--sample")) script_seen = true;
    }
  }
  if (!rest.isEmpty() && rest.first() == QStringLiteral("--run")) own.insert(1, rest.takeFirst());
  if (!parser.parse(own)) return fail(parser.errorText());
  if (parser.isSet(help)) {
    QTextStream(stdout) << parser.helpText();
    return 0;
  }
  if (parser.isSet(version)) {
    QTextStream(stdout) << "footlight-app " << FOOTLIGHT_VERSION << '\n';
    return 0;
  }

  const QString wanted = parser.value(theme_name);
  if (!wanted.isEmpty() && !Theme::names().contains(wanted)) {
    return fail(QStringLiteral("there is no theme '%1'; there are: %2")
                    .arg(wanted, Theme::names().join(QStringLiteral(", "))));
  }
  set_theme(wanted.isEmpty() ? QStringLiteral("dark") : wanted);
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/footlight/icons/footlight.svg")));
  QSize window_size(1600, 1000);
  if (parser.isSet(size)) {
    const QStringList parts = parser.value(size).split(QLatin1Char('x'));
    if (parts.size() == 2) window_size = QSize(parts[0].toInt(), parts[1].toInt());
    if (window_size.width() < 400 || window_size.height() < 300 || window_size.width() > 16000 ||
        window_size.height() > 16000) {
      return fail(QStringLiteral("the size must be WIDTHxHEIGHT, such as 1600x1000"));
    }
  }
  QStringList files = parser.positionalArguments();
  if (parser.isSet(sample)) {
    if (!files.isEmpty()) return fail(QStringLiteral("--sample opens its own file; give it no other, nor arguments"));
    QString path;
    if (const QString wrong = copy_sample(parser.value(sample), path); !wrong.isEmpty()) return fail(wrong);
    files = {path};
    script_seen = true;
  }
  if (parser.isSet(shot)) {
    const bool welcome = parser.value(view) == QStringLiteral("welcome");
    if (files.size() != 1 && !(welcome && files.isEmpty()))
      return fail(QStringLiteral("--screenshot OUT needs the file of one run"));
    const int status =
        take_screenshots({parser.value(shot), parser.value(view), files.value(0), parser.value(select), window_size});
    return status == 0 && !app.failure().isEmpty() ? 2 : status;  // the failure has already been reported
  }

  // Somebody who asks for more than the file gets a window of their own.
  const bool two = !script_seen && files.size() == 2;
  if (!script_seen && files.size() > 2) return fail(QStringLiteral("it opens one recording, or compares two"));
  const bool asks = two || parser.isSet(run) || parser.isSet(select) || parser.isSet(view) || !rest.isEmpty();
  if (!files.isEmpty() && !asks && SingleInstance::raise_other(files.first())) return 0;
  MainWindow window(true);
  QObject::connect(&app, &GuardedApplication::failed, &window,
                   [&window](const QString& text) { window.show_banner(text); });
  // A window answers for the file that it shows, whoever opened it there.
  SingleInstance instance;
  QObject::connect(&window, &MainWindow::file_shown, &instance, &SingleInstance::show);
  QObject::connect(&instance, &SingleInstance::raise_asked, &window, [&window] {
    window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
    window.raise();
    window.activateWindow();
  });
  if (!wanted.isEmpty()) window.choose_theme(wanted);
  if (parser.isSet(size)) window.resize(window_size);
  window.show();
  if (!files.isEmpty()) {
    if (script_seen) {
      if (QFileInfo::exists(files.last())) {
        window.prepare_script(files.last(), rest);
        window.set_working_directory(QDir::currentPath());
        if (parser.isSet(run)) window.run();
      } else {
        window.show_banner(QStringLiteral("There is no file ") + files.last());
      }
    } else if (two) {
      window.open_to_compare(files[0], files[1]);
    } else {
      window.open(files.first());
    }
  }
  if (parser.isSet(view)) window.show_view(parser.value(view));
  if (parser.isSet(select)) {
    QTimer::singleShot(600, &window, [&window, what = parser.value(select)] {
      for (const QString& one : what.split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
        QString why_not;
        if (!window.select_by_name(one, &why_not)) window.show_banner(capitalized(why_not) + QLatin1Char('.'));
      }
    });
  }
  return QApplication::exec();
}
