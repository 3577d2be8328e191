// Scales the figures of all calls together, and ties the table to the call that is shown.
#include "app/views/node_calls_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/paint.h"

#include <QHelpEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kChartLeft = 84, kChartRight = 16, kChartTop = 10, kChartBottom = 22;
constexpr size_t kMaxDots = 200;
constexpr int kMaxRowsShown = 4;

}  // namespace

NodeCallsChart::NodeCallsChart(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(96);
  setAccessibleName(QStringLiteral("The node in each recorded call"));
}

void NodeCallsChart::set(const std::vector<NodeCall>& calls, uint64_t marked, const QString& description) {
  calls_ = calls;
  marked_ = marked;
  setAccessibleDescription(description);
  update();
}

double NodeCallsChart::x_of(size_t index) const {
  const double room = width() - kChartLeft - kChartRight;
  if (calls_.size() < 2) return kChartLeft + room / 2;
  return kChartLeft + static_cast<double>(index) / static_cast<double>(calls_.size() - 1) * room;
}

void NodeCallsChart::paintEvent(QPaintEvent*) {
  if (calls_.empty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  rounded(painter, QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, t["panel"], t["hairline"]);
  double low = INFINITY, high = -INFINITY;
  for (const NodeCall& one : calls_) {
    if (!one.value || !std::isfinite(one.value->minimum) || !std::isfinite(one.value->maximum)) continue;
    low = std::min(low, one.value->minimum);
    high = std::max(high, one.value->maximum);
  }
  const double top = kChartTop, bottom = height() - kChartBottom;
  const auto y_of = [&](double v) {
    // Halves, so that the range of the greatest doubles is finite.
    return high > low ? bottom - (v / 2 - low / 2) / (high / 2 - low / 2) * (bottom - top) : (top + bottom) / 2;
  };
  for (size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].call->call == marked_)
      rounded(painter, QRectF(x_of(i) - 8, 4, 16, height() - 8), 4, t["selection"]);
  const auto has_mean = [&](size_t i) { return calls_[i].value && std::isfinite(calls_[i].value->mean); };
  painter.setPen(QPen(with_alpha(t["teal"], 0.45), 1));
  for (size_t i = 0; i < calls_.size(); ++i)
    if (has_mean(i))
      painter.drawLine(QPointF(x_of(i), y_of(calls_[i].value->minimum)),
                       QPointF(x_of(i), y_of(calls_[i].value->maximum)));
  painter.setPen(QPen(t["teal"], 1.5));
  for (size_t i = 1; i < calls_.size(); ++i)
    if (has_mean(i - 1) && has_mean(i))
      painter.drawLine(QPointF(x_of(i - 1), y_of(calls_[i - 1].value->mean)),
                       QPointF(x_of(i), y_of(calls_[i].value->mean)));
  for (size_t i = 0; i < calls_.size(); ++i) {
    const session::TensorValue* const v = calls_[i].value;
    if (v && explain::not_finite(*v)) {
      const QPointF at(x_of(i), has_mean(i) ? y_of(v->mean) : (top + bottom) / 2);
      painter.setPen(QPen(v->nan ? t["red"] : t["amber"], 1.8));
      painter.drawLine(at + QPointF(-3.5, -3.5), at + QPointF(3.5, 3.5));
      painter.drawLine(at + QPointF(-3.5, 3.5), at + QPointF(3.5, -3.5));
    } else if (has_mean(i) && calls_.size() <= kMaxDots) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(t["teal"]);
      painter.drawEllipse(QPointF(x_of(i), y_of(v->mean)), 2.4, 2.4);
    }
  }
  const auto scale = [&](double v) {
    text_in(painter, QRectF(6, y_of(v) - 7, kChartLeft - 18, 14), q(explain::number_text(v)), t["faint"], t.code(-2),
            Qt::AlignRight | Qt::AlignVCenter);
  };
  if (high >= low) scale(high);
  if (high > low) scale(low);
  const auto name = [&](size_t i, Qt::Alignment side) {
    const double x = side == Qt::AlignLeft ? x_of(i) - 8 : x_of(i) - 82;
    text_in(painter, QRectF(x, height() - 19.0, 90, 15), QStringLiteral("Call %1").arg(calls_[i].call->call),
            calls_[i].call->call == marked_ ? t["text"] : t["faint"], t.code(-2), side | Qt::AlignVCenter);
  };
  name(0, Qt::AlignLeft);
  if (calls_.size() > 1) name(calls_.size() - 1, Qt::AlignRight);
}

bool NodeCallsChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || calls_.empty()) return QWidget::event(event);
  auto* const help = static_cast<QHelpEvent*>(event);
  size_t nearest = 0;
  for (size_t i = 1; i < calls_.size(); ++i)
    if (std::abs(x_of(i) - help->pos().x()) < std::abs(x_of(nearest) - help->pos().x())) nearest = i;
  const session::TensorValue* const v = calls_[nearest].value;
  QString text = QStringLiteral("Call %1: ").arg(calls_[nearest].call->call);
  if (!v) text += QStringLiteral("it did not run");
  else if (std::isfinite(v->mean))
    text += QStringLiteral("mean %1, %2 to %3").arg(q(explain::number_text(v->mean)),
                                                    q(explain::number_text(v->minimum)),
                                                    q(explain::number_text(v->maximum)));
  if (v && explain::not_finite(*v)) text += QStringLiteral("; ") + q(explain::non_finite_text(*v));
  show_tip(help->globalPos(), text, this);
  return true;
}

NodeCallsView::NodeCallsView(QWidget* parent) : QWidget(parent), model_(this) {
  auto* column = column_in(this, {}, 6);
  title_ = elided_label({}, "group");
  column->addWidget(title_);
  auto* row = row_in(nullptr, {}, 10);
  chart_ = new NodeCallsChart;
  row->addWidget(chart_, 1);
  table_ = new Table(&model_, QStringLiteral("The node in each recorded call"));
  row->addWidget(table_, 1);
  column->addLayout(row);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!following_ && now.isValid()) Q_EMIT call_chosen(model_.rows()[static_cast<size_t>(now.row())].index);
  });
  hide();
}

void NodeCallsView::set(const QString& node, std::vector<NodeCall> calls, uint64_t marked) {
  setVisible(calls.size() > 1);
  if (calls.size() < 2) return;
  const auto ran = std::ranges::count_if(calls, [](const NodeCall& one) { return one.value != nullptr; });
  const auto bad = std::ranges::count_if(calls, [](const NodeCall& one) { return one.value && one.value->nan > 0; });
  QString text = QStringLiteral("%1 in %2").arg(node, counted(calls.size(), "recorded call", "recorded calls"));
  if (static_cast<size_t>(ran) < calls.size()) text += QStringLiteral(", ran in %1").arg(ran);
  if (bad) text += QStringLiteral(", NaN in %1").arg(bad);
  title_->setText(text);
  chart_->set(calls, marked, text);
  const auto at = std::ranges::find(calls, marked, [](const NodeCall& one) { return one.call->call; });
  const int row = at == calls.end() ? -1 : static_cast<int>(at - calls.begin());
  following_ = true;
  const bool is_new = !std::ranges::equal(model_.rows(), calls, [](const NodeCall& a, const NodeCall& b) {
    return a.call == b.call && a.value == b.value;
  });
  if (is_new) {
    model_.set(std::move(calls));
    table_->fit_columns();
    table_->setFixedHeight(Table::height_of(std::min(kMaxRowsShown, model_.rowCount())));
  }
  if (row >= 0) table_->setCurrentIndex(model_.index(row, 0));
  following_ = false;
}

}  // namespace footlight::app
