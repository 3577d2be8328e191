// Chooses the graphs, has them compared beside the window's thread, and ties pictures and list to the selection.
#include "app/views/diff_view.h"

#include "app/models/graph_find.h"
#include "app/models/text.h"
#include "app/views/layouts.h"

#include <QShortcut>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kSlowMs = 500;

QString sentence_of(const explain::GraphDiff& diff) {
  QString text = q(diff.sentence);
  text[0] = text[0].toUpper();
  if (diff.counts.differences() == 0) text += QStringLiteral(": both do the same work");
  return text + QLatin1Char('.');
}

}  // namespace

DiffView::DiffView(const Context& context, QWidget* parent) : View(context, parent), worker_(this), model_(this) {
  auto* column = column_in(this, {20, 12, 20, 8}, 10);
  build_head(column);

  auto* across = splitter(Qt::Horizontal, 12);
  left_pane_ = new DiffPane;
  right_pane_ = new DiffPane;
  one_pane_ = new DiffPane;
  for (DiffPane* pane : {left_pane_, right_pane_, one_pane_}) {
    across->addWidget(pane);
    connect(pane, &DiffPane::place_chosen, this, &DiffView::choose);
  }
  list_ = new Table(&model_, QStringLiteral("Differences"));
  auto* down = splitter(Qt::Vertical, 10);
  down->addWidget(across);
  down->addWidget(list_);
  down->setStretchFactor(0, 1);
  down->setSizes({480, 150});
  column->addWidget(down, 1);

  for (const auto& [key, by] : {std::pair(Qt::Key_Period, 1), std::pair(Qt::Key_Comma, -1)})
    connect(new QShortcut(QKeySequence(key), this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut),
            &QShortcut::activated, this, [this, by = by] { step(by); });
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (following_ || !now.isValid() || !diff_) return;
    const DiffPlace place = model_.place_at(now.row());
    choose(place, diff_->node(place, false) ? DiffPart::kRight : DiffPart::kLeft);
  });
  connect(list_, &QTableView::activated, this, [this] { Q_EMIT wants_view(QStringLiteral("source")); });
  connect(&worker_, &DiffWorker::finished, this, &DiffView::took);
  connect(&worker_, &DiffWorker::failed, this,
          [this](const QString& reason) { say_nothing(QStringLiteral("The graphs were not compared: ") + reason); });
  slow_.setInterval(kSlowMs);
  connect(&slow_, &QTimer::timeout, this, [this] {
    progress_text_->setText(QString::fromUtf8("Comparing the graphs … ") + duration_text(since_.nsecsElapsed()));
    progress_->show();
  });
  reset();
}

void DiffView::build_head(QVBoxLayout* column) {
  auto* head = row_in(nullptr, {}, 8);
  const auto choice = [&](const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    set_tip(box, name + QStringLiteral(": function, trace and stage"));
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setMinimumWidth(84);
    box->setMaximumWidth(280);
    connect(box, &QComboBox::activated, this, [this] {
      const auto graph = [this](const QComboBox* from) {
        const int at = from->currentIndex();
        return at < 0 ? GraphId() : choices_[static_cast<size_t>(at)].graph;
      };
      by_hand_ = true;
      compare(graph(left_choice_), graph(right_choice_));
    });
    return box;
  };
  left_choice_ = choice(QStringLiteral("Left graph"));
  right_choice_ = choice(QStringLiteral("Right graph"));
  head->addWidget(left_choice_);
  auto* against = elided_label(QStringLiteral("against"), "dim");
  head->addWidget(against);
  head->addWidget(right_choice_);
  head->addSpacing(12);
  counts_ = elided_label({}, "dim");
  head->addWidget(counts_, 1);
  modes_ = new QButtonGroup(this);
  const std::pair<const char*, const char*> modes[] = {
      {"Side by side", "Both graphs beside each other"},
      {"Merged", "Both graphs as one: what they share once, what only one has in its colour"},
      {"Only changes", "What differs, with its direct neighbours"}};
  for (const auto& [text, tip] : modes) {
    QPushButton* chip = chip_switch(QLatin1String(text), QLatin1String(tip));
    modes_->addButton(chip, static_cast<int>(modes_->buttons().size()));
    head->addWidget(chip);
  }
  modes_->button(kSideBySide)->setChecked(true);
  connect(modes_, &QButtonGroup::idClicked, this, [this](int id) { set_mode(static_cast<Mode>(id)); });
  column->addLayout(head);

  verdict_ = new QFrame;
  verdict_->setObjectName(QStringLiteral("verdict"));
  auto* says = row_in(verdict_, {16, 9, 16, 9});
  verdict_text_ = plain_label();
  verdict_text_->setWordWrap(true);
  verdict_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  says->addWidget(verdict_text_, 1);
  finding_ = new LinkButton(QStringLiteral("Show the findings"), false);
  connect(finding_, &QPushButton::clicked, this, [this] { Q_EMIT wants_view(QStringLiteral("findings")); });
  says->addWidget(finding_);
  column->addWidget(verdict_);

  progress_ = new QFrame;
  progress_->setProperty("role", "card");
  auto* row = row_in(progress_, {16, 6, 10, 6});
  progress_text_ = plain_label({}, "dim");
  row->addWidget(progress_text_, 1);
  QPushButton* stop = chip_button(QStringLiteral("Cancel"));
  connect(stop, &QPushButton::clicked, this, [this] {
    worker_.cancel();
    say_nothing(QStringLiteral("Cancelled. Choose two graphs to compare."));
  });
  row->addWidget(stop);
  column->addWidget(progress_);
}

