// Connects session, selection, worker and views.
#include "app/views/main_window.h"

#include "app/models/function_groups.h"
#include "app/models/run_end.h"
#include "app/models/selection_names.h"
#include "app/models/text.h"
#include "app/models/why_not_run.h"
#include "app/session/runs.h"

#include "engine/model/model_file.h"
#include "engine/session/nothing_ran.h"

#include <QAction>
#include <QApplication>
#include <QFileInfo>
#include <QScreen>

#include <algorithm>
#include <utility>

namespace footlight::app {

MainWindow::MainWindow(bool remember, QWidget* parent)
    : QMainWindow(parent), remember_(remember), session_(this), selection_(this), worker_(this), watcher_(this) {
  context_ = {&session_, &selection_};
  setWindowTitle(QStringLiteral("Footlight"));
  setAcceptDrops(true);
  build_widgets();
  build_actions();
  connect_parts();
  connect_findings();
  resize(first_size(screen()->availableSize()));
  if (remember_) restore();
  list_runs();
  fill_recent();
  take_document(true);
  top_->set_can_go(false, false);
  (whole_->currentIndex() == 1 ? welcome_->main_widget() : static_cast<QWidget*>(tabs_))->setFocus();
  update_status();
}

QSize MainWindow::first_size(QSize screen) {
  constexpr int kFrame = 16, kTitle = 48;  // approximate size of the window frame
  return QSize(1440, 900).boundedTo(QSize(screen.width() - kFrame, screen.height() - kTitle));
}

MainWindow::~MainWindow() = default;

std::vector<View*> MainWindow::all_views() const {
  std::vector<View*> views{navigator_, inspector_};
  for (int i = 0; i < pages_->count(); ++i) views.push_back(static_cast<View*>(pages_->widget(i)));
  views.insert(views.end(), {console_, findings_});
  return views;
}

void MainWindow::connect_parts() {
  connect(&session_, &Session::opened, this, [this] { take_document(true); });
  connect(&session_, &Session::grown, this, [this] { take_document(false); });
  connect(&session_, &Session::failed, this, [this](const QString& path, const QString& message) {
    // A run that never wrote a session explains why on its own output, which is shown when it ends.
    if (worker_.running()) return;
    show_banner(QFileInfo(path).fileName() + QStringLiteral(" could not be opened: ") + message);
    update_status();
  });
  connect(&session_, &Session::progress, this, [this](double share) {
    read_share_ = share;
    update_status();
    note_run();
  });
  connect(&session_.queries(), &Queries::busy_changed, this, [this] { update_status(); });
  connect(&selection_, &SelectionModel::changed, this, &MainWindow::follow_selection);
  connect(&selection_, &SelectionModel::history_changed, this, [this] {
    top_->set_can_go(selection_.can_go_back(), selection_.can_go_forward());
  });
  for (View* v : all_views()) connect(v, &View::wants_view, this, &MainWindow::show_view);
  connect(navigator_, &NavigatorPanel::run_chosen, this, [this](const QString& path) { open(path, true); });
  connect(navigator_, &NavigatorPanel::rename_asked, this, &MainWindow::ask_to_rename);
  connect(navigator_, &NavigatorPanel::delete_asked, this, &MainWindow::ask_to_delete);
  connect(findings_, &FindingsView::count_changed, this, [this](int count) {
    dock_tabs_->set_count(0, count);
    diff()->set_findings(count);
  });
  connect(graph(), &GraphView::export_failed, this, [this](const QString& reason) { show_banner(reason); });
  connect(graph(), &GraphView::compare_asked, this, &MainWindow::compare_graphs);
  connect(retraces(), &RetracesView::compare_asked, this, &MainWindow::compare_graphs);
  connect(retraces(), &RetracesView::times_asked, this, [this](TraceId left, TraceId right) {
    show_view(QStringLiteral("compare"));
    compare()->compare_traces(left, right);
  });
  connect(sql(), &SqlView::time_chosen, timeline(), &TimelineView::show_time);
  connect(sql(), &SqlView::export_asked, this, &MainWindow::export_result);
  connect(navigator_, &NavigatorPanel::compare_asked, this, [this](const QString& path) {
    compare_with(path);
  });
  connect(compare(), &CompareView::run_asked, this, &MainWindow::compare_runs);
  connect(compare(), &CompareView::stop_asked, this, &MainWindow::stop);
  connect(values(), &ValuesView::run_asked, this, &MainWindow::record_values);
  connect(values(), &ValuesView::graph_asked, this, [this] {
    graph()->set_colour(GraphColour::kNumbers);
    show_view(QStringLiteral("graph"));
  });
  connect(compare(), &CompareView::failed, this, [this](const QString& message) { show_banner(message); });
  connect(top_, &TopBar::run_clicked, this, [this] { run(); });
  connect(welcome_, &WelcomePage::run_asked, this, [this] { run(); });
  connect(welcome_, &WelcomePage::open_asked, this, &MainWindow::ask_for_file);
  connect(welcome_, &WelcomePage::read_asked, this, [this] { show_view(QStringLiteral("source")); });
  connect(welcome_, &WelcomePage::path_chosen, this, [this](const QString& path) { open(path); });
  connect(welcome_, &WelcomePage::sample_chosen, this, &MainWindow::open_sample);
  connect(welcome_, &WelcomePage::interpreter_asked, this, &MainWindow::edit_run_options);
  connect(&packages_, &PackageSearch::changed, this, [this] { welcome_->set_packages(packages_.found()); });
  connect(welcome_, &WelcomePage::back_asked, this, [this] { show_view(view()); });
  connect(top_, &TopBar::options_clicked, this, &MainWindow::edit_run_options);
  connect(top_, &TopBar::stop_clicked, this, &MainWindow::stop);
  connect(top_, &TopBar::search_clicked, this, [this] { open_palette(); });
  connect(top_, &TopBar::back_clicked, this, &MainWindow::go_back);
  connect(top_, &TopBar::forward_clicked, &selection_, &SelectionModel::forward);
  connect(&worker_, &Worker::started, this, [this] {
    session_.open(worker_.request().session, true);
    console_->set_input_open(true);
    update_status();
  });
  connect(&worker_, &Worker::failed, this, [this](const QString& reason) {
    run_failed_ = true;
    run_note_ = QStringLiteral("Could not start");
    show_banner(QStringLiteral("The script could not be started: ") + reason);
    console_->note(reason);
    compare()->run_ended(reason);
    values()->run_ended(reason);
    update_status();
    if (quit_wanted_) close();
  });
  connect(&worker_, &Worker::finished, this, &MainWindow::run_ended);
  connect(console_, &ConsoleView::entered, this,
          [this](const QString& line) { worker_.write_input(line.toUtf8() + '\n'); });
  connect(console_, &ConsoleView::nowhere, this,
          [this](const QString& path) { show_banner(QStringLiteral("There is no file ") + path); });
  connect(console_, &ConsoleView::input_ended, &worker_, &Worker::end_input);
  connect(&watcher_, &SaveWatcher::saved, this, [this] {
    if (!rerun_on_save_) return;
    if (worker_.running()) {
      rerun_wanted_ = true;
      stop();
    } else {
      run();
    }
  });
  connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
    pages_->setCurrentIndex(index);
    view_chosen_ = true;
    inspector_->set_snippet_shown(view() != QStringLiteral("graph") && view() != QStringLiteral("source"));
    update_welcome();
  });
  connect(dock_tabs_, &QTabBar::currentChanged, dock_, &QStackedWidget::setCurrentIndex);
}

