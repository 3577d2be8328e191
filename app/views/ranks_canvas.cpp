// Places rows, answers the mouse and the keyboard, and asks for what is in the visible stretch of time.
#include "app/views/ranks_canvas.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/ranks_sizes.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {

using query::Arrival;
using query::Collective;
using query::RankPiece;

RanksCanvas::RanksCanvas(QWidget* parent) : PaintedParts(parent) {
  setMinimumSize(260, 80);
  setAccessibleName(QStringLiteral("Ranks over time"));
  setAccessibleDescription(QStringLiteral(
      "W A S D zoom and pan, up and down change the rank, Space unfolds it, period and comma go to the next and "
      "previous late collective, Enter shows why, F frames it, Home shows all"));
}

void RanksCanvas::set_data(RanksPtr data, Queries* queries, bool keeps_place) {
  data_ = std::move(data);
  queries_ = queries;
  ticket_.withdraw();
  tracks_.clear();
  ends_.clear();
  if (!keeps_place) {
    open_.clear();
    chosen_.reset();
    marked_ = {};
    row_ = 0;
  }
  if (chosen_ && (!data_ || *chosen_ >= data_->ranks.collectives.size())) chosen_.reset();
  first_ = INT64_MAX, last_ = INT64_MIN;
  if (data_) {
    for (const Collective& one : data_->ranks.collectives) {
      int64_t end = ends_.empty() ? INT64_MIN : ends_.back();
      for (const Arrival& arrival : one.arrivals) {
        first_ = std::min(first_, arrival.start_ns - std::max<int64_t>(0, arrival.work[0] + arrival.work[1] +
                                                                              arrival.work[2]));
        end = std::max(end, arrival.end_ns);
      }
      ends_.push_back(end);
    }
    if (!ends_.empty()) last_ = ends_.back();
  }
  if (first_ >= last_) first_ = 0, last_ = 1;
  lay_out();
  if (!keeps_place || to_ > last_) fit();
  else ask();
}

int64_t RanksCanvas::shift(int row) const {
  if (!aligned_ || !chosen_ || !data_) return 0;
  const Collective& one = data_->collective(*chosen_);
  const Arrival* const own = one.of(data_->rows[static_cast<size_t>(row)].process);
  return own && !one.arrivals.empty() ? one.last().end_ns - own->end_ns : 0;
}

TimeAxis RanksCanvas::axis() const {
  return {from_, to_, ranks::kLabels, width() - ranks::kLabels - ranks::kRight};
}

double RanksCanvas::x_of(int64_t time, int row) const { return axis().x_of(time + shift(row)); }

void RanksCanvas::set_range(int64_t from, int64_t to) {
  const int64_t longest = last_ - first_;
  const int64_t length = std::clamp<int64_t>(to - from, std::min<int64_t>(1000, longest), longest);
  from_ = std::clamp<int64_t>(from, first_, last_ - length);
  to_ = from_ + length;
  update();
  ask();
  Q_EMIT range_changed();
}

void RanksCanvas::fit() {
  const int64_t slack = std::max<int64_t>(1, (last_ - first_) / 100);
  last_ += slack;
  set_range(first_, last_);
  last_ -= slack;
}

void RanksCanvas::frame() {
  if (!chosen_) return fit();
  const Collective& one = data_->collective(*chosen_);
  if (one.arrivals.empty()) return fit();
  int64_t first = one.last().start_ns, last = first;
  for (const Arrival& arrival : one.arrivals) {
    int64_t before = 0;
    for (const int64_t ns : arrival.work) before += ns;
    // The stretch of the late rank, but not what it did before the run had begun in earnest.
    first = std::min(first, arrival.start_ns - std::min(before, 3 * std::max<int64_t>(data_->skew(*chosen_), 1000)));
    last = std::max(last, arrival.end_ns);
  }
  const int64_t room = std::max<int64_t>(500, (last - first) / 5);
  set_range(first - room, last + room);
}