DiffPane* DiffView::pane(DiffPart part) {
  return part == DiffPart::kLeft ? left_pane_ : part == DiffPart::kRight ? right_pane_ : one_pane_;
}

bool DiffView::busy() const {
  return worker_.running() || left_pane_->busy() || right_pane_->busy() || one_pane_->busy();
}

void DiffView::reset() {
  worker_.cancel();
  by_hand_ = wanted_ = false;
  left_ = right_ = {};
  graphs_known_ = 0;
  fill_choices();
  say_nothing(QStringLiteral("Choose two graphs to compare."));
  follow_selection();
}

void DiffView::refresh() {
  if (isVisible()) fill_choices();  // else when it is shown: a run may add thousands
  if (!right_.valid() || (!left_.valid() && !by_hand_)) follow_selection();  // a run adds traces to compare with
}

void DiffView::fill_choices() {
  if (graphs_known_ == document().graphs.size() && graphs_known_) return;
  graphs_known_ = document().graphs.size();
  choices_ = graph_choices(document());
  for (QComboBox* box : {left_choice_, right_choice_}) {
    box->clear();
    for (const GraphChoice& c : choices_) {
      box->addItem(c.text);
      box->setItemData(box->count() - 1, plain_tip(c.detail), Qt::ToolTipRole);
    }
    box->setEnabled(!choices_.empty());
  }
  compare(left_, right_);
}

void DiffView::say_nothing(const QString& message) {
  slow_.stop();
  progress_->hide();
  verdict_->hide();
  counts_->clear();
  diff_.reset();
  model_.set_diff(nullptr, nullptr);
  for (DiffPane* pane : {left_pane_, right_pane_, one_pane_}) pane->clear(message);
  show_panes();
}

// True if the selection is a node of the graphs that are shown.
bool DiffView::show_selected() {
  const Selection& s = current();
  if (!diff_ || s.node == UINT32_MAX || !diff_->holds(s.graph)) return false;
  if (const auto place = diff_->find(s.graph, s.node)) show_chosen(place, context_.selection->source() != this);
  return true;
}

void DiffView::follow_selection() {
  const Selection& s = current();
  if (show_selected()) return;
  if (by_hand_ && s.kind != Selection::Kind::kTrace) return;
  const session::TraceRecord* t = document().trace(s.trace);
  if (!t) {
    const auto traces = document().traces_of(s.function);
    if (!traces.empty()) t = traces.front();
  }
  if (t && (!left_.valid() || (t->graph() != left_ && t->graph() != right_))) compare(t->id);
}

void DiffView::compare(TraceId trace) {
  const session::TraceRecord* t = document().trace(trace);
  if (!t) return;
  by_hand_ = false;
  const session::TraceRecord* other = compared_with(document(), *t);
  if (!other || !document().graph(t->graph())) {
    left_ = {};
    right_ = t->graph();
    worker_.cancel();
    say_nothing(document().graph(t->graph())
                    ? QStringLiteral("This is the only trace of its function with a graph. Choose another graph above.")
                    : QStringLiteral("The graph of this trace was not recorded."));
    compare(left_, right_);
    return;
  }
  if (other->number < t->number) compare(other->graph(), t->graph());
  else compare(t->graph(), other->graph());
}

void DiffView::compare(GraphId left, GraphId right) {
  const bool same = left == left_ && right == right_;
  left_ = left;
  right_ = right;
  for (const auto& [box, graph] : {std::pair(left_choice_, left), std::pair(right_choice_, right)}) {
    const auto at = std::find_if(choices_.begin(), choices_.end(), [&](const auto& c) { return c.graph == graph; });
    box->setCurrentIndex(at == choices_.end() ? -1 : static_cast<int>(at - choices_.begin()));
  }
  wanted_ = document().graph(left) && document().graph(right) && !(same && (diff_ || worker_.running()));
  if (!wanted_) return;
  if (isVisible()) start();
}

