// The window's menus and commands, each with its keys.
#include "app/views/main_window.h"

#include "app/models/text.h"
#include "app/views/theme.h"
#include "app/views/view_list.h"
#include "engine/session/other_engines.h"

#include "footlight_version.h"

#include <QAction>
#include <QActionGroup>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

namespace footlight::app {

QAction* MainWindow::add_command(QMenu* menu, const QString& name, const QList<QKeySequence>& keys,
                                 std::function<void()> act) {
  auto* action = new QAction(name, this);
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WindowShortcut);
  connect(action, &QAction::triggered, this, act);
  if (menu) menu->addAction(action);
  addAction(action);
  QString plain = name;
  plain.remove(QLatin1Char('&')).remove(QString::fromUtf8(" …"));
  commands_.push_back({plain, std::move(act), action});
  return action;
}

void MainWindow::build_actions() {
  QMenu* file = menuBar()->addMenu(QStringLiteral("&File"));
  add_command(file, QString::fromUtf8("&Open …"), {QKeySequence::Open}, [this] { ask_for_file(); });
  recent_menu_ = file->addMenu(QStringLiteral("Open &recent"));
  QMenu* samples = file->addMenu(QStringLiteral("Sa&mples"));
  for (const Sample& sample : all_samples()) {
    QAction* action = add_command(samples, QStringLiteral("Sample: %1 (%2)").arg(sample.title, sample.name), {},
                                  [this, sample] { open_sample(sample, false); });
    action->setText(QStringLiteral("%1 (%2)").arg(sample.title, sample.name));
  }
  for (const session::OtherEngine& engine : session::kOtherEngines) {
    const QString title = QLatin1String(engine.title);
    QMenu* of_engine = samples->addMenu(title);
    for (const Sample& sample : engine_samples()) {
      if (sample.engine != QLatin1String(engine.package)) continue;
      const QString name = QStringLiteral("Run sample for %1: %2 (%3)").arg(title, sample.title, sample.name);
      QAction* action = add_command(of_engine, name, {}, [this, sample] { open_sample(sample, true); });
      action->setText(QStringLiteral("%1 (%2)").arg(sample.title, sample.name));
    }
  }
  add_command(file, QStringLiteral("&Welcome"), {QKeySequence(QStringLiteral("Ctrl+Shift+W"))},
              [this] { show_welcome(); });
  file->addSeparator();
  add_command(file, QString::fromUtf8("&Compare with another recording …"), {}, [this] { ask_what_to_compare_with(); });
  add_command(file, QString::fromUtf8("Save recordin&g as …"), {},
              [this] { ask_to_save_recording(); });
  add_command(file, QStringLiteral("Show in &folder"), {}, [this] { show_in_folder(); });
  build_exports(file);
  add_command(file, QString::fromUtf8("&Save picture of the view …"),
              {QKeySequence(QStringLiteral("Ctrl+Shift+S"))}, [this] {
                const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save picture"),
                                                                  view() + QStringLiteral(".png"),
                                                                  QStringLiteral("PNG (*.png)"));
                if (!path.isEmpty()) save_picture(path);
              });
  file->addSeparator();
  add_command(file, QStringLiteral("&Quit"), {QKeySequence(QStringLiteral("Ctrl+Q"))}, [this] { close(); });

  QMenu* run_menu = menuBar()->addMenu(QStringLiteral("&Run"));
  script_actions_ << add_command(run_menu, QStringLiteral("&Run the script"),
                                 {QKeySequence(QStringLiteral("F5")), QKeySequence(QStringLiteral("Ctrl+R"))},
                                 [this] { run(); });
  add_command(run_menu, QStringLiteral("&Stop"), {QKeySequence(QStringLiteral("Shift+F5"))}, [this] { stop(); });
  add_command(run_menu, QStringLiteral("&Edit the source"), {QKeySequence(QStringLiteral("Ctrl+E"))}, [this] {
    show_view(QStringLiteral("source"));
    source()->edit_button()->setChecked(!source()->editing());
  });
  rerun_action_ = add_command(run_menu, QStringLiteral("Run a&gain when the script is saved"), {}, [this] {
    rerun_on_save_ = !rerun_on_save_;
    rerun_action_->setChecked(rerun_on_save_);
    if (remember_) save();
  });
  rerun_action_->setCheckable(true);
  script_actions_ << rerun_action_;
  const QList<QKeySequence> compare_keys{QKeySequence(QStringLiteral("Ctrl+Shift+E"))};
  script_actions_ << add_command(run_menu, QString::fromUtf8("&Compare eager and traced …"), compare_keys, [this] {
    show_view(QStringLiteral("compare"));
    compare()->ask();
  });
  add_command(run_menu, QString::fromUtf8("Compare what was recor&ded …"),
              {QKeySequence(QStringLiteral("Ctrl+Shift+M"))}, [this] {
                show_view(QStringLiteral("compare"));
                compare()->offer_recorded();
              });
  script_actions_ << add_command(run_menu, QString::fromUtf8("Record the &values of a call …"),
                                 {QKeySequence(QStringLiteral("Ctrl+Shift+L"))}, [this] {
                                   show_view(QStringLiteral("values"));
                                   values()->ask();
                                 });
  script_actions_ << add_command(run_menu, QStringLiteral("Run and find the first &NaN"),
                                 {QKeySequence(QStringLiteral("Ctrl+Shift+N"))}, [this] {
                                   ValuesPlan plan;
                                   plan.check = true;
                                   record_values(plan);
                                 });
  run_menu->addSeparator();
  script_actions_ << add_command(run_menu, QString::fromUtf8("Run &options …"),
                                 {QKeySequence(QStringLiteral("Ctrl+Shift+R"))}, [this] { edit_run_options(); });
  script_actions_ << add_command(run_menu, QStringLiteral("Edit the &arguments"),
                                 {QKeySequence(QStringLiteral("Ctrl+Shift+A"))},
                                 [this] { top_->arguments_edit()->setFocus(); });

  QMenu* view_menu = menuBar()->addMenu(QStringLiteral("&View"));
  for (int at = 0; const ViewEntry& view : view_list()) {
    QAction* action = add_command(view_menu, QLatin1String(view.title), {QKeySequence(QLatin1String(view.key))},
                                  [this, name = QLatin1String(view.name)] { show_view(name); });
    view_actions_ << action;
    // A page may have another title for what is open.
    connect(pages_->widget(at), &QWidget::windowTitleChanged, action,
            [this, action, at, command = commands_.size() - 1](const QString& title) {
              action->setText(title);
              tabs_->setTabText(at, title);
              commands_[command].name = title;
            });
    ++at;
  }
  add_command(view_menu, QStringLiteral("Findings"), {QKeySequence(QStringLiteral("Ctrl+7"))},
              [this] { show_view(QStringLiteral("findings")); });
  add_command(view_menu, QStringLiteral("Console"), {QKeySequence(QStringLiteral("Ctrl+8"))},
              [this] { show_view(QStringLiteral("console")); });
  add_command(view_menu, QStringLiteral("Navigator"), {QKeySequence(QStringLiteral("Ctrl+0"))},
              [this] { navigator_->tree()->setFocus(Qt::ShortcutFocusReason); });
  add_command(view_menu, QStringLiteral("Inspector"), {QKeySequence(QStringLiteral("Ctrl+I"))},
              [this] { inspector_->main_widget()->setFocus(Qt::ShortcutFocusReason); });
  view_menu->addSeparator();
  const auto toggle = [&](const QString& name, const QString& key, QWidget* widget) {
    QAction* action = add_command(view_menu, name, {QKeySequence(key)},
                                  [widget] { widget->setVisible(!widget->isVisible()); });
    return action;
  };
  toggle(QStringLiteral("Show or hide the navigator"), QStringLiteral("Ctrl+B"), navigator_);
  toggle(QStringLiteral("Show or hide the inspector"), QStringLiteral("Ctrl+Shift+I"), side_);
  toggle(QStringLiteral("Show or hide the dock"), QStringLiteral("Ctrl+J"), down_->widget(1));
  view_menu->addSeparator();
  QMenu* themes = view_menu->addMenu(QStringLiteral("&Theme"));
  auto* group = new QActionGroup(this);
  for (const QString& name : Theme::names()) {
    const QString title = name == QStringLiteral("contrast") ? QStringLiteral("High contrast")
                                                             : name.left(1).toUpper() + name.mid(1);
    QAction* action = add_command(themes, QStringLiteral("Theme: ") + title.toLower(), {},
                                  [this, name] { choose_theme(name); });
    action->setText(title);
    action->setCheckable(true);
    action->setData(name);
    action->setChecked(name == theme().name());
    group->addAction(action);
    theme_actions_ << action;
  }

  QMenu* go = menuBar()->addMenu(QStringLiteral("&Go"));
  add_command(go, QString::fromUtf8("&Search …"),
              {QKeySequence(QStringLiteral("Ctrl+K")), QKeySequence::Find}, [this] { open_palette(); });
  add_command(go, QStringLiteral("&Commands"), {QKeySequence(QStringLiteral("Ctrl+Shift+P"))},
              [this] { open_palette(QStringLiteral(">")); });
  add_command(go, QStringLiteral("&Back"), {QKeySequence(QStringLiteral("Alt+Left"))}, [this] { go_back(); });
  add_command(go, QStringLiteral("&Forward"), {QKeySequence(QStringLiteral("Alt+Right"))},
              [this] { selection_.forward(); });
  const auto step_trace = [this](int by) {
    const Document& d = session_.document();
    const auto traces = d.traces_of(selection_.current().function);
    for (size_t i = 0; i < traces.size(); ++i) {
      if (traces[i]->id != selection_.current().trace) continue;
      const ptrdiff_t to = static_cast<ptrdiff_t>(i) + by;
      if (to >= 0 && to < static_cast<ptrdiff_t>(traces.size()))
        selection_.select(Selection::of_trace(d, traces[static_cast<size_t>(to)]->id));
      return;
    }
  };
  add_command(go, QStringLiteral("&Next trace"), {QKeySequence(QStringLiteral("Alt+Down"))},
              [step_trace] { step_trace(1); });
  add_command(go, QStringLiteral("&Previous trace"), {QKeySequence(QStringLiteral("Alt+Up"))},
              [step_trace] { step_trace(-1); });
  add_command(go, QStringLiteral("&Compare the graph with that of the nearest trace"),
              {QKeySequence(QStringLiteral("Ctrl+Shift+D"))},
              [this] { compare_graphs(selection_.current().trace); });
  add_command(go, QStringLiteral("Next &finding"), {QKeySequence(QStringLiteral("F8"))}, [this] {
    if (findings_->cards().empty()) return;
    show_dock(0);
    findings_->open_next();
  });

  const auto step_place = [this](int by) {
    show_dock(1);
    console_->text()->step_link(by);
  };
  add_command(go, QStringLiteral("Next &place in the console"), {QKeySequence(QStringLiteral("F4"))},
              [step_place] { step_place(1); });
  add_command(go, QStringLiteral("Previous place in the console"), {QKeySequence(QStringLiteral("Shift+F4"))},
              [step_place] { step_place(-1); });

  QMenu* help = menuBar()->addMenu(QStringLiteral("&Help"));
  add_command(help, QStringLiteral("&Keys"), {QKeySequence(QStringLiteral("F1"))}, [this] {
    QStringList titles;  // of the views that a digit opens
    for (int at = 0; const ViewEntry& entry : view_list()) {
      if (entry.key == QStringLiteral("Ctrl+%1").arg(titles.size() + 1)) titles << tabs_->tabText(at);
      ++at;
    }
    QMessageBox box(this);
    box.setWindowTitle(QStringLiteral("Keys"));
    box.setTextFormat(Qt::RichText);
    box.setText(QStringLiteral(
        "<table cellspacing='5'>"
        "<tr><td><b>F5, Shift+F5</b></td><td>run, stop</td></tr>"
        "<tr><td><b>Ctrl+K</b></td><td>search everything; > for commands</td></tr>"
        "<tr><td><b>%1</b></td><td>%2</td></tr>"
        "<tr><td><b>Ctrl+D, Ctrl+Shift+D</b></td><td>Diff; of the selected trace with its nearest</td></tr>"
        "<tr><td><b>Ctrl+L</b></td><td>SQL: Ctrl+Enter runs, Esc stops, Enter on a row shows it</td></tr>"
        "<tr><td><b>Ctrl+7, 8, 0, I</b></td><td>Findings, Console, navigator, inspector</td></tr>"
        "<tr><td><b>Alt+Left, Right</b></td><td>back and forward through what was selected</td></tr>"
        "<tr><td><b>Alt+Up, Down</b></td><td>previous and next trace</td></tr>"
        "<tr><td><b>Ctrl+F</b></td><td>find in a graph, source, generated code or the console</td></tr>"
        "<tr><td><b>Ctrl+E, Ctrl+S</b></td><td>edit the source, save it</td></tr>"
        "<tr><td><b>F8</b></td><td>next finding; Esc leaves its page</td></tr>"
        "<tr><td><b>F2, Del</b></td><td>rename or delete an earlier recording</td></tr>"
        "<tr><td><b>Ctrl+Shift+R</b></td><td>interpreter, folder, arguments and environment of a run</td></tr>"
        "<tr><td><b>Ctrl+Shift+W</b></td><td>the welcome page; Esc goes back</td></tr>"
        "<tr><td><b>F4, Shift+F4</b></td><td>next and previous place in the console's errors</td></tr>"
        "<tr><td><b>Graph</b></td><td>arrows walk edges, Shift+arrows pan, + - zoom, F frames, Home all, "
        "Enter opens, / finds, 1 to 9 show neighbours, [ and ] the pieces of what repeats; menu key: "
        "more</td></tr>"
        "<tr><td><b>Timeline</b></td><td>W A S D zoom and pan, . and , next and previous, up and down change "
        "track, F frames, [ ] M mark a range, / finds, B sets a bookmark, N goes to it, P pins a track, C folds it, "
        "H hides it, Shift+H shows what is hidden, Shift+Up and Down move a track</td></tr>"
        "<tr><td><b>Ranks</b></td><td>Ctrl+9 shows them; . and , next and previous late collective, up and down change "
        "the rank, Space unfolds it, Enter shows why one is late, F frames, Home all, W A S D zoom and pan</td></tr>"
        "<tr><td><b>Compare</b></td><td>Ctrl+Shift+E compares eager and traced, Ctrl+Shift+M what was "
        "recorded; timelines as in Timeline, "
        "left and right select a part</td></tr>"
        "<tr><td><b>Values</b></td><td>Ctrl+Shift+V shows them, Ctrl+Shift+L records a call, Ctrl+Shift+N finds the "
        "first NaN; N and I select the first NaN and Inf, arrows move in a heat map</td></tr>"
        "<tr><td><b>Generated</b></td><td>[ and ] previous and next stage</td></tr>"
        "<tr><td><b>Diff</b></td><td>. and , next and previous difference; graphs as in Graph</td></tr>"
        "</table>").arg(QString::fromUtf8("Ctrl+1 … %1").arg(titles.size()), titles.join(QStringLiteral(", "))));
    box.exec();
  });
  add_command(help, QStringLiteral("&About"), {}, [this] {
    QMessageBox::about(
        this, QStringLiteral("Footlight"),
        QStringLiteral("Footlight %1\n\nShows what happens when a Python function is staged into a graph.")
            .arg(QStringLiteral(FOOTLIGHT_VERSION)));
  });
}