// What is visible is asked for with some more at both ends, as far as ranks are moved for alignment.
void RanksCanvas::ask() {
  if (!queries_ || !data_ || data_->rows.empty() || width() < ranks::kLabels + 20) return;
  int64_t moved = 0;
  std::vector<session::ProcessId> processes;
  for (size_t row = 0; row < data_->rows.size(); ++row) {
    processes.push_back(data_->rows[row].process);
    moved = std::max(moved, std::abs(shift(static_cast<int>(row))));
  }
  queries_->ask(
      ticket_,
      [processes = std::move(processes), from = from_ - moved, to = to_ + moved, pixel = axis().time_in(1)](
          const query::Store& store, const query::Cancel& cancel) {
        return query::rank_tracks(store.reader(), processes, from, to, std::max<int64_t>(1, pixel), cancel);
      },
      [this](std::vector<query::RankTrack> tracks) {
        tracks_ = std::move(tracks);
        update();
      });
}

void RanksCanvas::lay_out() {
  const int rows = parts();
  order_.resize(static_cast<size_t>(rows));
  for (int row = 0; row < rows; ++row) order_[static_cast<size_t>(row)] = row;
  if (by_host_)
    std::ranges::stable_sort(order_, {}, [this](int row) { return data_->rows[static_cast<size_t>(row)].host; });
  tops_.assign(static_cast<size_t>(rows), 0);
  heights_.assign(static_cast<size_t>(rows), 0);
  double y = ranks::kTop;
  for (const int row : order_) {
    tops_[static_cast<size_t>(row)] = y;
    y += heights_[static_cast<size_t>(row)] = is_open(row) ? ranks::kOpen : ranks::kFolded;
  }
  row_ = std::clamp(row_, 0, std::max(0, rows - 1));
  setMinimumHeight(content_height());
  updateGeometry();
  update();
}

int RanksCanvas::content_height() const {
  double y = ranks::kTop + ranks::kBottom;
  for (const double height : heights_) y += height;
  return static_cast<int>(y);
}

QRectF RanksCanvas::row_rect(int row) const {
  if (row < 0 || row >= parts()) return {};
  return {0, tops_[static_cast<size_t>(row)], static_cast<double>(width()), heights_[static_cast<size_t>(row)]};
}

int RanksCanvas::row_at(double y) const {
  for (const int row : order_)
    if (const QRectF rect = row_rect(row); y >= rect.top() && y < rect.bottom()) return row;
  return -1;
}

std::optional<QRectF> RanksCanvas::lane_rect(int row, Lane lane) const {
  const QRectF whole = row_rect(row);
  const double x = ranks::kLabels, w = whole.width() - ranks::kLabels - ranks::kRight;
  if (!is_open(row)) {
    if (lane == Lane::kCalls) return QRectF(x, whole.top() + 5, w, 12);
    if (lane == Lane::kMeetings || lane == Lane::kInput) return QRectF(x, whole.top() + 20, w, 7);
    return {};
  }
  constexpr double kTops[] = {5, 27, 49, 63, 77}, kHeights[] = {19, 18, 10, 10, 10};
  const auto at = static_cast<size_t>(lane);
  return QRectF(x, whole.top() + kTops[at], w, kHeights[at]);
}

RanksCanvas::Lane RanksCanvas::lane_of(RankPiece::Kind kind) {
  switch (kind) {
    case RankPiece::Kind::kPhase: return Lane::kPhases;
    case RankPiece::Kind::kOps: return Lane::kOps;
    case RankPiece::Kind::kInput: return Lane::kInput;
    default: return Lane::kCalls;
  }
}

QRectF RanksCanvas::rect_of(int row, Lane lane, int64_t start, int64_t end) const {
  const std::optional<QRectF> place = lane_rect(row, lane);
  if (!place) return {};
  const double left = std::max(x_of(start, row), place->left()), right = std::min(x_of(end, row), place->right());
  if (right < place->left() || left > place->right()) return {};
  return {left, place->top(), std::max(1.0, right - left), place->height()};
}

std::pair<size_t, size_t> RanksCanvas::visible_collectives() const {
  if (!data_) return {};
  int64_t moved = 0;
  for (int row = 0; row < parts(); ++row) moved = std::max(moved, std::abs(shift(row)));
  const auto& all = data_->ranks.collectives;
  const auto first = std::ranges::lower_bound(ends_, from_ - moved) - ends_.begin();
  const auto last = std::ranges::partition_point(all, [&](const Collective& one) {
    const auto begin = std::ranges::min_element(one.arrivals, {}, &Arrival::start_ns);
    return begin == one.arrivals.end() || begin->start_ns <= to_ + moved;
  });
  return {static_cast<size_t>(first), std::max(static_cast<size_t>(first),
                                               static_cast<size_t>(last - all.begin()))};
}

