// Builds the page and applies its edits.
#include "app/views/finding_page.h"

#include "app/models/text.h"
#include "app/session/script_edit.h"
#include "app/views/labels.h"
#include "app/views/theme.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QScrollBar>

#include <utility>

namespace footlight::app {
namespace {
constexpr int kNarrow = 900, kNarrowButtons = 720;
}

FindingPage::FindingPage(const Context& context, Dismissed* dismissed, QWidget* parent)
    : QScrollArea(parent), context_(context), dismissed_(dismissed) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(QStringLiteral("Finding"));
  connect(&compare_, &RunCompare::finished, this, [this](const RunPair& pair) {
    pair_ = pair;
    compared_ = true;
    table_->set_runs(content_.card.function, pair_);
  });
}

void FindingPage::show_finding(const FindingContent& content) {
  content_ = content;
  detached_ = applied_ = compared_ = false;
  note_text_.clear();
  before_.clear();
  after_.clear();
  compare_.cancel();
  setAccessibleName(QStringLiteral("Finding: ") + content_.card.title);
  build();
  verticalScrollBar()->setValue(0);
}

void FindingPage::build() {
  body_ = new QFrame;
  body_->setObjectName(QStringLiteral("findingBody"));
  body_->setProperty("tone", content_.card.tone);
  auto* column = new QVBoxLayout(body_);
  column->setContentsMargins(24, 16, 24, 18);
  column->setSpacing(0);
  of_this_run_.clear();
  column->addWidget(make_head());
  column->addSpacing(8);
  auto* about = plain_label(content_.about, "dim");
  about->setWordWrap(true);
  column->addWidget(about);
  if (!content_.evidence.empty()) {
    column->addSpacing(16);
    column->addWidget(plain_label(QStringLiteral("Evidence"), "group"));
    column->addSpacing(7);
    column->addWidget(make_evidence());
  }
  column->addSpacing(16);
  auto* fixes = new QHBoxLayout;
  fixes->addWidget(plain_label(QStringLiteral("Fix"), "group"));
  tabs_ = new Tabs(true);
  tabs_->set_cuts(true);
  tabs_->setAccessibleName(QStringLiteral("Fixes"));
  for (const FixContent& f : content_.fixes)
    tabs_->setTabToolTip(tabs_->addTab(f.title.size() > 48 ? f.title.left(46) + QString::fromUtf8(" …") : f.title),
                         plain_tip(f.title));
  fixes->addWidget(tabs_, 1);
  column->addLayout(fixes);
  column->addSpacing(4);
  fix_check_ = plain_label({}, "dim");
  fix_check_->setWordWrap(true);
  column->addWidget(fix_check_);
  column->addSpacing(6);
  edit_ = new EditView;
  auto* card = card_with(edit_);
  column->addWidget(card);
  column->addSpacing(12);
  make_buttons(column);
  column->addSpacing(8);
  note_ = plain_label();
  note_->setWordWrap(true);
  column->addWidget(note_);
  column->addSpacing(10);
  table_title_ = plain_label(QStringLiteral("After the last run"), "group");
  column->addWidget(table_title_);
  column->addSpacing(7);
  table_ = new RunTable;
  column->addWidget(table_);
  column->addStretch(1);
  auto* outer = new QWidget;
  auto* around = new QVBoxLayout(outer);
  around->setContentsMargins(20, 16, 20, 16);
  around->addWidget(body_);
  setWidget(outer);
  connect(tabs_, &QTabBar::currentChanged, this, &FindingPage::show_fix);
  show_fix();
  say(note_text_, note_is_error_);
  const bool runs = running_ || compared_ || !before_.isEmpty();
  table_title_->setVisible(runs);
  table_->setVisible(runs);
  if (compared_) table_->set_runs(content_.card.function, pair_);
  if (detached_) detach();
  arrange();
}