void DiffView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  fill_choices();
  if (wanted_) start();
}

void DiffView::start() {
  wanted_ = false;
  since_.start();
  slow_.start();
  worker_.start(diff_input(document(), left_, right_));
}

void DiffView::took(std::shared_ptr<const GraphsDiff> diff) {
  slow_.stop();
  progress_->hide();
  diff_ = std::move(diff);
  following_ = true;
  model_.set_diff(&document(), diff_);
  list_->fit_columns();
  following_ = false;
  const explain::DiffCounts& n = diff_->diff().counts;
  counts_->setText(QStringLiteral("%1 same, %2 changed, %3 only on the left, %4 only on the right")
                       .arg(n.same)
                       .arg(n.changed)
                       .arg(n.only_left)
                       .arg(n.only_right));
  verdict_text_->setText(sentence_of(diff_->diff()));
  verdict_->setAccessibleName(verdict_text_->text());
  verdict_->setProperty("tone", n.differences() ? "differs" : "same");
  verdict_->setStyleSheet(verdict_->styleSheet());  // looks the tone up again
  verdict_->show();
  set_findings(findings_);
  show_panes();
  show_selected();
  // Begin at the first difference, but leave the window's selection alone.
  if (!list_->currentIndex().isValid() && model_.rowCount()) show_chosen(model_.place_at(0), true);
}

void DiffView::set_findings(int count) {
  findings_ = count;
  finding_->setVisible(count > 0);
}

void DiffView::set_mode(Mode mode) {
  mode_ = mode;
  modes_->button(mode)->setChecked(true);
  show_panes();
}

void DiffView::show_panes() {
  const bool two = mode_ == kSideBySide;
  left_pane_->setVisible(two);
  right_pane_->setVisible(two);
  one_pane_->setVisible(!two);
  if (!diff_) return;
  const auto choice = [this](GraphId graph) {
    const auto at = std::find_if(choices_.begin(), choices_.end(), [&](const auto& c) { return c.graph == graph; });
    return at == choices_.end() ? GraphChoice() : *at;
  };
  const GraphChoice left = choice(diff_->left()), right = choice(diff_->right());
  if (two) {
    const auto records = [this](GraphId graph) { return [this, graph] { return graph_part(document(), graph); }; };
    left_pane_->show_part(diff_, records(diff_->left()), DiffPart::kLeft, left.text, left.detail);
    right_pane_->show_part(diff_, records(diff_->right()), DiffPart::kRight, right.text, right.detail);
  } else {
    const bool all = mode_ == kMerged;
    const auto merged = [this] { return std::shared_ptr<const Document>(diff_, &diff_->merged()); };
    one_pane_->show_part(diff_, merged, all ? DiffPart::kMerged : DiffPart::kChanges,
                         left.text + QString::fromUtf8(" → ") + right.text,
                         all ? QStringLiteral("Both as one") : QStringLiteral("Only what differs, and its neighbours"));
  }
  const QModelIndex row = list_->currentIndex();
  if (row.isValid()) show_chosen(model_.place_at(row.row()), true);
}

void DiffView::choose(DiffPlace place, DiffPart part) {
  const bool on_left = part == DiffPart::kLeft || !diff_->node(place, false);
  const explain::GraphPair& pair = diff_->diff().pairs[place.pair];
  select(Selection::of_node(document(), on_left ? pair.left : pair.right, diff_->node(place, on_left)->id));
  show_chosen(place, true);
}

void DiffView::show_chosen(std::optional<DiffPlace> place, bool reveal) {
  const int row = place ? model_.row_of(*place) : -1;
  following_ = true;
  if (row >= 0) {
    list_->setCurrentIndex(model_.index(row, 0));
    list_->scrollTo(model_.index(row, 0));
  } else {
    list_->setCurrentIndex({});
  }
  following_ = false;
  for (DiffPane* pane : {left_pane_, right_pane_, one_pane_})
    if (pane->isVisibleTo(this)) pane->choose(place, reveal);
}

void DiffView::step(int by) {
  const int count = model_.rowCount();
  if (!count) return;
  const int at = list_->currentIndex().isValid() ? list_->currentIndex().row() + by : by > 0 ? 0 : count - 1;
  list_->setCurrentIndex(model_.index(std::clamp(at, 0, count - 1), 0));
}

}  // namespace footlight::app
