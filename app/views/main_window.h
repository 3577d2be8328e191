// The window: top bar, navigator, tabs, inspector, dock; what is open, what runs, and the commands.
#pragma once

#include "app/models/landing.h"
#include "app/models/recent.h"
#include "app/session/export_job.h"
#include "app/session/found_packages.h"
#include "app/session/queries.h"
#include "app/session/run_options.h"
#include "app/session/session.h"
#include "app/session/watcher.h"
#include "app/session/worker.h"
#include "app/views/command_palette.h"
#include "app/views/compare_view.h"
#include "app/views/console_view.h"
#include "app/views/diff_view.h"
#include "app/views/finding_page.h"
#include "app/views/finding_side.h"
#include "app/views/findings_view.h"
#include "app/views/generated_view.h"
#include "app/views/graph_view.h"
#include "app/views/inspector_panel.h"
#include "app/views/navigator_panel.h"
#include "app/views/ranks_view.h"
#include "app/views/retraces_view.h"
#include "app/views/run_panel.h"
#include "app/views/source_view.h"
#include "app/views/sql_view.h"
#include "app/views/tabs.h"
#include "app/views/timeline_view.h"
#include "app/views/top_bar.h"
#include "app/views/values_view.h"
#include "app/views/welcome_page.h"

#include <QMainWindow>
#include <QSplitter>
#include <QStackedWidget>

namespace footlight::app {

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // `remember`: load and save window state and recent files in the user's settings.
  explicit MainWindow(bool remember, QWidget* parent = nullptr);
  ~MainWindow() override;

  // Opens a session, or a script to run. False if it is neither; the banner says why.
  // Then shows what suits the first finding, unless it `keeps_view`.
  bool open(const QString& path, bool keeps_view = false);
  // Opens the second recording and compares the first one with it, function by function. False as open().
  bool open_to_compare(const QString& before, const QString& after);
  void prepare_script(const QString& path, const QStringList& arguments = {});
  void set_working_directory(const QString& folder) { options_.directory = folder; }
  const RunOptions& run_options() const { return options_; }
  void edit_run_options();
  // `options`: more words for the recorder.
  void run(const QStringList& options = {});
  void stop();
  void show_view(const QString& name);
  QString view() const;
  void choose_theme(const QString& name);
  void show_banner(const QString& text, bool error = true);
  void hide_banner();
  void open_palette(const QString& query = {});
  // Writes the recording to a file by `timeline_export` or `report_export`; a banner says how it ended.
  using ExportWords = QStringList (*)(const QString& session, const QString& file);
  void export_to(const QString& path, ExportWords words);
  void save_picture(const QString& path);   // a picture of the view
  // Copies the open recording. False if nothing is open or the copy cannot be written; the banner says why.
  bool save_recording(const QString& path);
  void show_in_folder();  // the open recording, else the script
  void show_welcome();
  // Whether the recording has something for this view: the tabs of others are hidden.
  bool has_view(const QString& name) const;
  // Selects by name (selection_names.h). False if nothing is found, or several functions are.
  bool select_by_name(const QString& text, QString* why_not = nullptr);
  // Does all deferred work now, for screenshots.
  void settle();

  // The size of a window that opens for the first time on a screen of that size.
  static QSize first_size(QSize screen);
  Session& session() { return session_; }
  SelectionModel& selection() { return selection_; }
  Worker& worker() { return worker_; }
  GraphView* graph() const { return page<GraphView>(); }
  RetracesView* retraces() const { return page<RetracesView>(); }
  AutographView* autograph() const { return page<GeneratedView>()->autograph(); }
  StagesView* stages() const { return page<GeneratedView>()->stages(); }
  TimelineView* timeline() const { return page<TimelineView>(); }
  RanksView* ranks() const { return page<RanksView>(); }
  CompareView* compare() const { return page<CompareView>(); }
  SourceView* source() const { return page<SourceView>(); }
  DiffView* diff() const { return page<DiffView>(); }
  SqlView* sql() const { return page<SqlView>(); }
  ValuesView* values() const { return page<ValuesView>(); }
  ConsoleView* console() { return console_; }
  FindingsView* findings() { return findings_; }
  InspectorPanel* inspector() { return inspector_; }
  NavigatorPanel* navigator() { return navigator_; }
  TopBar* top_bar() { return top_; }
  CommandPalette* palette() { return palette_; }
  Tabs* tabs() { return tabs_; }
  QString banner_text() const;
  QStringList recent() const { return recent_.paths(); }
  WelcomePage* welcome() { return welcome_; }
  FindingPage* finding_page() { return finding_page_; }
  FindingSide* finding_side() { return finding_side_; }
  bool finding_is_open() const;
  bool welcome_is_shown() const { return whole_->currentWidget() == welcome_; }
  RunPanel* run_panel() { return run_panel_; }

