// Paints the axis, the rows, collectives with the waits in them, and the lines that join ranks where they met.
#include "app/models/text.h"
#include "app/models/timeline.h"
#include "app/views/paint.h"
#include "app/views/ranks_canvas.h"
#include "app/views/ranks_sizes.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kTextFrom = 40;      // least width of a piece with text
constexpr double kLeastGap = 14;      // of lines between ranks, in pixels
constexpr double kNumberRoom = 56;

}  // namespace

using query::Arrival;
using query::Collective;
using query::RankPiece;

void RanksCanvas::draw_axis(QPainter& painter) const {
  const Theme& t = theme();
  const TimeAxis axis = this->axis();
  const int64_t step = nice_step(static_cast<double>(to_ - from_) / std::max(1.0, axis.room / 100));
  for (int64_t at = (from_ - first_ + step - 1) / step * step; at <= to_ - first_; at += step) {
    const double x = std::round(axis.x_of(first_ + at));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(with_alpha(t["hairline"], 0.7));
    painter.drawLine(QPointF(x, ranks::kTop), QPointF(x, content_height() - ranks::kBottom));
    const QString text = at == 0 ? QStringLiteral("0") : duration_text(at);
    if (x + 4 < width() - 20) text_in(painter, QRectF(x + 3, 4, 92, 18), text, t["faint"], t.ui(-2));
  }
}

void RanksCanvas::draw_piece(QPainter& painter, int row, const RankPiece& piece) const {
  const Theme& t = theme();
  const QRectF whole = rect_of(row, lane_of(piece.kind), piece.start_ns, piece.end_ns);
  if (whole.isEmpty()) return;
  const QRectF rect = whole.width() > 4 ? whole.adjusted(0, 0, -1, 0) : whole;
  QColor fill = t["tealFill"];
  switch (piece.kind) {
    case RankPiece::Kind::kCall: fill = t["blueFill"]; break;
    case RankPiece::Kind::kTrace: fill = t["amberFill"]; break;
    case RankPiece::Kind::kPhase: fill = t["greyFill"]; break;
    case RankPiece::Kind::kOps: fill = t["violetFill"]; break;
    case RankPiece::Kind::kInput: break;
    case RankPiece::Kind::kSpan: fill = t["edge"]; break;
  }
  if (rect.width() >= 4) rounded(painter, rect, std::min(2.5, rect.width() / 4), fill);
  else painter.fillRect(rect, fill);
  if (marked_.valid() && piece.trace == marked_ && piece.kind == RankPiece::Kind::kTrace)
    rounded(painter, rect.adjusted(-1, -1, 1, 1), 3, {}, t["text"], 1.4);
  if (rect.width() < kTextFrom || rect.height() < 16 || piece.name.empty()) return;
  const QString name = piece.kind == RankPiece::Kind::kTrace ? QStringLiteral("Trace of ") + q(piece.name)
                                                              : q(piece.name);
  text_in(painter, rect.adjusted(5, 0, -4, 0), name + QStringLiteral(", ") + duration_text(piece.ns()),
          t[piece.kind == RankPiece::Kind::kSpan ? "text" : "onFill"], t.ui(-2, QFont::Medium));
}