void MainWindow::run(const QStringList& options) {
  if (worker_.running() || !source()->save_edits()) return;
  QWidget* keys = finding_is_open() ? static_cast<QWidget*>(finding_page_) : tabs_;
  keys->setFocus(Qt::OtherFocusReason);
  if (top_->script().isEmpty()) {
    show_banner(QStringLiteral("Open a Python script first (Ctrl+O, or drop one here)."), false);
    return;
  }
  if (!QFileInfo::exists(top_->script())) {
    show_banner(QStringLiteral("There is no file ") + top_->script());
    return;
  }
  if (model::looks_like_model(top_->script().toStdString())) {
    show_banner(top_->script() + QStringLiteral(" is a model, which cannot be run. Open a Python script."),
                false);
    return;
  }
  const bool is_of_recording = q(session_.document().run.script) == top_->script();
  if (const QString why = why_not_run(session_.document()); is_of_recording && !why.isEmpty())
    return show_banner(why, false);
  watcher_.watch({top_->script()});  // runs what was saved just now
  hide_banner();
  RunRequest request;
  request.script = top_->script();
  request.arguments = top_->arguments();
  request.directory = options_.directory;
  request.environment = options_.environment;
  request.session = new_session_path(request.script);
  request.python = choose_python(options_.python, recorded_python_);
  request.options = options;
  const QString engine = options_.engine.isEmpty() ? recorded_engine_ : options_.engine;
  if (!engine.isEmpty()) request.options << QStringLiteral("--engine") << engine;
  run_note_.clear();
  run_failed_ = false;
  noted_end_ = findings_wanted_ = false;
  rerun_wanted_ = false;
  previous_run_ = q(session_.document().run.script) == request.script ? session_.path() : QString();
  const session::FunctionRecord* function = session_.document().function(selection_.current().function);
  run_function_ = function && !previous_run_.isEmpty() ? q(function->name) : QString();
  view_wanted_ = view_chosen_ = false;
  welcome_asked_ = false;
  selection_.clear();
  session_.close();
  top_->set_running(true, false);
  show_dock(1);
  worker_.start(request);
  update_status();
}

