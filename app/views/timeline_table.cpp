// Puts the parts together; a filter lights all rows that it leaves, a chosen row only its own events.
#include "app/views/timeline_table.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/theme.h"

#include <QHeaderView>
#include <QKeyEvent>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr size_t kBars = 28;
}

TimelineTable::TimelineTable(QWidget* parent) : QWidget(parent), ops_(this), callers_(this), kernels_(this) {
  auto* column = column_in(this, {}, 4);
  auto* head = new QHBoxLayout;
  title_ = plain_label({}, "strong");
  summary_ = elided_label({}, "dim");
  lost_ = plain_label();
  lost_->setProperty("role", "bad");
  lost_->hide();
  head->addWidget(title_);
  head->addSpacing(12);
  head->addWidget(summary_, 1);
  head->addWidget(lost_);
  column->addLayout(head);

  auto* tools = new QHBoxLayout;
  form_ = new QComboBox;
  form_->addItems({QStringLiteral("Table"), QStringLiteral("Flame graph"), QStringLiteral("Bottom-up")});
  form_->setAccessibleName(QStringLiteral("How the times are shown"));
  group_ = new QComboBox;
  group_->addItems({QStringLiteral("By op"), QStringLiteral("By op and shapes"), QStringLiteral("By line"),
                    QStringLiteral("By function")});
  group_->setAccessibleName(QStringLiteral("Group rows"));
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(QStringLiteral("Find in the timeline: Enter next, Shift+Enter previous"));
  filter_->setAccessibleName(QStringLiteral("Find in the timeline"));
  filter_->setClearButtonEnabled(true);
  tools->addWidget(form_);
  tools->addWidget(group_);
  tools->addWidget(filter_, 1);
  column->addLayout(tools);

  table_ = new Table(&ops_, QStringLiteral("Ops in the range"));
  table_->horizontalHeader()->setSectionsClickable(true);
  connect(table_->horizontalHeader(), &QHeaderView::sectionClicked, &ops_, &OpsModel::sort_by);
  histogram_ = new HistogramView;
  histogram_->setFixedWidth(220);
  histogram_->hide();
  const auto scrolled = [](FlameView* flame) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(flame);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    return scroll;
  };
  auto* page = new QWidget;
  auto* parts = column_in(page);
  auto* row = new QHBoxLayout;
  row->addWidget(table_, 1);
  row->addWidget(histogram_);
  parts->addLayout(row, 1);
  below_ = new FlameView;
  below_scroll_ = scrolled(below_);
  below_scroll_->hide();
  parts->addWidget(below_scroll_, 1);
  flame_ = new FlameView;
  tree_ = new QTreeView;
  tree_->setModel(&callers_);
  tree_->setItemDelegate(new CellDelegate(tree_));
  tree_->setUniformRowHeights(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setAccessibleName(QStringLiteral("Ops and functions with their callers"));
  stack_ = new QStackedWidget;
  stack_->addWidget(page);
  stack_->addWidget(scrolled(flame_));
  stack_->addWidget(tree_);
  stack_->addWidget(make_kernels());
  column->addWidget(stack_, 1);

  for (QObject* watched : std::initializer_list<QObject*>{table_, kernels_table_, filter_})
    watched->installEventFilter(this);
  connect(form_, &QComboBox::currentIndexChanged, this, [this](int form) {
    stack_->setCurrentIndex(form);
    group_->setEnabled(form == kTable);
    if (form == kKernels) light_kernels();
    else light();
    Q_EMIT asked_for();
  });
  connect(group_, &QComboBox::currentIndexChanged, this, &TimelineTable::asked_for);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    ops_.set_filter(text);
    kernels_.set_filter(text);
    if (form() == kKernels) light_kernels();
    else light();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &TimelineTable::light);
}

QWidget* TimelineTable::make_kernels() {
  kernels_table_ = new Table(&kernels_, QStringLiteral("Work of devices in the range"));
  kernels_table_->horizontalHeader()->setSectionsClickable(true);
  connect(kernels_table_->horizontalHeader(), &QHeaderView::sectionClicked, &kernels_, &KernelsModel::sort_by);
  connect(kernels_table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &TimelineTable::light_kernels);
  kernels_histogram_ = new HistogramView;
  kernels_histogram_->setFixedWidth(220);
  kernels_histogram_->hide();
  auto* page = new QWidget;
  auto* row = row_in(page);
  row->addWidget(kernels_table_, 1);
  row->addWidget(kernels_histogram_);
  return page;
}

void TimelineTable::offer_kernels(bool any) {
  if (any == (form_->count() > kKernels)) return;
  if (any) form_->addItem(QStringLiteral("Kernels"));
  else form_->removeItem(kKernels);
}

