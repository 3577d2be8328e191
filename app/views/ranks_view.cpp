// Ties the strip of lateness, the rows of ranks, both tables and the selection together.
#include "app/views/ranks_view.h"

#include "app/models/text.h"
#include "app/views/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {

constexpr size_t kBars = 32;

// What a column of histogram needs: how often each skew occurred.
std::vector<std::pair<int64_t, uint64_t>> skews_of(const RanksData& data) {
  std::map<int64_t, uint64_t> counts;
  for (size_t i = 0; i < data.ranks.collectives.size(); ++i)
    if (data.collective(i).arrivals.size() > 1) ++counts[std::max<int64_t>(1, data.skew(i))];
  return {counts.begin(), counts.end()};
}

}  // namespace

RanksView::RanksView(const Context& context, QWidget* parent)
    : LeadView(context, new QWidget, parent), late_model_(this), arrivals_model_(this) {
  auto* column = new QVBoxLayout(body());
  column->setContentsMargins(16, 10, 16, 6);
  column->setSpacing(8);
  column->addWidget(build_head());
  lateness_ = new LatenessStrip;
  column->addWidget(lateness_);
  auto* down = new QSplitter(Qt::Vertical);
  down->setChildrenCollapsible(false);
  down->setHandleWidth(8);
  canvas_ = new RanksCanvas;
  scroll_ = new QScrollArea;
  QScrollArea* const scroll = scroll_;
  scroll->setWidget(canvas_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setMinimumHeight(110);
  down->addWidget(scroll);
  down->addWidget(build_below());
  down->setStretchFactor(0, 3);
  down->setStretchFactor(1, 2);
  down->setSizes({620, 240});
  column->addWidget(down, 1);

  const auto choose = [this](qulonglong number) { this->choose(static_cast<size_t>(number)); };
  connect(lateness_, &LatenessStrip::collective_chosen, this, choose);
  connect(canvas_, &RanksCanvas::collective_chosen, this, choose);
  connect(canvas_, &RanksCanvas::step_wanted, this, &RanksView::step);
  connect(canvas_, &RanksCanvas::reason_wanted, this, &RanksView::show_reason);
  connect(canvas_, &RanksCanvas::call_chosen, this, &RanksView::select_call);
  connect(canvas_, &RanksCanvas::trace_chosen, this,
          [this](TraceId trace) { select(Selection::of_trace(document(), trace)); });
  connect(canvas_, &RanksCanvas::range_changed, this,
          [this] { lateness_->show_range(canvas_->from(), canvas_->to()); });
  reset();
}

QWidget* RanksView::build_head() {
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  verdict_ = elided_label({}, "strong");
  row->addWidget(verdict_, 1);
  previous_ = chip_button(QString::fromUtf8("‹ Late"), QStringLiteral("The previous collective with a late rank (,)"));
  next_ = chip_button(QString::fromUtf8("Late ›"), QStringLiteral("The next collective with a late rank (.)"));
  align_ = chip_switch(QStringLiteral("Align at collective"),
                       QStringLiteral("Moves the times of each rank so that the chosen collective ends at one moment "
                                      "for all; else ranks are shown by their clocks"));
  host_ = chip_switch(QStringLiteral("By host"), QStringLiteral("Puts the ranks of a machine together"));
  connect(previous_, &QPushButton::clicked, this, [this] { step(-1); });
  connect(next_, &QPushButton::clicked, this, [this] { step(1); });
  connect(align_, &QPushButton::toggled, this, [this](bool on) { canvas_->align(on); });
  connect(host_, &QPushButton::toggled, this, [this](bool on) { canvas_->order_by_host(on); });
  for (QPushButton* button : {previous_, next_, align_, host_}) row->addWidget(button);
  return head;
}

QWidget* RanksView::build_below() {
  auto* across = new QSplitter(Qt::Horizontal);
  across->setChildrenCollapsible(false);
  across->setHandleWidth(12);
  const auto part = [across](const QString& title, QVBoxLayout** column) {
    auto* page = new QWidget;
    *column = new QVBoxLayout(page);
    (*column)->setContentsMargins(0, 0, 0, 0);
    (*column)->setSpacing(4);
    if (!title.isEmpty()) (*column)->addWidget(elided_label(title, "strong"));
    across->addWidget(page);
    return page;
  };
  QVBoxLayout* column = nullptr;
  part(QStringLiteral("Who was late, and why"), &column);
  late_ = new Table;
  late_->setModel(&late_model_);
  late_->setAccessibleName(QStringLiteral("Who was late, and why"));
  late_->horizontalHeader()->setSectionsClickable(true);
  connect(late_->horizontalHeader(), &QHeaderView::sectionClicked, &late_model_, &LateModel::sort_by);
  connect(late_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    const query::LateGroup* const group = now.isValid() ? late_model_.at(now.row()) : nullptr;
    if (group) choose(data_->ranks.late[group->worst].collective);
  });
  connect(late_, &QTableView::activated, this, &RanksView::show_reason);
  late_->set_actions([this](QMenu& menu, const QModelIndex&) {
    menu.addAction(QStringLiteral("Show why\tEnter"), this, &RanksView::show_reason);
  });
  column->addWidget(late_, 1);

  part({}, &column);
  auto* head = new QHBoxLayout;
  chosen_name_ = elided_label({}, "strong");
  line_ = new LinkButton({}, true);
  reason_ = new LinkButton({}, false);
  head->addWidget(chosen_name_, 1);
  head->addWidget(line_);
  head->addWidget(reason_);
  connect(line_, &QPushButton::clicked, this, [this] {
    if (chosen_) show_line(*chosen_);
  });
  connect(reason_, &QPushButton::clicked, this, &RanksView::show_reason);
  column->addLayout(head);
  facts_ = elided_label({}, "dim");
  column->addWidget(facts_);
  arrivals_ = new Table;
  arrivals_->setModel(&arrivals_model_);
  arrivals_->setAccessibleName(QStringLiteral("When each rank came to the collective"));
  arrivals_->horizontalHeader()->setSectionsClickable(true);
  connect(arrivals_->horizontalHeader(), &QHeaderView::sectionClicked, &arrivals_model_, &ArrivalsModel::sort_by);
  column->addWidget(arrivals_, 1);

  part(QStringLiteral("Skew of collectives"), &column);
  skew_ = new HistogramView;
  set_tip(skew_, QStringLiteral("How long the last rank came after the first, for each collective"));
  column->addWidget(skew_, 1);
  across->setStretchFactor(0, 4);
  across->setStretchFactor(1, 5);
  across->setStretchFactor(2, 2);
  across->setSizes({460, 560, 220});
  across->setMinimumHeight(120);
  return across;
}

