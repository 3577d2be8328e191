// How the window shows the page of a finding in place of the views, and what the page may ask for.
#include "app/views/main_window.h"
#include "app/views/view_list.h"

#include <QFileInfo>

namespace footlight::app {

void MainWindow::connect_findings() {
  connect(findings_, &FindingsView::opened, this, &MainWindow::open_finding);
  connect(finding_side_, &FindingSide::finding_chosen, this, &MainWindow::open_finding);
  connect(finding_page_, &FindingPage::closed, this, [this] { show_view(view()); });
  connect(finding_page_, &FindingPage::run_asked, this, [this] { run(); });
  connect(finding_page_, &FindingPage::difference_asked, this, [this](TraceId left, TraceId right) {
    const session::TraceRecord *a = session_.document().trace(left), *b = session_.document().trace(right);
    if (!a || !b) return;
    selection_.select(Selection::of_trace(session_.document(), right));
    diff()->compare(a->graph(), b->graph());
    show_view(QStringLiteral("diff"));
  });
  connect(finding_page_, &FindingPage::calls_asked, this, [this](const Selection& of) {
    selection_.select(of);
    show_view(QStringLiteral("retraces"));
  });
  connect(finding_page_, &FindingPage::node_asked, this, [this](const Selection& node, const QString& view) {
    selection_.select(node);
    show_view(view);
  });
  connect(finding_page_, &FindingPage::ranks_asked, this, [this](const QString& collective) {
    show_view(QStringLiteral("ranks"));
    ranks()->choose_named(collective);
  });
  connect(finding_page_, &FindingPage::place_chosen, this, [this](const QString& path, int line) {
    const session::FileId file = session_.file_anywhere(path);
    if (!file.valid()) return show_banner(QStringLiteral("There is no file ") + path);
    selection_.select(Selection::of_line(session_.document(), {file, line}));
    show_view(QStringLiteral("source"));
  });
  // Its own change is no reason to run the script once more.
  connect(finding_page_, &FindingPage::script_changed, this, [this] {
    watcher_.watch(QFileInfo::exists(top_->script()) ? QStringList{top_->script()} : QStringList{});
  });
  const auto changed = [this] {
    findings_->show_again();
    if (remember_) save();
  };
  connect(finding_page_, &FindingPage::dismissed_changed, this, changed);
  connect(findings_, &FindingsView::list_changed, this,
          [this] {
            finding_side_->set_findings(findings_->list());
            retraces()->set_findings(findings_->list());
            show_new_findings();
            land();
            note_run();
          });
  // A click on a tab gives the keys to its view, once the tab bar has dealt with the click.
  connect(tabs_, &QTabBar::tabBarClicked, this, [this](int index) {
    if (index < 0) return;
    const QString name = QLatin1String(view_list()[static_cast<size_t>(index)].name);
    QMetaObject::invokeMethod(this, [this, name] { show_view(name); }, Qt::QueuedConnection);
  });
  connect(&selection_, &SelectionModel::changed, this, [this] {
    if (selection_.source() == navigator_) close_finding();
  });
}

// Once, after a run that ended well.
void MainWindow::show_new_findings() {
  if (!findings_wanted_ || worker_.running() || findings_->busy() || findings_->count() == 0) return;
  findings_wanted_ = false;
  show_dock(0);
}

bool MainWindow::finding_is_open() const { return middle_->currentWidget() == finding_page_; }

void MainWindow::open_finding(const FindingCard& card) {
  const FindingCard& open = finding_page_->content().card;
  const bool same = open.title == card.title && open.function == card.function && open.place == card.place;
  if (!finding_is_open() || finding_page_->detached() || !same) {
    finding_page_->show_finding(finding_content(session_.document(), card));
    finding_page_->compare_runs(previous_run_, session_.path());
  }
  middle_->setCurrentWidget(finding_page_);
  side_->setCurrentWidget(finding_side_);
  finding_side_->set_chosen(card);
  finding_page_->setFocus(Qt::OtherFocusReason);
}

void MainWindow::close_finding() {
  middle_->setCurrentWidget(down_);
  side_->setCurrentWidget(inspector_);
}

}  // namespace footlight::app
