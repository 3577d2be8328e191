// Opens and remembers sessions, scripts, samples, recent files and settings.
#include "app/models/text.h"
#include "app/session/runs.h"
#include "app/views/main_window.h"
#include "app/views/theme.h"

#include "engine/foreign/foreign.h"
#include "engine/model/model_file.h"
#include "engine/session/imported.h"

#include <QAbstractButton>
#include <QAction>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QUrl>

namespace footlight::app {
namespace {

constexpr size_t kMaxRuns = 40;

}  // namespace

bool MainWindow::open(const QString& path, bool keeps_view) {
  const QFileInfo info(path);
  const QString absolute = info.absoluteFilePath();
  if (!info.exists()) {
    show_banner(QStringLiteral("There is no file ") + absolute);
    return false;
  }
  const std::string file = absolute.toStdString();
  const foreign::Format format = foreign::format_of(file);
  if (info.isDir() && format == foreign::Format::kNone && !model::looks_like_model(file)) {
    show_banner(absolute + QStringLiteral(" is a folder, and neither a SavedModel nor one with logs of "
                                          "TORCH_TRACE. Open a Python script, a .footlight file or a model."));
    return false;
  }
  hide_banner();
  close_finding();
  welcome_asked_ = false;
  // The code of an FX graph may have the ending of a script.
  if (info.suffix() == QStringLiteral("py") && format == foreign::Format::kNone) {
    prepare_script(absolute);
    return true;
  }
  if (worker_.running()) {
    show_banner(QStringLiteral("A script is running. Stop it before another recording is opened."), false);
    return false;
  }
  run_note_.clear();
  run_failed_ = false;
  previous_run_.clear();
  compare_wanted_.clear();
  view_wanted_ = !keeps_view;
  view_chosen_ = false;
  session_.open(absolute);
  const bool is_model = format == foreign::Format::kNone && model::looks_like_model(file);
  if (is_model || foreign::is_program(format)) show_view(QStringLiteral("graph"));  // nothing of it was called
  remember_file(absolute);
  update_status();
  Q_EMIT file_shown(absolute);
  return true;
}

void MainWindow::prepare_script(const QString& path, const QStringList& arguments) {
  if (worker_.running()) {
    show_banner(QStringLiteral("A script is running. Stop it before another one is opened."), false);
    return;
  }
  const QString absolute = QFileInfo(path).absoluteFilePath();
  hide_banner();
  welcome_asked_ = false;
  if (absolute != top_->script()) {
    recorded_python_.clear();
    recorded_engine_.clear();
  }
  options_ = options_for(absolute, remember_, options_.python);
  top_->set_script(absolute, arguments.isEmpty() ? options_.arguments : arguments);
  options_.arguments.clear();
  run_note_.clear();
  run_failed_ = false;
  if (session_.is_open() && q(session_.document().run.script) != absolute) {
    selection_.clear();
    session_.close();
  }
  remember_file(absolute);
  watcher_.watch({absolute});
  if (!session_.is_open()) source()->show_script(absolute);
  update_welcome();
  update_status();
  Q_EMIT file_shown(absolute);
}

void MainWindow::edit_run_options() {
  if (!run_panel_) {
    run_panel_ = new RunPanel(this);
    connect(run_panel_, &RunPanel::taken, this, [this](const RunOptions& options, bool run_now) {
      take_options(options);
      if (run_now) run();
    });
  }
  RunOptions shown = options_;
  shown.arguments = top_->arguments();
  run_panel_->show_options(top_->script(), shown, choose_python({}, recorded_python_));
  run_panel_->open();
}

void MainWindow::take_options(const RunOptions& options) {
  options_ = options;
  top_->arguments_edit()->setText(joined_arguments(options.arguments));
  options_.arguments.clear();
  update_welcome();
  if (!remember_) return;
  QSettings settings;
  save_options(settings, top_->script(), options);
  save();
}

bool MainWindow::save_recording(const QString& path) {
  const auto refuse = [this](const QString& why) {
    show_banner(why);
    return false;
  };
  const QString from = session_.path();
  if (session_.is_open() && session::is_imported(session_.document().run.engine) &&
      !from.endsWith(QStringLiteral(".footlight")))
    return refuse(QStringLiteral("Another program made this file; `footlight import` makes a recording of it."));
  if (!session_.is_open() || model::looks_like_model(from.toStdString()))
    return refuse(QStringLiteral("There is no recording to save."));
  if (worker_.running() || session_.document().live)
    return refuse(QStringLiteral("The script is still running. Save the recording when it has ended."));
  if (QFileInfo(path).absoluteFilePath() == QFileInfo(from).absoluteFilePath())
    return refuse(QStringLiteral("This recording is that file already: ") + path);
  // Beside it first, so that nothing is lost if there is no room.
  const QString part = path + QStringLiteral(".part");
  QFile::remove(part);
  if (QFile copy(from); !copy.copy(part)) {
    QFile::remove(part);
    return refuse(QStringLiteral("%1 cannot be written: %2").arg(path, copy.errorString()));
  }
  for (const char* beside : {"-wal", "-shm"}) QFile::remove(path + QLatin1String(beside));
  const QString log = from + QStringLiteral("-wal");  // left by a program that was killed
  if (QFileInfo::exists(log)) QFile::copy(log, path + QStringLiteral("-wal"));
  QFile::remove(path);
  if (!QFile::rename(part, path)) return refuse(QStringLiteral("%1 cannot be written.").arg(path));
  remember_file(QFileInfo(path).absoluteFilePath());
  show_banner(QStringLiteral("Saved: ") + path, false);
  return true;
}

void MainWindow::ask_to_save_recording() {
  if (!session_.is_open()) return show_banner(QStringLiteral("There is no recording to save."));
  const QString name = QFileInfo(q(session_.document().run.script)).completeBaseName() + QStringLiteral(".footlight");
  const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save the recording"), name,
                                                    QStringLiteral("Recordings (*.footlight)"));
  if (!path.isEmpty()) save_recording(path);
}