 Q_SIGNALS:
  void file_shown(const QString& path);  // a recording, a script or a model; so that a later start finds this window

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Command {
    QString name;
    std::function<void()> act;
    QAction* action = nullptr;
  };

  template <class T>
  T* page() const {
    return pages_->findChild<T*>(QString(), Qt::FindDirectChildrenOnly);
  }
  void build_widgets();
  void build_actions();
  void build_exports(QMenu* file);
  void export_result(const QString& statement);
  void start_export(const QString& path, const QStringList& command);
  void ask_to_export(const QString& title, const QString& ending, const QString& filters, ExportWords words);
  void connect_parts();
  void connect_findings();
  void open_finding(const FindingCard& card);
  void close_finding();
  void show_new_findings();
  void go_back();
  void take_document(bool another);
  void show_tabs_of_document();
  void say_what_is_missing();
  void select_by_itself(const Selection& selection);
  void land();
  void follow_selection();
  void update_status();
  void update_welcome();
  void run_ended(int code, const QString& reason);
  void show_dock(int index);
  void compare_graphs(TraceId trace);
  void compare_runs(const ComparePlan& plan);
  void compare_with(const QString& path);
  void ask_what_to_compare_with();
  void compare_when_read();
  void update_why_not_run();
  void run_under_recorded_engine();
  void record_values(const ValuesPlan& plan);
  void remember_file(const QString& path);
  void note_run();
  void fill_recent();
  void ask_for_file();
  void open_sample(const Sample& sample, bool at_once);
  void list_runs();
  void ask_to_rename(const QString& path, const QString& title);
  void ask_to_quit();
  void ask_to_save_recording();
  void take_options(const RunOptions& options);
  void ask_to_delete(const QString& path, const QString& title);
  void delete_run_file(const QString& path);
  void restore();
  void save() const;
  QAction* add_command(QMenu* menu, const QString& name, const QList<QKeySequence>& keys, std::function<void()> act);
  std::vector<View*> all_views() const;

  const bool remember_;
  Session session_;
  SelectionModel selection_;
  Worker worker_;
  ExportJob export_;
  SaveWatcher watcher_;
  PackageSearch packages_;  // of the chosen interpreter, for the samples of other engines
  Context context_;
  std::vector<Command> commands_;
  RecentFiles recent_;
  RunOptions options_;    // options for the script, without its arguments, which the top bar has
  QString recorded_python_;  // the interpreter of the recording of the script
  QString recorded_engine_;  // its engine, where one has to be asked for
  QueryHandle engine_asked_;
  QString previous_run_;  // an earlier run of the same script, to compare with
  bool rerun_on_save_ = false, rerun_wanted_ = false;
  QString run_note_;          // how the last run ended, for the status text
  bool run_failed_ = false;
  bool noted_end_ = false;
  bool dock_by_hand_ = false;     // somebody has moved its edge
  bool findings_wanted_ = false;  // after the run that has just ended
  bool landed_ = false;           // whether this recording has its first selection
  bool view_wanted_ = false;      // the view that suits the first finding is to be shown, once that is known
  bool view_chosen_ = false;      // somebody has turned to a view since the run began or the recording was opened
  Selection own_selection_;       // the last one that nobody made by hand
  QString run_function_;          // the selected one when the run began
  QString missing_said_;          // text about missing parts of the recording, in the banner
  QString compare_wanted_;        // recording to compare with the open one, once that has been read
  bool welcome_asked_ = false;
  bool quit_wanted_ = false;      // once the script has ended

  TopBar* top_ = nullptr;
  NavigatorPanel* navigator_ = nullptr;
  InspectorPanel* inspector_ = nullptr;
  Tabs* tabs_ = nullptr;
  double read_share_ = 0;  // how much of the session has been loaded
  QLabel* context_label_ = nullptr;
  QStackedWidget *whole_ = nullptr, *middle_ = nullptr, *side_ = nullptr, *pages_ = nullptr, *dock_ = nullptr;
  Tabs* dock_tabs_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  FindingPage* finding_page_ = nullptr;
  FindingSide* finding_side_ = nullptr;
  QFrame* banner_ = nullptr;
  QLabel* banner_text_ = nullptr;
  QSplitter *across_ = nullptr, *down_ = nullptr;
  QLabel *machine_ = nullptr, *recorded_ = nullptr;
  QMenu* recent_menu_ = nullptr;
  QAction *rerun_action_ = nullptr, *navigator_action_ = nullptr, *inspector_action_ = nullptr, *dock_action_ = nullptr;
  QList<QAction*> theme_actions_, view_actions_;  // the latter as view_list()
  QList<QAction*> script_actions_;  // those that run the script
  ConsoleView* console_ = nullptr;
  FindingsView* findings_ = nullptr;
  CommandPalette* palette_ = nullptr;
  RunPanel* run_panel_ = nullptr;
};

}  // namespace footlight::app
