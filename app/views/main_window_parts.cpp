// The window's widgets, menus and commands; tabs, banner and welcome page.
#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/main_window.h"
#include "app/views/paint.h"

#include "footlight_version.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSvgRenderer>
#include <QToolButton>
#include <QVBoxLayout>

namespace footlight::app {
namespace {

const char* const kViews[] = {"graph", "retraces", "autograph", "timeline", "source", "diff"};
const char* const kTitles[] = {"Graph", "Retraces", "AutoGraph", "Timeline", "Source", "Diff"};
constexpr int kCount = static_cast<int>(std::size(kViews));

class Picture : public QWidget {
 public:
  explicit Picture(int size, QWidget* parent = nullptr)
      : QWidget(parent), renderer_(QStringLiteral(":/footlight/icons/footlight.svg")) {
    setFixedSize(size, size);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    renderer_.render(&painter, QRectF(rect()));
  }

 private:
  QSvgRenderer renderer_;
};

}  // namespace

void MainWindow::build_widgets() {
  auto* central = new QWidget;
  central->setObjectName(QStringLiteral("central"));
  auto* column = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  top_ = new TopBar;
  column->addWidget(top_);

  across_ = new QSplitter(Qt::Horizontal);
  across_->setHandleWidth(1);
  across_->setChildrenCollapsible(false);
  navigator_ = new NavigatorPanel(context_);
  navigator_->setMinimumWidth(170);
  across_->addWidget(navigator_);

  auto* middle = new QWidget;
  auto* middle_column = new QVBoxLayout(middle);
  middle_column->setContentsMargins(0, 0, 0, 0);
  middle_column->setSpacing(0);
  auto* head = new QWidget;
  head->setObjectName(QStringLiteral("centreHead"));
  head->setAttribute(Qt::WA_StyledBackground);
  auto* head_row = new QHBoxLayout(head);
  head_row->setContentsMargins(12, 0, 18, 1);
  tabs_ = new Tabs(true);
  tabs_->setAccessibleName(QStringLiteral("Views"));
  for (const char* title : kTitles) tabs_->addTab(QLatin1String(title));
  head_row->addWidget(tabs_);
  head_row->addStretch(1);
  context_label_ = plain_label({}, "dim");
  context_label_->setFont(theme().code());
  head_row->addWidget(context_label_);
  middle_column->addWidget(head);

  banner_ = new QFrame;
  banner_->setObjectName(QStringLiteral("banner"));
  auto* banner_row = new QHBoxLayout(banner_);
  banner_row->setContentsMargins(18, 7, 10, 7);
  banner_text_ = plain_label();
  banner_text_->setWordWrap(true);
  banner_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  banner_row->addWidget(banner_text_, 1);
  auto* dismiss = new QToolButton;
  dismiss->setText(QStringLiteral("Dismiss"));
  dismiss->setAccessibleName(QStringLiteral("Dismiss the message"));
  banner_row->addWidget(dismiss);
  connect(dismiss, &QToolButton::clicked, this, &MainWindow::hide_banner);
  middle_column->addWidget(banner_);
  banner_->hide();

  down_ = new QSplitter(Qt::Vertical);
  down_->setHandleWidth(1);
  down_->setChildrenCollapsible(false);
  centre_ = new QStackedWidget;
  pages_ = new QStackedWidget;
  graph_ = new GraphView(context_);
  retraces_ = new RetracesView(context_);
  autograph_ = new AutographView(context_);
  timeline_ = new TimelineView(context_);
  source_ = new SourceView(context_);
  diff_ = new DiffView(context_);
  for (View* v : std::initializer_list<View*>{graph_, retraces_, autograph_, timeline_, source_, diff_})
    pages_->addWidget(v);
  centre_->addWidget(pages_);
  welcome_ = new QWidget;
  auto* welcome_column = new QVBoxLayout(welcome_);
  welcome_column->addStretch(3);
  auto* picture = new Picture(72);
  welcome_column->addWidget(picture, 0, Qt::AlignHCenter);
  welcome_column->addSpacing(14);
  welcome_title_ = plain_label({}, "title");
  welcome_column->addWidget(welcome_title_, 0, Qt::AlignHCenter);
  welcome_column->addSpacing(4);
  welcome_text_ = plain_label({}, "dim");
  welcome_text_->setAlignment(Qt::AlignCenter);
  welcome_column->addWidget(welcome_text_, 0, Qt::AlignHCenter);
  welcome_column->addSpacing(14);
  auto* open_button = new QPushButton(QString::fromUtf8("Open …"));
  set_tip(open_button, QStringLiteral("Open a script or a session (Ctrl+O)"));
  connect(open_button, &QPushButton::clicked, this, [this] {
    const QString path = QFileDialog::getOpenFileName(
        this, QStringLiteral("Open a script or a session"), {},
        QStringLiteral("Scripts and sessions (*.py *.footlight);;All files (*)"));
    if (!path.isEmpty()) open(path);
  });
  welcome_column->addWidget(open_button, 0, Qt::AlignHCenter);
  welcome_column->addSpacing(20);
  recent_box_ = new QWidget;
  new QVBoxLayout(recent_box_);
  welcome_column->addWidget(recent_box_, 0, Qt::AlignHCenter);
  welcome_column->addStretch(4);
  centre_->addWidget(welcome_);
  centre_->setMinimumHeight(160);
  down_->addWidget(centre_);

  auto* dock = new QWidget;
  dock->setObjectName(QStringLiteral("dock"));
  dock->setAttribute(Qt::WA_StyledBackground);
  auto* dock_column = new QVBoxLayout(dock);
  dock_column->setContentsMargins(0, 1, 0, 0);
  dock_column->setSpacing(2);
  auto* dock_head = new QHBoxLayout;
  dock_head->setContentsMargins(2, 0, 12, 0);
  dock_tabs_ = new Tabs(false);
  dock_tabs_->setAccessibleName(QStringLiteral("Findings and console"));
  dock_tabs_->addTab(QStringLiteral("Findings"));
  dock_tabs_->addTab(QStringLiteral("Console"));
  dock_head->addWidget(dock_tabs_);
  dock_head->addStretch(1);
  dock_column->addLayout(dock_head);
  dock_ = new QStackedWidget;
  findings_ = new FindingsView(context_);
  console_ = new ConsoleView(context_);
  dock_->addWidget(findings_);
  dock_->addWidget(console_);
  dock_column->addWidget(dock_, 1);
  dock->setMinimumHeight(90);
  down_->addWidget(dock);
  down_->setStretchFactor(0, 1);
  down_->setStretchFactor(1, 0);
  down_->setSizes({700, 172});
  middle_column->addWidget(down_, 1);
  across_->addWidget(middle);
  inspector_ = new InspectorPanel(context_);
  inspector_->setMinimumWidth(220);
  across_->addWidget(inspector_);
  across_->setStretchFactor(0, 0);
  across_->setStretchFactor(1, 1);
  across_->setStretchFactor(2, 0);
  across_->setSizes({236, 1053, 311});
  column->addWidget(across_, 1);

  auto* status = new QWidget;
  status->setObjectName(QStringLiteral("statusLine"));
  status->setAttribute(Qt::WA_StyledBackground);
  status->setFixedHeight(26);
  auto* status_row = new QHBoxLayout(status);
  status_row->setContentsMargins(14, 1, 14, 0);
  machine_ = new ElidedLabel;
  machine_->setProperty("role", "faint");
  recorded_ = plain_label({}, "faint");
  machine_->setAccessibleName(QStringLiteral("Engine, Python and machine"));
  recorded_->setAccessibleName(QStringLiteral("How it was recorded"));
  machine_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  status_row->addWidget(machine_, 1);
  status_row->addWidget(recorded_);
  column->addWidget(status);
  for (QLabel* l : {machine_, recorded_}) l->setFont(theme().ui(-2));

  setCentralWidget(central);
  palette_ = new CommandPalette(this);
  tabs_->setCurrentIndex(1);
  pages_->setCurrentIndex(1);
}

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
  commands_.push_back({plain, std::move(act)});
  return action;
}