void MainWindow::show_in_folder() {
  const QString path = session_.is_open() ? session_.path() : top_->script();
  if (path.isEmpty()) return show_banner(QStringLiteral("Nothing is open."), false);
  const QString folder = QFileInfo(path).absolutePath();
  if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
    show_banner(QStringLiteral("No program here shows folders. The file is ") + path, false);
}

void MainWindow::show_welcome() {
  close_finding();
  welcome_asked_ = true;
  update_welcome();
  welcome_->main_widget()->setFocus(Qt::OtherFocusReason);
}

void MainWindow::remember_file(const QString& path) {
  // A run of the window is remembered by its script.
  if (path.isEmpty() || path.startsWith(runs_folder() + QLatin1Char('/'))) return;
  recent_.add(path);
  fill_recent();
  if (remember_) save();
}

void MainWindow::note_run() {
  if (!session_.is_open() || session_.loading() || worker_.running() || findings_->busy()) return;
  const Document& d = session_.document();
  const QString path = d.path.startsWith(runs_folder() + QLatin1Char('/')) ? q(d.run.script) : d.path;
  recent_.set_note(path, run_note(d, findings_->list().cards));
  fill_recent();
  if (remember_) save();
}

void MainWindow::fill_recent() {
  recent_menu_->clear();
  for (const QString& path : recent_.paths())
    connect(recent_menu_->addAction(path), &QAction::triggered, this, [this, path] { open(path); });
  recent_menu_->setEnabled(!recent_.files().empty());
  welcome_->set_recent(recent_.files());
}

void MainWindow::ask_for_file() {
  const QString path = QFileDialog::getOpenFileName(this, QStringLiteral("Open a script, a recording or a model"), {},
                                                    QStringLiteral("Scripts and recordings (*.py *.footlight);;"
                                                                   "Models (*.keras *.pb *.pbtxt);;"
                                                                   "Traces (*.json *.gz *.pb *.pftrace "
                                                                   "*.perfetto-trace *.sqlite *.log);;"
                                                                   "Texts of graphs (*.hlo *.mlir *.fx *.txt);;"
                                                                   "All files (*)"));
  if (!path.isEmpty()) open(path);
}

void MainWindow::open_sample(const Sample& sample, bool at_once) {
  const QString path = copy_of(sample, sample.is_recording());
  if (path.isEmpty()) {
    show_banner(QStringLiteral("%1 could not be copied to %2").arg(sample.name, samples_folder()));
    return;
  }
  if (sample.is_recording()) {
    if (open(path)) show_view(QStringLiteral("timeline"));
    return;
  }
  prepare_script(path);
  const PackagesFound& found = packages_.found();
  const bool lacks = !sample.engine.isEmpty() && found.known && !found.versions.contains(sample.engine);
  if (at_once && !lacks) run();
  else show_view(QStringLiteral("source"));
  if (at_once && lacks)
    show_banner(QStringLiteral("%1 has no package %2, which %3 needs. Choose another interpreter under Run > Run "
                               "options.").arg(found.python, sample.engine, sample.name),
                false);
}

void MainWindow::update_welcome() {
  // The console already has the output of a worker that never recorded anything.
  const bool empty = !session_.is_open() && !worker_.running() && run_note_.isEmpty();
  // Show the script in the Source tab before it runs.
  const bool show_source = view() == QStringLiteral("source") && !top_->script().isEmpty();
  welcome_->set_script(empty ? top_->script() : QString());
  welcome_->set_open(
      empty ? QString() : QFileInfo(top_->script().isEmpty() ? session_.path() : top_->script()).fileName());
  const int wanted = welcome_asked_ || (empty && !show_source) ? 1 : 0;
  if (const QString python = choose_python(options_.python); wanted == 1 && python != packages_.found().python)
    packages_.ask(python);
  if (whole_->currentIndex() == wanted) return;
  whole_->setCurrentIndex(wanted);
  if (wanted == 0) return;
  packages_.ask(choose_python(options_.python));
  welcome_->show_samples();
  if (isVisible()) welcome_->main_widget()->setFocus(Qt::OtherFocusReason);
}