void MainWindow::stop() {
  tabs_->setFocus(Qt::OtherFocusReason);
  worker_.stop();
  compare()->run_stopping();
  top_->set_running(worker_.running(), worker_.stopping());
  update_status();
}

void MainWindow::run_ended(int code, const QString& reason) {
  console_->set_input_open(false);
  run_failed_ = code != 0;
  run_note_ = reason;
  const QString printed = worker_.printed().trimmed();
  const QString session = worker_.request().session;
  if (!session_.is_open() && QFileInfo::exists(session)) {
    // It ended before the session was first polled.
    session_.open(session);
    show_dock(1);
  } else if (!session_.is_open()) {
    // The process recorded nothing: shows what it printed.
    session_.close();
    console_->note(printed.isEmpty() ? QStringLiteral("The worker ended without output (%1).").arg(reason) : printed);
    show_banner(QStringLiteral("The script ended before it started a recording: ") +
                (printed.isEmpty() ? reason : printed.section(QLatin1Char('\n'), -1)));
    show_dock(1);
  } else if (code != 0 && !worker_.stopping()) {
    show_dock(1);
  }
  QTimer::singleShot(400, this, [this, code, reason] {
    if (worker_.running()) return list_runs();  // the rest is for the run that is shown
    // The session says how it ended; if it does not, use the exit code.
    const auto& end = session_.document().end;
    if (!noted_end_ && !end && code != 0 && session_.is_open())
      console_->note(QStringLiteral("The script ended: ") + reason);
    noted_end_ = true;
    compare()->run_ended(reason);
    values()->run_ended(reason);
    findings_wanted_ = code == 0;
    view_wanted_ = previous_run_.isEmpty();
    show_new_findings();
    land();
    if (finding_is_open()) finding_page_->compare_runs(previous_run_, session_.path());
    list_runs();
    note_run();
    update_status();
  });
  remember_file(worker_.request().session);
  top_->set_running(false, false);
  update_status();
  if (quit_wanted_) QTimer::singleShot(0, this, [this] { close(); });
  else if (rerun_wanted_) QTimer::singleShot(0, this, [this] { run(); });
}