void MainWindow::build_actions() {
  QMenu* file = menuBar()->addMenu(QStringLiteral("&File"));
  add_command(file, QString::fromUtf8("&Open …"), {QKeySequence::Open}, [this] {
    const QString path = QFileDialog::getOpenFileName(
        this, QStringLiteral("Open a script or a session"), {},
        QStringLiteral("Scripts and sessions (*.py *.footlight);;All files (*)"));
    if (!path.isEmpty()) open(path);
  });
  recent_menu_ = file->addMenu(QStringLiteral("Open &recent"));
  file->addSeparator();
  add_command(file, QString::fromUtf8("&Save picture of the view …"),
              {QKeySequence(QStringLiteral("Ctrl+Shift+S"))}, [this] {
                const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save picture"),
                                                                  view() + QStringLiteral(".png"),
                                                                  QStringLiteral("PNG (*.png)"));
                if (!path.isEmpty() && !pages_->currentWidget()->grab().save(path))
                  show_banner(QStringLiteral("The picture could not be written to ") + path);
              });
  file->addSeparator();
  add_command(file, QStringLiteral("&Quit"), {QKeySequence(QStringLiteral("Ctrl+Q"))}, [this] { close(); });

  QMenu* run_menu = menuBar()->addMenu(QStringLiteral("&Run"));
  add_command(run_menu, QStringLiteral("&Run the script"),
              {QKeySequence(QStringLiteral("F5")), QKeySequence(QStringLiteral("Ctrl+R"))},
              [this] { run(); });
  add_command(run_menu, QStringLiteral("&Stop"), {QKeySequence(QStringLiteral("Shift+F5"))}, [this] { stop(); });
  add_command(run_menu, QStringLiteral("&Edit the source"), {QKeySequence(QStringLiteral("Ctrl+E"))}, [this] {
    show_view(QStringLiteral("source"));
    source_->edit_button()->setChecked(!source_->editing());
  });
  rerun_action_ = add_command(run_menu, QStringLiteral("Run a&gain when the script is saved"), {}, [this] {
    rerun_on_save_ = !rerun_on_save_;
    rerun_action_->setChecked(rerun_on_save_);
    if (remember_) save();
  });
  rerun_action_->setCheckable(true);
  run_menu->addSeparator();
  add_command(run_menu, QString::fromUtf8("&Python …"), {}, [this] {
    bool ok = false;
    const QString path = QInputDialog::getText(
        this, QStringLiteral("Python"),
        QStringLiteral("Interpreter to run scripts with (empty: the active environment, else python3):"),
        QLineEdit::Normal, python_, &ok);
    if (ok) python_ = path.trimmed();
    if (remember_) save();
  });
  add_command(run_menu, QStringLiteral("Edit the &arguments"), {QKeySequence(QStringLiteral("Ctrl+Shift+A"))},
              [this] { top_->arguments_edit()->setFocus(); });

  QMenu* view_menu = menuBar()->addMenu(QStringLiteral("&View"));
  for (int i = 0; i < kCount; ++i) {
    const QString name = QLatin1String(kViews[i]);
    const bool number = name != QStringLiteral("diff");  // 6 and on are below the views
    const QString key = number ? QStringLiteral("Ctrl+%1").arg(i + 1) : QStringLiteral("Ctrl+D");
    add_command(view_menu, QLatin1String(kTitles[i]), {QKeySequence(key)}, [this, name] { show_view(name); });
  }
  add_command(view_menu, QStringLiteral("Findings"), {QKeySequence(QStringLiteral("Ctrl+6"))},
              [this] { show_view(QStringLiteral("findings")); });
  add_command(view_menu, QStringLiteral("Console"), {QKeySequence(QStringLiteral("Ctrl+7"))},
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
  toggle(QStringLiteral("Show or hide the inspector"), QStringLiteral("Ctrl+Shift+I"), inspector_);
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
  add_command(go, QStringLiteral("&Back"), {QKeySequence(QStringLiteral("Alt+Left"))}, [this] { selection_.back(); });
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
    const auto& cards = findings_->cards();
    if (cards.empty()) return;
    size_t next = 0;
    for (size_t i = 0; i < cards.size(); ++i) {
      if (cards[i]->hasFocus() || cards[i]->property("chosen").toBool()) next = (i + 1) % cards.size();
    }
    show_dock(0);
    cards[next]->setFocus(Qt::ShortcutFocusReason);
    Q_EMIT cards[next]->chosen();
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
    QMessageBox box(this);
    box.setWindowTitle(QStringLiteral("Keys"));
    box.setTextFormat(Qt::RichText);
    box.setText(QStringLiteral(
        "<table cellspacing='5'>"
        "<tr><td><b>F5, Shift+F5</b></td><td>run, stop</td></tr>"
        "<tr><td><b>Ctrl+K</b></td><td>search everything; > for commands</td></tr>"
        "<tr><td><b>Ctrl+1 … 5</b></td><td>Graph, Retraces, AutoGraph, Timeline, Source</td></tr>"
        "<tr><td><b>Ctrl+D, Ctrl+Shift+D</b></td><td>Diff; of the selected trace with its nearest</td></tr>"
        "<tr><td><b>Ctrl+6, 7, 0, I</b></td><td>Findings, Console, navigator, inspector</td></tr>"
        "<tr><td><b>Alt+Left, Right</b></td><td>back and forward through what was selected</td></tr>"
        "<tr><td><b>Alt+Up, Down</b></td><td>previous and next trace</td></tr>"
        "<tr><td><b>Ctrl+F</b></td><td>find in source, generated code and console</td></tr>"
        "<tr><td><b>Ctrl+E, Ctrl+S</b></td><td>edit the source, save it</td></tr>"
        "<tr><td><b>F8</b></td><td>next finding</td></tr>"
        "<tr><td><b>F4, Shift+F4</b></td><td>next and previous place in the console's errors</td></tr>"
        "<tr><td><b>Graph</b></td><td>arrows walk edges, Shift+arrows pan, + - zoom, F frames, Home all, "
        "Enter opens</td></tr>"
        "<tr><td><b>Timeline</b></td><td>W A S D zoom and pan, . and , next and previous, up and down change "
        "track, F frames</td></tr>"
        "<tr><td><b>Diff</b></td><td>. and , next and previous difference; graphs as in Graph</td></tr>"
        "</table>"));
    box.exec();
  });
  add_command(help, QStringLiteral("&About"), {}, [this] {
    QMessageBox::about(
        this, QStringLiteral("Footlight"),
        QStringLiteral("Footlight %1\n\nShows what happens when a Python function is staged into a graph.")
            .arg(QStringLiteral(FOOTLIGHT_VERSION)));
  });
}