int RanksCanvas::late_row() const {
  const query::LateArrival* const late = chosen_ ? data_->late_at(*chosen_) : nullptr;
  return late ? data_->row_of(late->process) : -1;
}

RanksCanvas::At RanksCanvas::at(QPointF point) const {
  At found;
  found.row = row_at(point.y());
  if (found.row < 0 || point.x() < ranks::kLabels) return found;
  const int row = found.row;
  const auto holds = [&](const QRectF& rect) {
    return !rect.isEmpty() && rect.adjusted(-2, -1, 2, 1).contains(point);
  };
  if (static_cast<size_t>(row) < tracks_.size())
    for (const RankPiece& piece : tracks_[static_cast<size_t>(row)].pieces)
      if (holds(rect_of(row, lane_of(piece.kind), piece.start_ns, piece.end_ns))) found.piece = &piece;
  const auto [first, last] = visible_collectives();
  const session::ProcessId process = data_->rows[static_cast<size_t>(row)].process;
  for (size_t i = first; i < last && !found.piece; ++i)
    if (const Arrival* const arrival = data_->collective(i).of(process))
      if (holds(rect_of(row, Lane::kMeetings, arrival->start_ns, arrival->end_ns))) found.collective = i;
  return found;
}

QString RanksCanvas::piece_words(int row, const RankPiece& piece) const {
  const QString name = piece.name.empty() ? QStringLiteral("several") : q(piece.name);
  QString words;
  switch (piece.kind) {
    case RankPiece::Kind::kCall: words = piece.name.empty() ? QStringLiteral("Calls") : name; break;
    case RankPiece::Kind::kTrace: words = QStringLiteral("Trace of ") + name; break;
    case RankPiece::Kind::kPhase: words = QStringLiteral("Phase ") + name; break;
    case RankPiece::Kind::kOps: words = QStringLiteral("Ops"); break;
    case RankPiece::Kind::kInput: words = QStringLiteral("Waits for input: ") + name; break;
    case RankPiece::Kind::kSpan: words = name; break;
  }
  return data_->rows[static_cast<size_t>(row)].name + QStringLiteral(": ") + words + QStringLiteral(", ") +
         duration_text(piece.ns());
}

QString RanksCanvas::collective_words(int row, size_t number) const {
  const Collective& one = data_->collective(number);
  const RankRow& rank = data_->rows[static_cast<size_t>(row)];
  const Arrival* const own = one.of(rank.process);
  if (!own) return {};
  QString words = rank.name + QStringLiteral(": ") + data_->name_of(number) + QStringLiteral(", ") +
                  duration_text(own->end_ns - own->start_ns);
  const Arrival& last = one.last();
  if (one.waits && own->process != last.process) {
    const int late = data_->row_of(last.process);
    const int64_t waited = std::max<int64_t>(0, std::min(own->end_ns, last.start_ns) - own->start_ns);
    words += QStringLiteral("; waits ") + duration_text(waited) + QStringLiteral(" for ") +
             (late < 0 ? QStringLiteral("the last") : data_->rows[static_cast<size_t>(late)].name);
  } else if (own->process == last.process && one.arrivals.size() > 1) {
    words += QStringLiteral("; the last to come, ") + duration_text(data_->skew(number)) +
             QStringLiteral(" after the first");
  }
  return words;
}

QString RanksCanvas::tip_at(QPointF point) const {
  if (!data_) return {};
  const At hit = at(point);
  if (hit.row < 0) return {};
  if (hit.piece) return piece_words(hit.row, *hit.piece);
  if (hit.collective) return collective_words(hit.row, *hit.collective);
  return point.x() < ranks::kLabels ? part_description(hit.row) : QString();
}

QString RanksCanvas::part_name(int part) const {
  const RankRow& row = data_->rows[static_cast<size_t>(part)];
  return row.name + (part == late_row() ? QStringLiteral(", late") : QString());
}

