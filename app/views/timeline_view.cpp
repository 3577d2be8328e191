// Redraws the canvas when there is new data, and updates the table once the view stops moving.
#include "app/views/timeline_view.h"

#include "app/models/text.h"
#include "app/models/traces_model.h"
#include "app/views/labels.h"
#include "app/views/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include <utility>

namespace footlight::app {

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
  title_ = plain_label({}, "strong");
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
  connect(canvas_, &TimelineCanvas::range_changed, this, [this] {
    statistics_.withdraw();
    later_.start();
  });
  connect(canvas_, &TimelineCanvas::tracks_changed, this,
          [this] { scroll_->setMaximumHeight(canvas_->content_height() + 4); });
  connect(canvas_, &TimelineCanvas::marked_changed, &later_, qOverload<>(&QTimer::start));
  connect(canvas_, &TimelineCanvas::chosen, this, [this](const Selection& s) { select(s); });
  reset();
}

void TimelineView::reset() {
  another_ = true;
  later_.stop();
  statistics_.withdraw();
  canvas_->set_document(nullptr, nullptr, true);
  overview_->set_queries(nullptr);
  refresh();
}

void TimelineView::refresh() {
  dirty_ = true;
  const bool any = document().calls > 0 || document().events > 0 || document().device_events > 0;
  body_->setVisible(any);
  empty_->setVisible(!any);
  empty_->setText(QStringLiteral("Nothing has run yet: calls and op events appear here while the script runs."));
  if (any && isVisible()) rebuild();
}

void TimelineView::showEvent(QShowEvent*) {
  if (dirty_) rebuild();
}

void TimelineView::rebuild() {
  dirty_ = false;
  const bool another = std::exchange(another_, false);
  canvas_->set_document(&document(), &context_.session->queries(), another);
  if (another) canvas_->set_selection(current());
  overview_->set_queries(&context_.session->queries());
  // Update the table when everything is loaded; while a script runs, whenever the last update is done.
  if (!statistics_.waiting() && (document().live || !context_.session->loading())) later_.start();
}

void TimelineView::settle() {
  if (dirty_) rebuild();
  if (later_.isActive()) show_statistics();
}

void TimelineView::show_statistics() {
  later_.stop();
  const bool marked = canvas_->has_marked_range();
  const int64_t from = marked ? canvas_->mark_from() : canvas_->from(),
                to = marked ? canvas_->mark_to() : canvas_->to();
  title_->setText((marked ? QStringLiteral("Selected ") : QStringLiteral("In view ")) + duration_text(to - from));
  if (ops_.rowCount() == 0) summary_->setText(QString::fromUtf8("counting …"));
  context_.session->queries().ask(
      statistics_,
      [from, to](const query::Store& store, const query::Cancel& cancel) {
        return range_statistics(store, from, to, cancel);
      },
      [this](RangeStatistics s) {
        name_rows(document(), s);
        const QString dot = QString::fromUtf8(" · ");
        summary_->setText(counted(s.calls, "call", "calls") + dot + counted(s.events, "op event", "op events") + dot +
                          QStringLiteral("%1 % busy with ops").arg(static_cast<int>(s.busy * 100 + 0.5)));
        ops_.set_rows(std::move(s.rows));
        table_->fit_columns();
      },
      Queries::kLong);
}

void TimelineView::follow_selection() {
  if (context_.selection->source() == this) return;
  canvas_->set_selection(current());
}

}  // namespace footlight::app