void MainWindow::ask_to_quit() {
  auto* box = new QMessageBox(this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setObjectName(QStringLiteral("quitBox"));
  box->setWindowTitle(QStringLiteral("Quit"));
  box->setTextFormat(Qt::PlainText);
  box->setText(QStringLiteral("%1 is still running. Stop it and quit?\n\nWhat was recorded up to then is kept.")
                   .arg(file_name(top_->script().toStdString())));
  QPushButton* yes = box->addButton(QStringLiteral("Stop and quit"), QMessageBox::DestructiveRole);
  box->setDefaultButton(box->addButton(QMessageBox::Cancel));
  connect(yes, &QPushButton::clicked, this, [this] {
    quit_wanted_ = true;
    if (worker_.running()) stop();
    else close();
  });
  box->open();
}

void MainWindow::ask_to_delete(const QString& path, const QString& title) {
  if (worker_.running()) return show_banner(QStringLiteral("A script is running. Stop it first."), false);
  auto* box = new QMessageBox(this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setWindowTitle(QStringLiteral("Delete the recording"));
  box->setTextFormat(Qt::PlainText);
  box->setText(QStringLiteral("Delete the recording %1?\n\n%2").arg(title, path));
  QPushButton* yes = box->addButton(QStringLiteral("Delete"), QMessageBox::DestructiveRole);
  box->setDefaultButton(box->addButton(QMessageBox::Cancel));
  connect(yes, &QPushButton::clicked, this, [this, path] { delete_run_file(path); });
  box->open();
}

}  // namespace footlight::app