void MainWindow::take_document(bool another) {
  const Document& d = session_.document();
  show_tabs_of_document();
  for (View* v : all_views()) {
    if (another) v->reset();
    else v->refresh();
  }
  if (another) list_runs();  // the one that is open is no earlier one
  if (session_.is_open()) {
    if (!d.run.script.empty() && (another || top_->script().isEmpty()) && !worker_.running()) {
      QStringList arguments;
      for (const std::string& a : d.run.arguments) arguments << q(a);
      // This script must not run with the options of another.
      const QString script = q(d.run.script);
      if (script != top_->script()) {
        options_ = options_for(script, remember_, options_.python);
        options_.arguments.clear();
      }
      recorded_python_ = interpreter_of(q(d.run.python));
      run_under_recorded_engine();
      top_->set_script(script, arguments);
      watcher_.watch(QFileInfo::exists(q(d.run.script)) ? QStringList{q(d.run.script)} : QStringList{});
    }
    const Selection& now = selection_.current();
    if (another) landed_ = false, own_selection_ = {};
    if (now.kind == Selection::Kind::kNothing || (now.kind == Selection::Kind::kRun && now == own_selection_))
      select_by_itself(busiest_function(d));
    if (another) missing_said_.clear();
    say_what_is_missing();
    if (d.end && !noted_end_) noted_end_ = true;
  }
  if (another) {
    finding_page_->detach();
    follow_selection();
  }
  update_welcome();
  update_status();
  land();
  compare_when_read();
}

// A recording that is not whole says so, whenever that turns out.
void MainWindow::say_what_is_missing() {
  const Document& d = session_.document();
  QStringList missing;
  if (!d.damage.isEmpty()) missing << capitalized(d.damage) + QLatin1Char('.');
  const bool was_killed = !d.end && !d.live && !d.run.script.empty() && !worker_.running() && !session_.loading();
  if (was_killed && !model::looks_like_model(d.path.toStdString()))
    missing << QStringLiteral("The program was killed before it could say how it ended. What was recorded up to then "
                              "is here.");
  if (d.dropped && !d.live && !worker_.running())
    missing << counted(d.dropped, "event was", "events were") + QStringLiteral(" dropped, so counts and times are too "
                                                                                "low.");
  const QString text = missing.join(QLatin1Char(' '));
  if (text == missing_said_) return;
  missing_said_ = text;
  if (!text.isEmpty())
    show_banner(QFileInfo(d.path).fileName() + QStringLiteral(" is incomplete. ") + text, false);
}

void MainWindow::select_by_itself(const Selection& selection) {
  selection_.clear();  // there is nothing to go back to
  selection_.select(selection);
  own_selection_ = selection_.current();
}

// Once for each recording, when its findings are known, unless a person has gone somewhere meanwhile.
void MainWindow::land() {
  if (!session_.is_open() || session_.loading() || worker_.running() || findings_->busy()) return;
  const Document& d = session_.document();
  if (d.live) return;
  const Landing there = landing_of(d, findings_->list());
  const bool first_time = !std::exchange(landed_, true), go = std::exchange(view_wanted_, false);
  const bool is_own = selection_.current() == own_selection_;
  if (is_own && (first_time || go)) {
    const auto known = std::ranges::find_if(d.functions, [&](const session::FunctionRecord& f) {
      return !run_function_.isEmpty() && q(f.name) == run_function_;
    });
    const bool failed = d.end && d.end->exit_code != 0;
    const bool keeps = known != d.functions.end() && !failed;  // keeps the function selected before this run
    const Selection target = keeps ? Selection::of_function(d, known->id) : there.selection;
    if (target != selection_.current()) select_by_itself(target);
    run_function_.clear();
  }
  if (go && is_own && !view_chosen_ && !finding_is_open() && !source()->editing()) show_view(there.view);
}

void MainWindow::follow_selection() {
  for (View* v : all_views()) v->follow_selection();
  const Selection& s = selection_.current();
  const Document& d = session_.document();
  const session::FunctionRecord* f = d.function(s.function);
  const session::TraceRecord* t = d.trace(s.trace);
  QString text = f ? function_title(d, *f) : QString();
  if (t) text += QStringLiteral("   #%1").arg(t->number);
  context_label_->setText(text);
}

void MainWindow::go_back() {
  if (finding_is_open()) show_view(view());
  else selection_.back();
}

