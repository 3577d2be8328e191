// The window's widgets, and which of them is shown.
#include "app/models/text.h"
#include "app/models/why_not_run.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/main_window.h"
#include "app/views/paint.h"
#include "app/views/view_list.h"
#include "engine/explain/engines.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QStyle>
#include <QToolButton>

namespace footlight::app {
void MainWindow::build_widgets() {
  auto* central = new QWidget;
  central->setObjectName(QStringLiteral("central"));
  auto* column = column_in(central, {}, 0);
  top_ = new TopBar;
  column->addWidget(top_);

  banner_ = new QFrame;
  banner_->setObjectName(QStringLiteral("banner"));
  auto* banner_row = row_in(banner_, {18, 7, 10, 7});
  banner_text_ = plain_label();
  banner_text_->setWordWrap(true);
  banner_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  banner_row->addWidget(banner_text_, 1);
  auto* dismiss = new QToolButton;
  dismiss->setText(QStringLiteral("Dismiss"));
  dismiss->setAccessibleName(QStringLiteral("Dismiss the message"));
  banner_row->addWidget(dismiss);
  connect(dismiss, &QToolButton::clicked, this, &MainWindow::hide_banner);
  column->addWidget(banner_);
  banner_->hide();

  across_ = splitter(Qt::Horizontal, 1);
  navigator_ = new NavigatorPanel(context_);
  navigator_->setMinimumWidth(170);
  across_->addWidget(navigator_);

  auto* middle = new QWidget;
  auto* middle_column = column_in(middle, {}, 0);
  auto* head = new QWidget;
  head->setObjectName(QStringLiteral("centreHead"));
  head->setAttribute(Qt::WA_StyledBackground);
  auto* head_row = row_in(head, {12, 0, 18, 1});
  tabs_ = new Tabs(true);
  tabs_->setAccessibleName(QStringLiteral("Views"));
  head_row->addWidget(tabs_);
  head_row->addStretch(1);
  context_label_ = elided_label({}, "dim");
  context_label_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  context_label_->setFont(theme().code());
  head_row->addWidget(context_label_);
  middle_column->addWidget(head);

  down_ = splitter(Qt::Vertical, 1);
  pages_ = new QStackedWidget;
  for (const ViewEntry& view : view_list()) {
    tabs_->addTab(QLatin1String(view.title));
    pages_->addWidget(view.make(context_));
  }
  pages_->setMinimumHeight(160);
  down_->addWidget(pages_);

  auto* dock = new QWidget;
  dock->setObjectName(QStringLiteral("dock"));
  dock->setAttribute(Qt::WA_StyledBackground);
  auto* dock_column = column_in(dock, {0, 1, 0, 0}, 2);
  auto* dock_head = row_in(nullptr, {2, 0, 12, 0});
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
  connect(down_, &QSplitter::splitterMoved, this, [this] { dock_by_hand_ = true; });
  finding_page_ = new FindingPage(context_, &findings_->dismissed());
  middle_ = new QStackedWidget;
  middle_->addWidget(down_);
  middle_->addWidget(finding_page_);
  middle_column->addWidget(middle_, 1);
  across_->addWidget(middle);
  inspector_ = new InspectorPanel(context_);
  finding_side_ = new FindingSide;
  side_ = new QStackedWidget;
  side_->addWidget(inspector_);
  side_->addWidget(finding_side_);
  side_->setMinimumWidth(220);
  across_->addWidget(side_);
  across_->setStretchFactor(0, 0);
  across_->setStretchFactor(1, 1);
  across_->setStretchFactor(2, 0);
  across_->setSizes({236, 1053, 311});
  whole_ = new QStackedWidget;
  whole_->addWidget(across_);
  welcome_ = new WelcomePage;
  whole_->addWidget(welcome_);
  column->addWidget(whole_, 1);

  auto* status = new QWidget;
  status->setObjectName(QStringLiteral("statusLine"));
  status->setAttribute(Qt::WA_StyledBackground);
  status->setFixedHeight(26);
  auto* status_row = row_in(status, {14, 1, 14, 0});
  machine_ = elided_label({}, "faint");
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

// The dock's share, until somebody has moved its edge.
void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (dock_by_hand_) return;
  constexpr int kShort = 700, kOneCard = 100;
  const int dock = height() < kShort ? kOneCard : std::clamp(height() / 5, 112, 172);
  down_->setSizes({std::max(160, height() - dock), dock});
}

bool MainWindow::has_view(const QString& name) const {
  const auto views = view_list();
  const auto at = std::ranges::find(views, name, [](const ViewEntry& view) { return QLatin1String(view.name); });
  return at == views.end() || !at->suits || at->suits(session_.document());
}

// A view for which the recording has nothing has neither tab nor command.
void MainWindow::show_tabs_of_document() {
  if (session_.loading() && session_.document().processes.empty()) return;  // nothing has been read yet
  for (int at = 0; const ViewEntry& view : view_list()) {
    const bool shown = !view.suits || view.suits(session_.document());
    if (!shown && tabs_->currentIndex() == at) tabs_->setCurrentIndex(1);
    tabs_->setTabVisible(at, shown);
    view_actions_[at]->setVisible(shown);
    view_actions_[at]->setEnabled(shown);
    ++at;
  }
}

void MainWindow::show_view(const QString& name) {
  if (!has_view(name)) return;
  close_finding();
  view_chosen_ = true;
  if (std::exchange(welcome_asked_, false)) update_welcome();
  const auto views = view_list();
  const auto at = std::ranges::find(views, name, [](const ViewEntry& view) { return QLatin1String(view.name); });
  if (at != views.end()) {
    const auto index = static_cast<int>(at - views.begin());
    tabs_->setCurrentIndex(index);
    static_cast<View*>(pages_->widget(index))->main_widget()->setFocus(Qt::ShortcutFocusReason);
    return;
  }
  if (name == QStringLiteral("editor")) {
    show_view(QStringLiteral("source"));
    source()->edit(place_of(session_.document(), selection_.current()));
  } else if (name == QStringLiteral("console")) {
    show_dock(1);
    console_->main_widget()->setFocus(Qt::ShortcutFocusReason);
  } else if (name == QStringLiteral("findings")) {
    show_dock(0);
    findings_->main_widget()->setFocus(Qt::ShortcutFocusReason);
  }
}

QString MainWindow::view() const {
  return QLatin1String(view_list()[static_cast<size_t>(std::max(0, tabs_->currentIndex()))].name);
}

void MainWindow::compare_graphs(TraceId trace) {
  diff()->compare(trace);
  show_view(QStringLiteral("diff"));
}

// Compares an earlier recording with the open one, whole with whole.
void MainWindow::compare_with(const QString& path) {
  show_view(QStringLiteral("compare"));
  compare()->offer_recorded();
  compare()->sides()->offer({path, {}}, {});
  compare()->compare_recorded({path, {}}, {});
}

void MainWindow::ask_what_to_compare_with() {
  if (!session_.is_open())
    return show_banner(QStringLiteral("Open a recording first: the one chosen here is compared with it."), false);
  const QString path = QFileDialog::getOpenFileName(
      this, QStringLiteral("An earlier recording, to compare with this one"), {},
      QStringLiteral("Recordings (*.footlight *.json *.gz *.pb *.pftrace *.perfetto-trace *.sqlite);;All files (*)"));
  if (!path.isEmpty()) compare_with(path);
}

bool MainWindow::open_to_compare(const QString& before, const QString& after) {
  if (!QFileInfo::exists(before)) {
    show_banner(QStringLiteral("There is no file ") + before);
    return false;
  }
  if (!open(after)) return false;
  compare_wanted_ = QFileInfo(before).absoluteFilePath();
  return true;
}

void MainWindow::compare_when_read() {
  if (compare_wanted_.isEmpty() || !session_.is_open() || session_.loading()) return;
  compare_with(std::exchange(compare_wanted_, {}));
}

// Turns off what runs the script of a recording without one, and says why where that is looked for.
void MainWindow::update_why_not_run() {
  const Document& d = session_.document();
  const bool is_of_recording = session_.is_open() && q(d.run.script) == top_->script() && !worker_.running();
  const QString why = is_of_recording ? why_not_run(d) : QString();
  top_->set_why_not_run(why);
  for (QAction* action : script_actions_) {
    action->setEnabled(why.isEmpty());
    action->setProperty("toolTip", why.isEmpty() ? action->iconText() : plain_tip(why));
    action->setStatusTip(why);
    for (QObject* object : action->associatedObjects())
      if (auto* menu = qobject_cast<QMenu*>(object)) menu->setToolTipsVisible(!why.isEmpty());
  }
  finding_page_->set_can_run(why.isEmpty());
}

// A script that imports TensorFlow is run under Footlight's engine unless TensorFlow is asked for.
void MainWindow::run_under_recorded_engine() {
  recorded_engine_.clear();
  session_.queries().ask(
      engine_asked_,
      [](const query::Store& store, const query::Cancel&) { return store.reader().contents().processes; },
      [this](const std::vector<session::ProcessRecord>& processes) {
        recorded_engine_ = explain::has_tensorflow(processes) ? QStringLiteral("tensorflow") : QString();
      });
}

// The same script once more, which repeats a call when it gets there.
void MainWindow::compare_runs(const ComparePlan& plan) {
  if (worker_.running()) {
    show_banner(QStringLiteral("A script is running. Stop it before a call is compared."), false);
    return;
  }
  run(words_of(plan));
  if (!worker_.running()) return;
  compare()->run_started(plan);
  show_view(QStringLiteral("compare"));
}

// The same script once more, with a call, or all, looked at node by node.
void MainWindow::record_values(const ValuesPlan& plan) {
  if (worker_.running()) {
    show_banner(QStringLiteral("A script is running. Stop it before values are recorded."), false);
    return;
  }
  run(words_of(plan));
  if (!worker_.running()) return;
  values()->run_started(plan);
  show_view(QStringLiteral("values"));
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
  source()->show_theme();
  sql()->editor()->show_theme();
  inspector_->refresh();
  findings_->show_again();
  finding_page_->show_theme();
  update_status();
  welcome_->show_samples();
  fill_recent();
  for (QWidget* w : findChildren<QWidget*>()) w->update();
}

void MainWindow::show_banner(const QString& text, bool error) {
  banner_->setProperty("tone", error ? "error" : "note");
  banner_->style()->unpolish(banner_);
  banner_->style()->polish(banner_);  // rules that ask for the tone count anew
  banner_text_->setText(beginning_of(text, kMaxShownBanner));
  banner_->setAccessibleName(text);
  banner_->show();
}

void MainWindow::hide_banner() { banner_->hide(); }
QString MainWindow::banner_text() const { return banner_->isVisibleTo(this) ? banner_text_->text() : QString(); }

void MainWindow::open_palette(const QString& query) {
  QStringList names;
  std::vector<size_t> shown;  // commands that can be run, and those that say why they cannot
  for (size_t i = 0; i < commands_.size(); ++i) {
    if (!commands_[i].action->isEnabled() && !script_actions_.contains(commands_[i].action)) continue;
    names << commands_[i].name;
    shown.push_back(i);
  }
  palette_->open(
      [this, names, shown](const QString& text) {
        std::vector<SearchHit> hits =
            search(session_.is_open() ? &session_.document() : nullptr, names, graph()->shown(), text);
        for (SearchHit& hit : hits) {
          if (hit.command < 0) continue;
          const bool is_off = !commands_[shown[static_cast<size_t>(hit.command)]].action->isEnabled();
          if (is_off) hit.why_not = why_not_run(session_.document());
        }
        return hits;
      },
      [this, shown](const SearchHit& hit) {
        if (!hit.why_not.isEmpty()) return show_banner(hit.why_not, false);
        if (hit.command >= 0) {
          const auto act = commands_[shown[static_cast<size_t>(hit.command)]].act;
          act();
          return;
        }
        if (hit.target.kind != Selection::Kind::kNothing) selection_.select(hit.target);
        show_view(hit.view);
      },
      query);
}

}  // namespace footlight::app