void RanksView::reset() {
  another_ = true;
  ticket_.withdraw();
  call_ticket_.withdraw();
  data_.reset();
  chosen_.reset();
  canvas_->set_data(nullptr, nullptr, false);
  lateness_->set_data(nullptr);
  late_model_.set(nullptr);
  arrivals_model_.set(nullptr, {});
  show_body(false);
  say_nothing({context_.session->is_open() ? QString::fromUtf8("Looking for ranks …")
                                           : QStringLiteral("Open a recording of several processes."),
               {}, {}, {}});
  refresh();
}

// While a script runs, ranks are compared when the view is opened: its own recording has one process.
void RanksView::refresh() {
  dirty_ = true;
  if (isVisible() && !document().live) load();
}

void RanksView::showEvent(QShowEvent*) {
  if (dirty_) load();
}

void RanksView::load() {
  if (!context_.session->is_open() || ticket_.waiting()) return;
  dirty_ = false;
  context_.session->queries().ask(
      ticket_,
      [](const query::Store& store, const query::Cancel& cancel) { return ranks_of(store.reader(), cancel); },
      [this](RanksPtr data) {
        take(std::move(data));
        if (dirty_ && isVisible() && !document().live) load();
      },
      Queries::kLong);
}

void RanksView::take(RanksPtr data) {
  const bool another = std::exchange(another_, false);
  data_ = std::move(data);
  const bool any = !data_->ranks.collectives.empty();
  show_body(any);
  if (!any) {
    say_nothing({QStringLiteral("No collectives were recorded, so no process is known to have waited for another. "
                                "Those of torch.distributed are recorded; a program marks its own with "
                                "footlight_recorder.span(\"barrier\", \"collective\")."),
                 {}, QStringLiteral("Open Timeline"), QStringLiteral("timeline")});
    return;
  }
  verdict_->setText(data_->verdict);
  set_tip(verdict_, data_->verdict);
  host_->setVisible(data_->several_hosts);
  previous_->setEnabled(!data_->ranks.late.empty());
  next_->setEnabled(!data_->ranks.late.empty());
  lateness_->set_data(data_);
  canvas_->set_data(data_, &context_.session->queries(), !another);
  late_model_.set(data_);
  late_->fit_columns();
  const auto skews = skews_of(*data_);
  if (skews.empty()) skew_->set({}, theme()["tealFill"]);
  else skew_->set(histogram_of(skews, skews.front().first, skews.back().first, kBars), theme()["tealFill"]);
  if (another || !chosen_ || *chosen_ >= data_->ranks.collectives.size()) {
    const auto& groups = data_->ranks.groups;
    choose(groups.empty() ? std::optional<size_t>()
                          : std::optional(data_->ranks.late[groups.front().worst].collective));
    if (const query::LateArrival* const late = chosen_ ? data_->late_at(*chosen_) : nullptr) {
      const int row = data_->row_of(late->process);
      if (!canvas_->is_open(row)) canvas_->toggle(row);
    }
  } else {
    choose(chosen_);
  }
  if (!wanted_.isEmpty()) choose_named(wanted_);
}

