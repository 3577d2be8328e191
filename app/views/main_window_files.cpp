// What the window opens and remembers: sessions, scripts, samples, recent files, settings.
#include "app/models/text.h"
#include "app/session/runs.h"
#include "app/views/main_window.h"
#include "app/views/theme.h"

#include "engine/model/model_file.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenu>
#include <QMimeData>
#include <QSettings>

namespace footlight::app {
namespace {

constexpr size_t kMostRuns = 40;

}  // namespace

bool MainWindow::open(const QString& path) {
  const QFileInfo info(path);
  const QString absolute = info.absoluteFilePath();
  if (!info.exists()) {
    show_banner(QStringLiteral("There is no file ") + absolute);
    return false;
  }
  if (info.isDir() && !model::looks_like_model(absolute.toStdString())) {
    show_banner(absolute + QStringLiteral(" is a folder, and no SavedModel. Open a Python script, a .footlight file "
                                          "or a model."));
    return false;
  }
  hide_banner();
  close_finding();
  if (info.suffix() == QStringLiteral("py")) {
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
  session_.open(absolute);
  if (model::looks_like_model(absolute.toStdString())) show_view(QStringLiteral("graph"));  // nothing of it was called
  remember_file(absolute);
  update_status();
  return true;
}

void MainWindow::prepare_script(const QString& path, const QStringList& arguments) {
  if (worker_.running()) {
    show_banner(QStringLiteral("A script is running. Stop it before another one is opened."), false);
    return;
  }
  const QString absolute = QFileInfo(path).absoluteFilePath();
  hide_banner();
  top_->set_script(absolute, arguments);
  run_note_.clear();
  run_failed_ = false;
  if (session_.is_open() && q(session_.document().run.script) != absolute) {
    selection_.clear();
    session_.close();
  }
  remember_file(absolute);
  watcher_.watch({absolute});
  if (!session_.is_open()) source_->show_script(absolute);
  update_welcome();
  update_status();
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
                                                                   "Models (*.keras *.pb *.pbtxt);;All files (*)"));
  if (!path.isEmpty()) open(path);
}

void MainWindow::open_sample(const SampleScript& sample, bool at_once) {
  const QString path = copy_of(sample);
  if (path.isEmpty()) {
    show_banner(QStringLiteral("%1 could not be copied to %2").arg(sample.name, samples_folder()));
    return;
  }
  prepare_script(path);
  if (at_once) run();
  else show_view(QStringLiteral("source"));
}

void MainWindow::update_welcome() {
  // What a worker that never recorded anything has printed is in the console.
  const bool empty = !session_.is_open() && !worker_.running() && run_note_.isEmpty();
  // Show the script in the Source tab before it runs.
  const bool show_source = view() == QStringLiteral("source") && !top_->script().isEmpty();
  welcome_->set_script(top_->script());
  const int wanted = empty && !show_source ? 1 : 0;
  if (whole_->currentIndex() == wanted) return;
  whole_->setCurrentIndex(wanted);
  if (wanted == 0) return;
  welcome_->show_samples();
  if (isVisible()) welcome_->main_widget()->setFocus(Qt::OtherFocusReason);
}

// Earlier runs of the window, newest first.
void MainWindow::list_runs() {
  std::vector<RunEntry> runs;
  for (const RunFile& run : remember_ ? recorded_runs(kMostRuns) : std::vector<RunFile>{}) {
    if (run.path == session_.path()) continue;
    const bool today = run.when.date() == QDate::currentDate();
    runs.push_back({run.path, run.title,
                    run.when.toString(today ? QStringLiteral("HH:mm:ss") : QStringLiteral("d MMM HH:mm"))});
  }
  navigator_->set_runs(std::move(runs));
}

void MainWindow::ask_to_rename(const QString& path, const QString& title) {
  if (worker_.running()) return show_banner(QStringLiteral("A script is running. Stop it first."), false);
  bool ok = false;
  const QString name = QInputDialog::getText(this, QStringLiteral("Rename the run"), QStringLiteral("Name:"),
                                             QLineEdit::Normal, title.section(QStringLiteral("  "), -1), &ok);
  if (!ok) return;
  const bool shown = path == session_.path();
  const QString to = rename_run(path, name);
  if (to.isEmpty()) return show_banner(QStringLiteral("%1 cannot be renamed to %2").arg(path, name));
  if (shown) open(to);
  list_runs();
}

void MainWindow::delete_run_file(const QString& path) {
  if (!delete_run(path)) return show_banner(QStringLiteral("Only runs of this window can be deleted here: ") + path);
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
  python_ = settings.value(QStringLiteral("python")).toString();
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
  settings.setValue(QStringLiteral("python"), python_);
  settings.setValue(QStringLiteral("rerunOnSave"), rerun_on_save_);
  settings.setValue(QStringLiteral("theme"), theme().name());
  settings.setValue(QStringLiteral("view"), view());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!source_->may_close()) return event->ignore();
  if (remember_) save();
  if (worker_.running()) worker_.kill();
  event->accept();
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