// In a collective a rank first waits for the last one, which is drawn faintly.
void RanksCanvas::draw_meetings(QPainter& painter, int row) const {
  const Theme& t = theme();
  const session::ProcessId process = data_->rows[static_cast<size_t>(row)].process;
  const auto [first, last] = visible_collectives();
  double painted_to = -1;
  for (size_t i = first; i < last; ++i) {
    const Collective& one = data_->collective(i);
    const Arrival* const own = one.of(process);
    if (!own) continue;
    const QRectF whole = rect_of(row, Lane::kMeetings, own->start_ns, own->end_ns);
    if (whole.isEmpty() || (whole.width() <= 1 && whole.left() < painted_to)) continue;
    painted_to = std::floor(whole.left()) + 1;
    const int64_t begins = one.waits ? std::clamp(one.last().start_ns, own->start_ns, own->end_ns) : own->start_ns;
    const QRectF waits = rect_of(row, Lane::kMeetings, own->start_ns, begins);
    if (begins > own->start_ns) painter.fillRect(waits, with_alpha(t["pinkFill"], 0.28));
    painter.fillRect(rect_of(row, Lane::kMeetings, begins, own->end_ns), t["pinkFill"]);
    if (chosen_ == i) rounded(painter, whole.adjusted(-1, -1, 1, 1), 2, {}, t["amber"], 1.2);
    if (is_open(row) || i != chosen_ || waits.width() < 90) continue;
    const int late = data_->row_of(one.last().process);
    if (late >= 0 && late != row)
      text_in(painter, QRectF(waits.left() + 4, waits.top() - 15, waits.width() - 8, 14),
              QStringLiteral("Waits for ") + data_->rows[static_cast<size_t>(late)].name.toLower(), t["pink"],
              t.ui(-3));
  }
}

void RanksCanvas::draw_row(QPainter& painter, int row) const {
  const Theme& t = theme();
  const QRectF whole = row_rect(row);
  const RankRow& rank = data_->rows[static_cast<size_t>(row)];
  const bool is_late = row == late_row();
  if (is_late) {
    painter.fillRect(whole, with_alpha(t["amberSoft"], 0.7));
    painter.fillRect(QRectF(whole.left(), whole.top(), 3, whole.height()), t["amberFill"]);
  }
  if (row == row_ && hasFocus()) rounded(painter, whole.adjusted(1, 1, -1, -1), 4, {}, with_alpha(t["focus"], 0.8));
  triangle(painter, QPointF(14, whole.top() + 12), is_open(row), t["dim"]);
  text_in(painter, QRectF(24, whole.top() + 3, ranks::kLabels - 30, 16), rank.name, t[is_late ? "amber" : "text"],
          t.ui(-1, QFont::DemiBold));
  QString below = QStringLiteral("waited ") + duration_text(rank.waited_ns);
  if (data_->several_hosts && !rank.host.empty()) below += QString::fromUtf8(" · ") + q(rank.host);
  text_in(painter, QRectF(24, whole.top() + 17, ranks::kLabels - 30, 14), below, t["faint"], t.ui(-3));
  if (is_open(row)) {
    // Phases have their names in their pieces.
    constexpr std::pair<Lane, const char*> kNames[] = {
        {Lane::kOps, "ops"}, {Lane::kMeetings, "collectives"}, {Lane::kInput, "input"}};
    for (const auto& [lane, name] : kNames) {
      const QRectF place = *lane_rect(row, lane);
      text_in(painter, QRectF(24, place.center().y() - 7, ranks::kLabels - 32, 14), QLatin1String(name), t["faint"],
              t.ui(-3), Qt::AlignRight | Qt::AlignVCenter);
    }
  }
  painter.save();
  painter.setClipRect(QRectF(ranks::kLabels, whole.top(), whole.width() - ranks::kLabels, whole.height()));
  draw_meetings(painter, row);
  if (static_cast<size_t>(row) < tracks_.size()) {
    // Kinds are sorted so that calls come first, and traces lie over the calls that made them.
    for (const RankPiece& piece : tracks_[static_cast<size_t>(row)].pieces)
      if (piece.kind == RankPiece::Kind::kSpan) draw_piece(painter, row, piece);
    for (const RankPiece& piece : tracks_[static_cast<size_t>(row)].pieces)
      if (piece.kind != RankPiece::Kind::kSpan) draw_piece(painter, row, piece);
  }
  painter.restore();
}