void MainWindow::show_view(const QString& name) {
  for (int i = 0; i < kCount; ++i) {
    if (name != QLatin1String(kViews[i])) continue;
    tabs_->setCurrentIndex(i);
    static_cast<View*>(pages_->widget(i))->main_widget()->setFocus(Qt::ShortcutFocusReason);
    return;
  }
  if (name == QStringLiteral("editor")) {
    show_view(QStringLiteral("source"));
    source_->edit(place_of(session_.document(), selection_.current()));
  } else if (name == QStringLiteral("console")) {
    show_dock(1);
    console_->main_widget()->setFocus(Qt::ShortcutFocusReason);
  } else if (name == QStringLiteral("findings")) {
    show_dock(0);
    findings_->main_widget()->setFocus(Qt::ShortcutFocusReason);
  }
}

QString MainWindow::view() const { return QLatin1String(kViews[std::clamp(tabs_->currentIndex(), 0, kCount - 1)]); }

void MainWindow::compare_graphs(TraceId trace) {
  diff_->compare(trace);
  show_view(QStringLiteral("diff"));
}

void MainWindow::show_dock(int index) {
  down_->widget(1)->show();
  dock_tabs_->setCurrentIndex(index);
}

void MainWindow::choose_theme(const QString& name) {
  set_theme(name);
  for (QAction* action : theme_actions_) action->setChecked(action->data().toString() == name);
  top_->show_theme();
  context_label_->setFont(theme().code());
  for (QLabel* l : {machine_, recorded_}) l->setFont(theme().ui(-2));
  console_->show_theme();
  source_->show_theme();
  inspector_->refresh();
  findings_->reset();
  update_status();
  fill_recent();
  for (QWidget* w : findChildren<QWidget*>()) w->update();
}