void RanksView::choose(std::optional<size_t> collective) {
  if (!data_) return;
  const bool moves = collective != chosen_;
  chosen_ = collective;
  canvas_->choose(collective);
  lateness_->choose(collective);
  arrivals_model_.set(data_, collective);
  arrivals_->fit_columns();
  chosen_name_->setText(collective ? data_->name_of(*collective) : QStringLiteral("No collective is chosen"));
  facts_->setText(collective ? data_->facts(*collective) : QString());
  const query::Collective* const one = collective ? &data_->collective(*collective) : nullptr;
  line_->setVisible(one && !one->file.empty());
  if (one) line_->setText(file_name(one->file) + QLatin1Char(':') + QString::number(one->line));
  const query::LateArrival* const late = collective ? data_->late_at(*collective) : nullptr;
  reason_->setVisible(late && late->trace.valid() && late->why == query::RankWork::kTracing && late->explained);
  reason_->setText(QStringLiteral("Show the trace"));
  if (!late) {
    late_->clearSelection();
  } else {
    set_tip(chosen_name_, data_->late_texts[static_cast<size_t>(late - data_->ranks.late.data())]);
    const int row =
        arrivals_model_.find([&](const query::Arrival& arrival) { return arrival.process == late->process; });
    if (row >= 0) arrivals_->scrollTo(arrivals_model_.index(row, 0));
    const QRect rank = canvas_->row_rect(data_->row_of(late->process)).toRect();
    scroll_->ensureVisible(0, rank.center().y(), 0, rank.height());
  }
  if (moves && collective) canvas_->frame();
  lateness_->show_range(canvas_->from(), canvas_->to());
}

void RanksView::choose_named(const QString& collective) {
  wanted_ = collective;
  if (!data_ || dirty_) return;
  for (size_t i = 0; i < data_->ranks.collectives.size(); ++i)
    if (data_->name_of(i) == wanted_) choose(i);
  wanted_.clear();
}

bool RanksView::step(int by) {
  if (!data_) return false;
  const std::optional<size_t> next = data_->late_beside(chosen_, by);
  if (next) choose(next);
  return next.has_value();
}

bool RanksView::show_line(size_t collective) {
  const query::Collective& one = data_->collective(collective);
  const session::FileId file = one.file.empty() ? session::FileId() : context_.session->file_anywhere(q(one.file));
  if (!file.valid() || one.line <= 0) return false;
  select(Selection::of_line(document(), {file, one.line}));
  Q_EMIT wants_view(QStringLiteral("source"));
  return true;
}

bool RanksView::show_reason() {
  if (!data_ || !chosen_) return false;
  const query::LateArrival* const late = data_->late_at(*chosen_);
  if (late && late->explained && late->why == query::RankWork::kTracing && document().trace(late->trace)) {
    select(Selection::of_trace(document(), late->trace));
    Q_EMIT wants_view(QStringLiteral("retraces"));
    return true;
  }
  return show_line(*chosen_);
}

void RanksView::select_call(CallId call) {
  context_.session->queries().ask(
      call_ticket_,
      [call](const query::Store& store, const query::Cancel&) { return store.calls().find(call); },
      [this](std::optional<session::CallRecord> found) {
        if (found) select(Selection::of_call(document(), *found));
      });
}

void RanksView::follow_selection() { canvas_->mark_trace(current().trace); }

}  // namespace footlight::app