void RanksCanvas::draw_joins(QPainter& painter) const {
  const Theme& t = theme();
  const double top = ranks::kTop, bottom = content_height() - ranks::kBottom;
  const auto [first, last] = visible_collectives();
  double joined_to = -kLeastGap, numbered_to = 0;
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (size_t i = first; i < last; ++i) {
    const Collective& one = data_->collective(i);
    if (one.arrivals.size() < 2) continue;
    const int of = data_->row_of(one.last().process);
    const double x = std::round(x_of(one.last().start_ns, std::max(0, of)));
    if (x < ranks::kLabels || x > width() - ranks::kRight || i == chosen_ || x - joined_to < kLeastGap) continue;
    joined_to = x;
    painter.setPen(QPen(with_alpha(t["dim"], 0.55), 1, Qt::DashLine));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    if (x - numbered_to < kNumberRoom) continue;
    numbered_to = x;
    text_in(painter, QRectF(x - 28, bottom + 2, 56, 14), QStringLiteral("#%1").arg(one.number), t["faint"], t.ui(-2),
            Qt::AlignCenter);
  }
  if (!chosen_ || data_->collective(*chosen_).arrivals.empty()) return;
  const Collective& one = data_->collective(*chosen_);
  const auto begin = std::ranges::min_element(one.arrivals, {}, &Arrival::start_ns);
  const double left = std::max(x_of(begin->start_ns, std::max(0, data_->row_of(begin->process))), ranks::kLabels),
               right = x_of(one.last().start_ns, std::max(0, data_->row_of(one.last().process)));
  if (right < ranks::kLabels || left > width() - ranks::kRight) return;
  painter.setPen(QPen(t["amber"], 1.4));
  painter.drawLine(QPointF(right, top), QPointF(right, bottom + 4));
  painter.drawLine(QPointF(left, bottom + 4), QPointF(right, bottom + 4));
  painter.drawLine(QPointF(left, bottom + 1), QPointF(left, bottom + 7));
  QString words = data_->name_of(*chosen_) + QStringLiteral(": ");
  const RankRow* const rank = late_row() < 0 ? nullptr : &data_->rows[static_cast<size_t>(late_row())];
  words += rank ? rank->name + QStringLiteral(" is %1 late").arg(duration_text(data_->late_at(*chosen_)->late_ns))
                : QStringLiteral("all came within ") + duration_text(data_->skew(*chosen_));
  if (rank && rank->clock_error_ns >= 0)
    words += QString::fromUtf8(", clock error ± ") + duration_text(rank->clock_error_ns);
  const QFont font = t.ui(-1, QFont::DemiBold);
  const double wide = QFontMetricsF(font).horizontalAdvance(words) + 8;
  const double most = std::max(ranks::kLabels, width() - wide - 4);
  const double x = std::clamp((left + right - wide) / 2, ranks::kLabels, most);
  text_in(painter, QRectF(x, bottom + 14, wide, 16), words, t["amber"], font);
}

void RanksCanvas::draw_legend(QPainter& painter) const {
  const Theme& t = theme();
  constexpr std::pair<const char*, const char*> kWhat[] = {
      {"blueFill", "Call"},        {"amberFill", "Trace"}, {"tealFill", "Input"}, {"violetFill", "Ops"},
      {"pinkFill", "Collective"}, {"pinkSoft", "Waits for the last"}};
  double x = ranks::kLabels;
  const double y = content_height() - 18;
  for (const auto& [colour, words] : kWhat) {
    const bool is_faint = QLatin1String(colour) == QLatin1String("pinkSoft");
    const QColor fill = is_faint ? with_alpha(t["pinkFill"], 0.28) : t[colour];
    painter.fillRect(QRectF(x, y + 4, 9, 8), fill);
    const QString text = QLatin1String(words);
    const double wide = QFontMetricsF(t.ui(-3)).horizontalAdvance(text);
    text_in(painter, QRectF(x + 13, y, wide + 4, 16), text, t["faint"], t.ui(-3));
    x += wide + 32;
  }
}

void RanksCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!data_ || parts() == 0) return;
  draw_axis(painter);
  for (const int row : order_) draw_row(painter, row);
  draw_joins(painter);
  draw_legend(painter);
  focus_ring(painter, this);
}

}  // namespace footlight::app