void MainWindow::show_banner(const QString& text, bool error) {
  banner_->setProperty("tone", error ? "error" : "note");
  banner_->setStyleSheet(banner_->styleSheet());
  banner_text_->setText(text);
  banner_->setAccessibleName(text);
  banner_->show();
}

void MainWindow::hide_banner() { banner_->hide(); }
QString MainWindow::banner_text() const { return banner_->isVisibleTo(this) ? banner_text_->text() : QString(); }

void MainWindow::open_palette(const QString& query) {
  QStringList names;
  for (const Command& c : commands_) names << c.name;
  palette_->open(
      [this, names](const QString& text) {
        return search(session_.is_open() ? &session_.document() : nullptr, names, graph_->shown(), text);
      },
      [this](const SearchHit& hit) {
        if (hit.command >= 0) {
          const auto act = commands_[static_cast<size_t>(hit.command)].act;
          act();
          return;
        }
        if (hit.target.kind != Selection::Kind::kNothing) selection_.select(hit.target);
        show_view(hit.view);
      },
      query);
}

void MainWindow::update_welcome() {
  const bool empty = !session_.is_open() && !worker_.running();
  // Show the script in the Source tab before it runs.
  const bool show_source = view() == QStringLiteral("source") && !top_->script().isEmpty();
  centre_->setCurrentIndex(empty && !show_source ? 1 : 0);
  const bool script = !top_->script().isEmpty();
  welcome_title_->setText(script ? QFileInfo(top_->script()).fileName()
                                 : QStringLiteral("Drop a Python script or a recorded run here"));
  welcome_text_->setText(
      script ? QStringLiteral("Ready. Press Run (F5) to see what happens in it.")
             : QStringLiteral(
                   "Footlight runs the script and shows which functions were traced, how often and why."));
  recent_box_->setVisible(!script && !recent_.isEmpty());
}

void MainWindow::fill_recent() {
  recent_menu_->clear();
  auto* column = static_cast<QVBoxLayout*>(recent_box_->layout());
  while (QLayoutItem* item = column->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  column->setSpacing(3);
  if (!recent_.isEmpty()) {
    auto* caption = plain_label(QStringLiteral("RECENT"), "caption");
    column->addWidget(caption);
  }
  int shown = 0;
  for (const QString& path : recent_) {
    connect(recent_menu_->addAction(path), &QAction::triggered, this, [this, path] { open(path); });
    if (++shown > 6) continue;
    auto* link = new QPushButton(QFileInfo(path).fileName());
    link->setProperty("role", "link");
    set_tip(link, path);
    link->setCursor(Qt::PointingHandCursor);
    connect(link, &QPushButton::clicked, this, [this, path] { open(path); }, Qt::QueuedConnection);
    column->addWidget(link);
  }
  recent_menu_->setEnabled(!recent_.isEmpty());
  update_welcome();
}

}  // namespace footlight::app