void MainWindow::settle() {
  constexpr int kMaxRounds = 400;  // while a script runs; a recording is loaded however long that takes
  const auto may_never_end = [this] { return worker_.running() || session_.document().live; };
  const auto wait = [&] {
    for (int i = 0; i < kMaxRounds || !may_never_end(); ++i) {
      QApplication::processEvents(QEventLoop::AllEvents, 20);
      const bool laid_out = !graph()->layouter().running() && !diff()->busy() && !sql()->busy();
      if (!session_.loading() && laid_out && session_.queries().waiting() == 0) break;
      QThread::msleep(5);
    }
  };
  wait();
  for (int i = 0; i < 3; ++i) {  // an answer may move what is in view, and with it what the table is of
    timeline()->settle();
    wait();
  }
  for (int i = 0; i < 5; ++i) QApplication::processEvents();
}

bool MainWindow::select_by_name(const QString& text, QString* why_not) {
  const Named named = selection_named(session_.document(), selection_.current(), text);
  if (named.selection) selection_.select(*named.selection);
  else if (why_not) *why_not = named.why_not;
  return named.selection.has_value();
}

void MainWindow::update_status() {
  const Document& d = session_.document();
  const QString dot = QString::fromUtf8("  ·  ");
  update_why_not_run();
  top_->set_running(worker_.running(), worker_.stopping());
  finding_page_->set_running(worker_.running());
  if (session_.loading() && !worker_.running()) {
    const int percent = static_cast<int>(read_share_ * 100);
    top_->set_status(QStringLiteral("blue"), QString::fromUtf8("Reading … %1 %").arg(percent));
  } else if (worker_.running()) {
    QString text = worker_.stopping() ? QString::fromUtf8("Stopping …") : QStringLiteral("Running");
    if (session_.is_open()) text += dot + counted(d.events, "event", "events");
    top_->set_status(QStringLiteral("amber"), text);
  } else if (session_.is_open()) {
    const RunEnd end = run_end(d);
    QString text = end.text, tone = end.is_good ? QStringLiteral("green") : QStringLiteral("red");
    if (!end.is_known && d.live) {
      text = QStringLiteral("Running elsewhere");
      tone = QStringLiteral("amber");
    } else if (!end.is_known) {
      text = run_note_.isEmpty() ? QStringLiteral("Killed") : capitalized(run_note_);
      tone = QStringLiteral("red");
    }
    const QString whole = text;
    constexpr qsizetype kMaxStatus = 64;
    text = shortened(text, kMaxStatus);
    // The words of an error need the space.
    const bool is_error = !end.error.message.empty();
    if (!is_error) text += dot + duration_text(d.duration_ns()) + dot + counted(d.events, "event", "events");
    top_->set_status(tone, text, whole);
  } else if (!run_note_.isEmpty()) {
    top_->set_status(run_failed_ ? QStringLiteral("red") : QStringLiteral("green"), capitalized(run_note_));
  } else {
    top_->set_status({}, {});
  }
  QStringList machine;
  for (const std::string& part : {d.run.engine, d.run.python, d.run.machine}) {
    if (!part.empty()) machine << q(part);
  }
  machine_->setText(machine.join(dot));
  QString recorded;
  if (session_.is_open()) {
    const QString dropped = (d.dropped ? counted(d.dropped, "event", "events") : QStringLiteral("Nothing")) +
                            QStringLiteral(" dropped");
    recorded = session::nothing_ran(d.run.engine)
                   ? QStringLiteral("Nothing ran: this is ") + QLatin1String(session::source_of_graphs(d.run.engine))
                   : QStringLiteral("Recorded with level ") + d.level + QString::fromUtf8("   ") + dropped;
    if (session_.queries().busy()) recorded.prepend(QString::fromUtf8("Counting …   "));
  }
  recorded_->setText(recorded);
  const QString name = session_.is_open() ? file_name(d.run.script) : QFileInfo(top_->script()).fileName();
  setWindowTitle(name.isEmpty() ? QStringLiteral("Footlight") : name + QString::fromUtf8(" · Footlight"));
}

}  // namespace footlight::app