QString RanksCanvas::part_description(int part) const {
  const RankRow& row = data_->rows[static_cast<size_t>(part)];
  QString words = row.name;
  if (!row.host.empty()) words += QStringLiteral(" on ") + q(row.host);
  words += QStringLiteral(": waited %1 for others; %2").arg(duration_text(row.waited_ns),
                                                             counted(row.traces, "trace", "traces"));
  words += row.clock_error_ns < 0 ? QStringLiteral("; clock error unknown")
                                  : QStringLiteral("; clock error ") + duration_text(row.clock_error_ns);
  return words;
}

void RanksCanvas::choose(std::optional<size_t> collective) {
  chosen_ = collective;
  if (aligned_) ask();
  update();
}

void RanksCanvas::mark_trace(TraceId trace) {
  marked_ = trace;
  update();
}

void RanksCanvas::align(bool at_collective) {
  aligned_ = at_collective;
  ask();
  update();
}

void RanksCanvas::order_by_host(bool on) {
  by_host_ = on;
  lay_out();
}

void RanksCanvas::toggle(int row) {
  if (row < 0 || row >= parts()) return;
  if (!open_.erase(row)) open_.insert(row);
  row_ = row;
  lay_out();
  tell_current();
}

void RanksCanvas::mousePressEvent(QMouseEvent* event) { drag_.press(event->position().x(), axis()); }

void RanksCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (drag_.is_pressed() && event->buttons()) {
    if (const auto range = drag_.move(event->position().x())) set_range(*range);
    return;
  }
  if (!data_) return;
  const At hit = at(event->position());
  const bool is_button = hit.row >= 0 && (hit.piece || hit.collective || event->position().x() < ranks::kLabels);
  setCursor(is_button ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void RanksCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (drag_.release() || event->button() != Qt::LeftButton || !data_) return;
  const At hit = at(event->position());
  if (hit.row < 0) return;
  row_ = hit.row;
  update();
  if (event->position().x() < ranks::kLabels) return toggle(hit.row);
  if (hit.collective) Q_EMIT collective_chosen(*hit.collective);
  else if (hit.piece && hit.piece->call.valid()) Q_EMIT call_chosen(hit.piece->call);
  else if (hit.piece && hit.piece->trace.valid()) Q_EMIT trace_chosen(hit.piece->trace);
}

void RanksCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->position().x() < ranks::kLabels) return;
  if (chosen_) frame();
  else fit();
}

void RanksCanvas::wheelEvent(QWheelEvent* event) {
  // Without Ctrl a wheel scrolls over ranks, of which there may be many.
  if (!(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) && !event->angleDelta().x())
    return event->ignore();
  set_range(axis().after(*event));
  event->accept();
}

void RanksCanvas::resizeEvent(QResizeEvent*) { ask(); }

void RanksCanvas::keyPressEvent(QKeyEvent* event) {
  if (parts() == 0 || event->modifiers() & (Qt::AltModifier | Qt::ControlModifier))
    return PaintedParts::keyPressEvent(event);
  if (const auto range = axis().after(*event)) return set_range(*range);
  const auto step = [this](int by) {
    const auto at = std::ranges::find(order_, row_) - order_.begin() + by;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(order_.size())) return;
    row_ = order_[static_cast<size_t>(at)];
    update();
    tell_current();
  };
  switch (event->key()) {
    case Qt::Key_Down: step(1); break;
    case Qt::Key_Up: step(-1); break;
    case Qt::Key_Space: toggle(row_); break;
    case Qt::Key_Period: Q_EMIT step_wanted(1); break;
    case Qt::Key_Comma: Q_EMIT step_wanted(-1); break;
    case Qt::Key_Return:
    case Qt::Key_Enter: Q_EMIT reason_wanted(); break;
    case Qt::Key_F: frame(); break;
    case Qt::Key_0:
    case Qt::Key_Home: fit(); break;
    default: PaintedParts::keyPressEvent(event);
  }
}

bool RanksCanvas::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PaintedParts::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString words = tip_at(help->pos());
  if (words.isEmpty()) QToolTip::hideText();
  else show_tip(help->globalPos(), words, this);
  return true;
}

}  // namespace footlight::app
