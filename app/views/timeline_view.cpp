// Builds tracks when there is something new to see, and the table when the view has come to rest.
#include "app/views/timeline_view.h"

#include "app/models/text.h"
#include "app/models/traces_model.h"
#include "app/views/labels.h"
#include "app/views/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr uint64_t kMostForTable = 3'000'000;
}

void OpsModel::set_rows(std::vector<OpStatistics> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int OpsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int OpsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 10; }

QVariant OpsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const OpStatistics& row = rows_[static_cast<size_t>(index.row())];
  if (role == TracesModel::kMono) return true;
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
    case 0: return row.name;
    case 1: return count_text(row.count);
    case 2: return microseconds(row.total);
    case 3: return microseconds(row.self);
    case 4: return microseconds(row.median);
    case 5: return microseconds(row.p95);
    case 6: return row.bytes ? bytes_text(row.bytes) : QString();
    case 7: return row.flops ? flops_text(row.flops) : QString();
    case 8: return row.flops ? rate_text(row.flops, row.total) : QString();
    default: return q(row.family);
  }
}

QVariant OpsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const names[] = {"op", "count", "total us", "self us", "median", "p95",
                                      "bytes", "FLOPs", "GFLOP/s", "family"};
  return section < 10 ? QString::fromLatin1(names[section]) : QString();
}

TimelineView::TimelineView(const Context& context, QWidget* parent) : View(context, parent), ops_(this) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  empty_ = empty_label();
  outer->addWidget(empty_, 1);
  body_ = new QWidget;
  outer->addWidget(body_, 1);
  auto* column = new QVBoxLayout(body_);
  column->setContentsMargins(16, 10, 16, 6);
  column->setSpacing(0);
  canvas_ = new TimelineCanvas;
  overview_ = new OverviewStrip(canvas_);
  column->addWidget(overview_);
  column->addSpacing(8);
  scroll_ = new QScrollArea;
  scroll_->setWidget(canvas_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  column->addWidget(scroll_, 3);
  column->addSpacing(8);
  auto* head = new QHBoxLayout;
  title_ = new QLabel;
  title_->setProperty("role", "strong");
  summary_ = new ElidedLabel;
  summary_->setProperty("role", "dim");
  hint_ = new ElidedLabel(QStringLiteral("drag marks a range · W A S D zoom and pan · , . step · F frames"));
  hint_->setProperty("role", "faint");
  head->addWidget(title_);
  head->addSpacing(16);
  head->addWidget(summary_, 1);
  head->addWidget(hint_, 1);
  hint_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  column->addLayout(head);
  table_ = new Table;
  table_->setModel(&ops_);
  table_->setAccessibleName(QStringLiteral("Ops in the range"));
  column->addWidget(table_, 2);

  later_.setSingleShot(true);
  later_.setInterval(80);
  connect(&later_, &QTimer::timeout, this, &TimelineView::show_statistics);
  rebuild_later_.setSingleShot(true);
  connect(&rebuild_later_, &QTimer::timeout, this, [this] {
    if (isVisible()) rebuild(another_);
  });
  connect(canvas_, &TimelineCanvas::range_changed, &later_, qOverload<>(&QTimer::start));
  connect(canvas_, &TimelineCanvas::marked_changed, &later_, qOverload<>(&QTimer::start));
  connect(canvas_, &TimelineCanvas::chosen, this, [this](const Selection& s) { select(s); });
  reset();
}

void TimelineView::reset() {
  dirty_ = another_ = true;
  data_ = {};
  canvas_->set_data(nullptr, nullptr, true);
  overview_->set_data(nullptr);
  const bool any = !document().calls.empty() || document().event_count() > 0 || !document().device.empty();
  body_->setVisible(any);
  empty_->setVisible(!any);
  empty_->setText(QStringLiteral("Nothing has run yet: calls and op events appear here while the script runs."));
  if (any && isVisible()) rebuild(true);
}

void TimelineView::refresh() {
  dirty_ = true;
  const bool any = !document().calls.empty() || document().event_count() > 0 || !document().device.empty();
  if (any != body_->isVisibleTo(this)) {
    body_->setVisible(any);
    empty_->setVisible(!any);
  }
  if (!isVisible() || rebuild_later_.isActive()) return;
  // A run of millions of events is not built anew ten times a second.
  const qint64 pause = std::max<qint64>(0, 6 * build_ms_ - (last_build_.isValid() ? last_build_.elapsed() : 0));
  rebuild_later_.start(static_cast<int>(std::min<qint64>(pause, 5000)));
}

void TimelineView::showEvent(QShowEvent*) {
  if (dirty_) rebuild(another_);
}

void TimelineView::rebuild(bool another) {
  QElapsedTimer clock;
  clock.start();
  dirty_ = false;
  another_ = false;
  TimelineData made = build_timeline(document(), theme().family_tones());
  const bool same = !another;
  // The canvas looks at data_ through a pointer: its idea of "all in view" is taken from the old one first.
  const bool whole = data_.tracks.empty() || (canvas_->from() <= data_.first && canvas_->to() >= data_.last);
  data_ = std::move(made);
  canvas_->set_data(&data_, &document(), another);
  if (same && whole) canvas_->fit();
  canvas_->set_selection(current());
  overview_->set_data(&data_);
  build_ms_ = clock.elapsed();
  last_build_.start();
  scroll_->setMaximumHeight(canvas_->content_height() + 4);
  later_.start();
}

void TimelineView::settle() {
  if (dirty_) rebuild(another_);
  later_.stop();
  show_statistics();
}

void TimelineView::show_statistics() {
  const bool marked = canvas_->has_marked_range();
  const int64_t from = marked ? canvas_->mark_from() : canvas_->from(),
                to = marked ? canvas_->mark_to() : canvas_->to();
  title_->setText((marked ? QStringLiteral("Selected ") : QStringLiteral("In view ")) + duration_text(to - from));
  if (document().event_count() > kMostForTable && !marked && to - from > (data_.last - data_.first) / 4) {
    summary_->setText(QStringLiteral("zoom in or mark a range for the table"));
    ops_.set_rows({});
    return;
  }
  RangeStatistics s = range_statistics(document(), from, to);
  const QString dot = QString::fromUtf8(" · ");
  summary_->setText(counted(s.calls, "call", "calls") + dot + counted(s.events, "op event", "op events") + dot +
                    QStringLiteral("%1 % busy with ops").arg(static_cast<int>(s.busy * 100 + 0.5)));
  ops_.set_rows(std::move(s.rows));
  table_->fit_columns();
}

void TimelineView::follow_selection() {
  if (context_.selection->source() == this) return;
  canvas_->set_selection(current());
}

}  // namespace footlight::app