void TimelineTable::set_kernels(std::vector<query::DeviceSum> sums) {
  const query::DeviceSum* before = kernels_.at(kernels_table_->currentIndex().row());
  const std::optional<query::DeviceName> name = before ? std::optional<query::DeviceName>(*before) : std::nullopt;
  kernels_.set(std::move(sums));
  kernels_table_->fit_columns();
  if (form() != kKernels) return;
  summary_->setText(kernels_.sentence());
  const int row = name ? kernels_.row_of(*name) : -1;
  if (row >= 0) kernels_table_->setCurrentIndex(kernels_.index(row, 0));
  else light_kernels();
}

void TimelineTable::light_kernels() {
  const QModelIndex current = kernels_table_->currentIndex();
  const query::DeviceSum* row = current.isValid() ? kernels_.at(current.row()) : nullptr;
  if (row) {
    kernels_histogram_->set(histogram_of(row->durations.steps(), row->least_ns, row->most_ns, kBars),
                            theme()["violetFill"], q(row->name));
    Q_EMIT lit_work({*row});
  } else {
    const bool is_filtered = !filter_->text().trimmed().isEmpty();
    Q_EMIT lit_work(is_filtered ? kernels_.names_shown() : std::vector<query::DeviceName>());
  }
  kernels_histogram_->setVisible(row);
}

QString TimelineTable::summary() const { return summary_->text(); }

void TimelineTable::set_title(const QString& title) { title_->setText(title); }

void TimelineTable::clear() {
  filter_->clear();
  ops_.set_statistics({});
  table_->fit_columns();  // to its headings, for the time until there are rows
  callers_.set(nullptr, {});
  kernels_.set({});
  for (FlameView* flame : {flame_, below_}) flame->set(nullptr, {});
  summary_->clear();
  lost_->hide();
}

void TimelineTable::set_statistics(RangeStatistics statistics) {
  const OpStatistics* before = ops_.at(table_->currentIndex().row());
  const bool same = ops_.statistics().by == statistics.by;
  const std::optional<uint64_t> key = before && same ? std::optional(before->key) : std::nullopt;
  if (form() != kKernels) summary_->setText(range_sentence(statistics));
  lost_->setVisible(statistics.lost > 0);
  if (statistics.lost > 0)
    lost_->setText(counted(statistics.lost, "op event was", "op events were") +
                   QStringLiteral(" lost here, so all counts are too low"));
  ops_.set_statistics(std::move(statistics));
  table_->fit_columns();
  const int row = key ? ops_.row_of(*key) : -1;
  if (row >= 0) table_->setCurrentIndex(ops_.index(row, 0));
  else if (form() != kKernels) light();
  share_room();
}

void TimelineTable::allow_flame_below(bool allowed) {
  below_allowed_ = allowed;
  share_room();
}

void TimelineTable::share_room() {
  constexpr int kRoom = 130;
  const auto count = static_cast<int>(ops_.statistics().rows.size());  // without the filter, which comes and goes
  const int rows = Table::height_of(count);
  const bool shown = below_allowed_ && count > 0 && stack_->height() - rows >= kRoom;
  table_->setMaximumHeight(shown ? rows : QWIDGETSIZE_MAX);
  if (shown == below_shown_) return;
  below_shown_ = shown;
  below_scroll_->setVisible(shown);
  if (shown) Q_EMIT asked_for();
}

void TimelineTable::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  share_room();
}

void TimelineTable::set_stacks(const Document* document, query::StackTree tree) {
  callers_.set(document, tree);
  for (int c = 1; c < callers_.columnCount(); ++c) tree_->setColumnWidth(c, 110);
  tree_->setColumnWidth(0, std::max(260, tree_->width() - 380));
  below_->set(document, tree);
  flame_->set(document, std::move(tree));
}

void TimelineTable::show_search() {
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

void TimelineTable::light() {
  if (form() == kKernels) return;  // its own rows are lit
  const OpStatistics* row = table_->currentIndex().isValid() ? ops_.at(table_->currentIndex().row()) : nullptr;
  if (row && !row->steps.empty())
    histogram_->set(histogram_of(row->steps, row->steps.front().first, row->steps.back().first, kBars),
                    theme()["violetFill"], row->name);
  histogram_->setVisible(row);
  if (row) Q_EMIT lit({row->key});
  else if (!filter_->text().trimmed().isEmpty()) Q_EMIT lit(ops_.keys());
  else Q_EMIT lit({});
}

bool TimelineTable::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  if (watched == filter_ && enter) {
    Q_EMIT step_wanted(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
  } else if (watched != filter_ && (key->key() == Qt::Key_Period || key->key() == Qt::Key_Comma || enter)) {
    Q_EMIT step_wanted(key->key() == Qt::Key_Comma ? -1 : 1);
  } else if (key->key() == Qt::Key_Escape) {
    if (watched == filter_ && !filter_->text().isEmpty()) filter_->clear();
    else if (watched != filter_) static_cast<Table*>(watched)->setCurrentIndex({});
    Q_EMIT left();
  } else {
    return QWidget::eventFilter(watched, event);
  }
  return true;
}

}  // namespace footlight::app