// Earlier runs of the window, newest first.
void MainWindow::list_runs() {
  std::vector<RunEntry> runs;
  const QString open = QFileInfo(session_.path()).canonicalFilePath();
  for (const RunFile& run : remember_ ? recorded_runs(kMaxRuns) : std::vector<RunFile>{}) {
    if (QFileInfo(run.path).canonicalFilePath() == open) continue;
    const bool today = run.when.date() == QDate::currentDate();
    runs.push_back({run.path, run.title,
                    run.when.toString(today ? QStringLiteral("HH:mm:ss") : QStringLiteral("d MMM HH:mm"))});
  }
  navigator_->set_runs(std::move(runs));
}

void MainWindow::ask_to_rename(const QString& path, const QString& title) {
  if (worker_.running()) return show_banner(QStringLiteral("A script is running. Stop it first."), false);
  bool ok = false;
  const QString name = QInputDialog::getText(this, QStringLiteral("Rename the recording"), QStringLiteral("Name:"),
                                             QLineEdit::Normal, title.section(QStringLiteral("  "), -1), &ok);
  if (!ok) return;
  const bool shown = path == session_.path();
  const QString to = rename_run(path, name);
  if (to.isEmpty()) return show_banner(QStringLiteral("%1 cannot be renamed to %2").arg(path, name));
  if (shown) open(to);
  list_runs();
}

void MainWindow::delete_run_file(const QString& path) {
  if (!delete_run(path))
    return show_banner(QStringLiteral("Only recordings of this window can be deleted here: ") + path);
  if (path == previous_run_) previous_run_.clear();
  if (path == session_.path()) {
    selection_.clear();
    session_.close();
  }
  list_runs();
  update_welcome();
  update_status();
}

void MainWindow::restore() {
  QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  across_->restoreState(settings.value(QStringLiteral("window/across")).toByteArray());
  dock_by_hand_ = settings.value(QStringLiteral("window/downByHand")).toBool() &&
                  down_->restoreState(settings.value(QStringLiteral("window/down")).toByteArray());
  dock_tabs_->setCurrentIndex(settings.value(QStringLiteral("window/dockTab")).toInt() == 1 ? 1 : 0);
  recent_.load(settings);
  findings_->dismissed().set_keys(settings.value(QStringLiteral("notProblems")).toStringList());
  options_.python = settings.value(QStringLiteral("python")).toString();
  rerun_on_save_ = settings.value(QStringLiteral("rerunOnSave")).toBool();
  rerun_action_->setChecked(rerun_on_save_);
  const QString name = settings.value(QStringLiteral("theme")).toString();
  if (Theme::names().contains(name)) choose_theme(name);
  const QString tab = settings.value(QStringLiteral("view")).toString();
  if (!tab.isEmpty()) show_view(tab);
}

void MainWindow::save() const {
  QSettings settings;
  settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
  settings.setValue(QStringLiteral("window/across"), across_->saveState());
  settings.setValue(QStringLiteral("window/down"), down_->saveState());
  settings.setValue(QStringLiteral("window/downByHand"), dock_by_hand_);
  settings.setValue(QStringLiteral("window/dockTab"), dock_tabs_->currentIndex());
  recent_.save(settings);
  settings.setValue(QStringLiteral("notProblems"), findings_->dismissed().keys());
  settings.setValue(QStringLiteral("python"), options_.python);
  settings.setValue(QStringLiteral("rerunOnSave"), rerun_on_save_);
  settings.setValue(QStringLiteral("theme"), theme().name());
  settings.setValue(QStringLiteral("view"), view());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!source()->may_close()) return event->ignore();
  if (worker_.running() && !quit_wanted_) {
    event->ignore();
    return ask_to_quit();
  }
  if (remember_) save();
  if (worker_.running()) worker_.kill();
  event->accept();
}

// Enter on a button presses it, Esc leaves the welcome page.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  const bool is_enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (auto* button = is_enter ? qobject_cast<QAbstractButton*>(focusWidget()) : nullptr) return button->click();
  if (event->key() == Qt::Key_Escape && welcome_asked_) return show_view(view());
  QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.isEmpty() || !urls.first().isLocalFile()) return;
  event->acceptProposedAction();
  welcome_->mark_drop(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { welcome_->mark_drop(false); }

void MainWindow::dropEvent(QDropEvent* event) {
  welcome_->mark_drop(false);
  for (const QUrl& url : event->mimeData()->urls()) {
    if (!url.isLocalFile()) continue;
    event->acceptProposedAction();
    open(url.toLocalFile());
    return;
  }
}

}  // namespace footlight::app