QWidget* FindingPage::make_head() {
  auto* head = new QWidget;
  head_ = new QGridLayout(head);
  head_->setContentsMargins(0, 0, 0, 0);
  head_->setHorizontalSpacing(16);
  head_->setColumnStretch(2, 1);
  links_ = new QWidget;
  auto* row = new QHBoxLayout(links_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(16);
  const QString number = content_.card.number;
  auto* title = new ElidedLabel(number.isEmpty() ? content_.card.title
                                                 : number + QStringLiteral(": ") + content_.card.title);
  title->setProperty("role", "title");
  head_->addWidget(title, 0, 0);
  if (!content_.card.function.isEmpty()) {
    auto* function = new LinkButton(content_.card.function, true);
    function->setAccessibleName(QStringLiteral("Show the function ") + content_.card.function);
    connect(function, &QPushButton::clicked, this, [this] { Q_EMIT calls_asked(content_.card.target); });
    of_this_run_.push_back(function);
    row->addWidget(function);
  }
  if (!content_.card.place_text.isEmpty()) {
    auto* place = new LinkButton(content_.card.place_text, true);
    place->setAccessibleName(QStringLiteral("Go to ") + content_.card.place_text);
    connect(place, &QPushButton::clicked, this,
            [this] { Q_EMIT place_chosen(content_.path, content_.card.place.line); });
    row->addWidget(place);
  }
  check_ = new ElidedLabel(content_.card.checked ? QString::fromUtf8("✓ ") + content_.card.check
                                                 : content_.card.check);
  if (content_.card.checked) check_->setStyleSheet(QStringLiteral("color: ") + theme()["green"].name());
  else check_->setProperty("role", "dim");
  check_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the title goes first
  auto* close = new QPushButton(QStringLiteral("Close"));
  close->setAccessibleName(QStringLiteral("Close the finding"));
  set_tip(close, QStringLiteral("Back to the views (Esc)"));
  connect(close, &QPushButton::clicked, this, &FindingPage::closed);
  head_->addWidget(close, 0, 3);
  return head;
}

// Puts links and check below the title, and the buttons in two rows, if the window is narrow.
void FindingPage::arrange() {
  const bool narrow = viewport()->width() < kNarrow;
  for (QWidget* moved : {links_, static_cast<QWidget*>(check_)}) head_->removeWidget(moved);
  if (narrow) {
    head_->addWidget(links_, 1, 0, 1, 4, Qt::AlignLeft);
    head_->addWidget(check_, 2, 0, 1, 4);
  } else {
    head_->addWidget(links_, 0, 1);
    head_->addWidget(check_, 0, 2);
  }
  check_->setAlignment((narrow ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  buttons_->setDirection(viewport()->width() < kNarrowButtons ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void FindingPage::resizeEvent(QResizeEvent* event) {
  if (body_) arrange();
  QScrollArea::resizeEvent(event);
}

QWidget* FindingPage::make_evidence() {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* grid = new QGridLayout(card);
  grid->setContentsMargins(16, 10, 16, 10);
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(1, 1);
  int at = 0;
  for (const EvidenceRow& r : content_.evidence) {
    auto* name = new ElidedLabel(r.name);
    name->setProperty("role", "dim");
    name->setMinimumWidth(90);
    name->setMaximumWidth(150);
    grid->addWidget(name, at, 0, Qt::AlignTop);
    auto* value = plain_label(r.value);
    value->setFont(theme().code());
    value->setWordWrap(true);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setAccessibleName(r.name + QLatin1Char(' ') + r.value);
    grid->addWidget(value, at, 1, 1, r.action == EvidenceRow::Action::kNone ? 2 : 1);
    if (r.action != EvidenceRow::Action::kNone) {
      auto* link = new LinkButton(r.link, r.action == EvidenceRow::Action::kPlace);
      link->setAccessibleDescription(r.name);
      if (r.action != EvidenceRow::Action::kPlace) of_this_run_.push_back(link);
      connect(link, &QPushButton::clicked, this, [this, r] {
        if (r.action == EvidenceRow::Action::kPlace) Q_EMIT place_chosen(r.path, r.line);
        else if (r.action == EvidenceRow::Action::kCalls) Q_EMIT calls_asked(content_.card.target);
        else if (r.action == EvidenceRow::Action::kRanks) Q_EMIT ranks_asked(q(content_.card.finding->collective));
        else if (r.action == EvidenceRow::Action::kGraph)
          Q_EMIT node_asked(content_.card.target, QStringLiteral("graph"));
        else if (r.action == EvidenceRow::Action::kValues)
          Q_EMIT node_asked(content_.card.target, QStringLiteral("values"));
        else Q_EMIT difference_asked(content_.card.finding->pair.left, content_.card.finding->pair.right);
      });
      grid->addWidget(link, at, 2, Qt::AlignRight | Qt::AlignTop);
    }
    ++at;
  }
  return card;
}

void FindingPage::make_buttons(QVBoxLayout* column) {
  buttons_ = new QBoxLayout(QBoxLayout::LeftToRight);
  buttons_->setSpacing(10);
  auto *first = new QHBoxLayout, *second = new QHBoxLayout;
  QHBoxLayout* row = first;
  for (QHBoxLayout* each : {first, second}) {
    each->setSpacing(10);
    buttons_->addLayout(each);
  }
  const auto button = [&](const QString& text, const QString& tip, auto&& act) {
    auto* made = new QPushButton(text);
    set_tip(made, tip);
    connect(made, &QPushButton::clicked, this, act);
    row->addWidget(made);
    return made;
  };
  apply_run_ = button(QStringLiteral("Apply and run again"),
                      QStringLiteral("Write the edit into the script and run it"), [this] {
                        if (apply()) Q_EMIT run_asked();
                      });
  apply_run_->setObjectName(QStringLiteral("runButton"));
  apply_ = button(QStringLiteral("Apply"), QStringLiteral("Write the edit into the script"), [this] { apply(); });
  undo_ = button(QStringLiteral("Undo"), QStringLiteral("Write the script as it was"), [this] { undo(); });
  row = second;
  copy_ = button(QStringLiteral("Copy edit"), QStringLiteral("As a patch"), [this] {
    if (const FixContent* f = fix()) QGuiApplication::clipboard()->setText(as_patch(f->path, f->lines));
  });
  markdown_ = button(QStringLiteral("Copy as Markdown"), QStringLiteral("For a bug report"), [this] {
    const int index = tabs_->currentIndex();
    QGuiApplication::clipboard()->setText(as_markdown(content_, static_cast<size_t>(std::max(0, index))));
  });
  dismiss_ = button({}, QStringLiteral("Remembered for this script, cause and line"), [this] {
    dismissed_->set(content_.key, !dismissed_->contains(content_.key));
    show_fix();
    Q_EMIT dismissed_changed();
  });
  first->addStretch(0);
  second->addStretch(1);
  buttons_->addStretch(1);
  column->addLayout(buttons_);
}

const FixContent* FindingPage::fix() const {
  const int index = tabs_->currentIndex();
  return index < 0 ? nullptr : &content_.fixes[static_cast<size_t>(index)];
}

void FindingPage::show_fix() {
  const FixContent* f = fix();
  const bool edit = f && !f->path.isEmpty(), code = f && !f->lines.empty();
  QString said = f ? (f->checked ? QString::fromUtf8("✓ ") : QString()) + f->check : QString();
  if (f && f->title.size() > 48) said = f->title + QStringLiteral(". ") + said;
  if (f && !edit) said += QStringLiteral(". This needs more than a one-line edit; make it in your editor.");
  fix_check_->setText(said);
  edit_->parentWidget()->setVisible(code);
  if (code) edit_->set_lines(dedented(f->lines));
  for (QPushButton* b : {apply_run_, apply_}) {
    b->setVisible(edit);
    b->setEnabled(edit && !applied_ && !running_);
  }
  if (!can_run_) apply_run_->hide();
  copy_->setVisible(edit);
  undo_->setVisible(applied_);
  undo_->setEnabled(!running_);
  dismiss_->setVisible(!content_.key.isEmpty());
  dismiss_->setText(dismissed_->contains(content_.key) ? QStringLiteral("Mark as a problem")
                                                       : QStringLiteral("Not a problem here"));
}

bool FindingPage::apply() {
  const FixContent* f = fix();
  if (!f || f->path.isEmpty() || applied_ || running_) return false;
  const QString problem = replace_text(f->path, f->before, f->after);
  if (!problem.isEmpty()) {
    say(problem, true);
    return false;
  }
  applied_ = true;
  applied_fix_ = *f;
  show_fix();
  say(QStringLiteral("Written to %1.").arg(f->path), false);
  Q_EMIT script_changed(f->path);
  return true;
}

void FindingPage::undo() {
  const QString problem = replace_text(applied_fix_.path, applied_fix_.after, applied_fix_.before);
  say(problem.isEmpty() ? QStringLiteral("%1 is as it was.").arg(applied_fix_.path) : problem, !problem.isEmpty());
  if (!problem.isEmpty()) return;
  applied_ = false;
  show_fix();
  Q_EMIT script_changed(applied_fix_.path);
}

void FindingPage::say(const QString& text, bool error) {
  note_text_ = text;
  note_is_error_ = error;
  note_->setVisible(!text.isEmpty());
  note_->setText(text);
  note_->setStyleSheet(QStringLiteral("color: ") + theme()[error ? "red" : "dim"].name());
}

void FindingPage::detach() {
  detached_ = true;
  for (QWidget* w : of_this_run_) {
    w->setEnabled(false);
    set_tip(w, QStringLiteral("From an earlier run"));
  }
}

void FindingPage::set_can_run(bool can_run) {
  if (can_run == std::exchange(can_run_, can_run) || !body_) return;
  show_fix();
}

void FindingPage::set_running(bool running) {
  if (running == running_ || !body_) return;
  running_ = running;
  if (running && applied_) {
    table_title_->show();
    table_->show();
    table_->set_text(QString::fromUtf8("Running …"));
  }
  show_fix();
}

void FindingPage::compare_runs(const QString& before, const QString& after) {
  if (!content_.card.finding || before.isEmpty() || after.isEmpty() || before == after) return;
  before_ = before;
  after_ = after;
  table_title_->show();
  table_->show();
  table_->set_text(QString::fromUtf8("Comparing the two runs …"));
  compare_.start(before, after, content_.card.function, content_.card.finding->cause);
}

void FindingPage::show_theme() {
  if (body_) build();
}

void FindingPage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) Q_EMIT closed();
  else QScrollArea::keyPressEvent(event);
}

}  // namespace footlight::app
