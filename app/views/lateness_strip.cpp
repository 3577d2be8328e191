// Four colours by powers of ten, as differences between ranks span many of them.
#include "app/views/lateness_strip.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/paint.h"
#include "app/views/ranks_sizes.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kTop = 8, kBottom = 22, kLeastColumn = 5, kWidestColumn = 26, kLeastRow = 3, kTallestRow = 10;
constexpr int64_t kSteps[] = {100'000, 1'000'000, 10'000'000};  // ns

QColor colour_of(int64_t ns) {
  const Theme& t = theme();
  if (ns < kSteps[0]) return t["tealSoft"];
  if (ns < kSteps[1]) return with_alpha(t["tealFill"], 0.55);
  return ns < kSteps[2] ? with_alpha(t["amberFill"], 0.55) : t["amberFill"];
}

// "3" of "Rank 3"
QString number_in(const QString& name) { return name.section(QLatin1Char(' '), -1); }

}  // namespace

LatenessStrip::LatenessStrip(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(QStringLiteral("Lateness by collective"));
  setAccessibleDescription(QStringLiteral("Left and right choose a collective"));
  setCursor(Qt::PointingHandCursor);
}

QSize LatenessStrip::sizeHint() const {
  const double rows = data_ ? static_cast<double>(data_->rows.size()) : 4;
  return {400, static_cast<int>(kTop + kBottom + std::clamp(rows * 8, 32.0, 112.0))};
}

QRectF LatenessStrip::field() const {
  return {ranks::kLabels, kTop, std::max(1.0, width() - ranks::kLabels - ranks::kRight), height() - kTop - kBottom};
}

size_t LatenessStrip::columns() const { return late_ns_.size(); }

double LatenessStrip::column_width() const {
  return columns() ? std::min(kWidestColumn, field().width() / static_cast<double>(columns())) : 1;
}

double LatenessStrip::row_height() const {
  const double rows = data_ ? std::max<double>(1, static_cast<double>(data_->rows.size())) : 1;
  return std::clamp(field().height() / rows, kLeastRow, kTallestRow);
}

void LatenessStrip::set_data(RanksPtr data) {
  data_ = std::move(data);
  chosen_.reset();
  setFixedHeight(sizeHint().height());
  measure();
}

void LatenessStrip::choose(std::optional<size_t> collective) {
  chosen_ = collective;
  update();
}

void LatenessStrip::show_range(int64_t from, int64_t to) {
  from_ = from;
  to_ = to;
  update();
}

void LatenessStrip::measure() {
  late_ns_.clear();
  const size_t count = data_ ? data_->ranks.collectives.size() : 0;
  const auto most = static_cast<size_t>(std::max(1.0, field().width() / kLeastColumn));
  late_ns_.resize(std::min(count, most));
  for (size_t column = 0; column < late_ns_.size(); ++column) {
    late_ns_[column].assign(data_->rows.size(), -1);
    for (size_t i = column * count / late_ns_.size(); i < (column + 1) * count / late_ns_.size(); ++i) {
      const int64_t usual = data_->usual_arrival(i);
      for (const query::Arrival& arrival : data_->collective(i).arrivals) {
        const int row = data_->row_of(arrival.process);
        if (row < 0) continue;
        int64_t& late = late_ns_[column][static_cast<size_t>(row)];
        late = std::max<int64_t>({late, 0, arrival.start_ns - usual});
      }
    }
  }
  update();
}

std::pair<size_t, size_t> LatenessStrip::collectives_at(double x) const {
  const double at = (x - field().left()) / column_width();
  if (!columns() || at < 0 || at >= static_cast<double>(columns())) return {};
  const auto column = static_cast<size_t>(at);
  const size_t count = data_->ranks.collectives.size();
  return {column * count / columns(), (column + 1) * count / columns()};
}

size_t LatenessStrip::worst_of(std::pair<size_t, size_t> some) const {
  size_t worst = some.first;
  for (size_t i = some.first; i < some.second; ++i)
    if (data_->skew(i) > data_->skew(worst)) worst = i;
  return worst;
}

QString LatenessStrip::tip_at(QPointF point) const {
  const auto some = collectives_at(point.x());
  if (some.first == some.second) return {};
  const auto row = static_cast<size_t>(std::max(0.0, (point.y() - kTop) / row_height()));
  const size_t worst = worst_of(some);
  QString words = some.second - some.first == 1
                      ? data_->name_of(worst)
                      : counted(some.second - some.first, "collective", "collectives") +
                            QStringLiteral(", the worst ") + data_->name_of(worst);
  words += QStringLiteral(": last ") + duration_text(data_->skew(worst)) + QStringLiteral(" after the first");
  if (row >= data_->rows.size()) return words;
  const query::Collective& one = data_->collective(worst);
  const query::Arrival* const own = one.of(data_->rows[row].process);
  if (!own) return words;
  const int64_t late = own->start_ns - data_->usual_arrival(worst);
  return words + QStringLiteral("; ") + data_->rows[row].name +
         (late < 0 ? QStringLiteral(" %1 before the median").arg(duration_text(-late))
                   : QStringLiteral(" %1 after the median").arg(duration_text(late)));
}

void LatenessStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!data_ || !columns()) return;
  const Theme& t = theme();
  const QRectF field = this->field();
  text_in(painter, QRectF(14, kTop, ranks::kLabels - 40, 16), QStringLiteral("Lateness"), t["text"],
          t.ui(-1, QFont::DemiBold));
  text_in(painter, QRectF(14, kTop + 15, ranks::kLabels - 40, 14), QStringLiteral("by collective"), t["faint"],
          t.ui(-3));
  const double step = column_width(), tall = row_height();
  const query::LateArrival* const late = chosen_ ? data_->late_at(*chosen_) : nullptr;
  const int late_row = late ? data_->row_of(late->process) : -1;
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (size_t row = 0; row < data_->rows.size(); ++row) {
    const double y = field.top() + static_cast<double>(row) * tall;
    if (y > field.bottom()) break;
    for (size_t column = 0; column < columns(); ++column)
      if (late_ns_[column][row] >= 0)
        painter.fillRect(QRectF(field.left() + static_cast<double>(column) * step, y, std::max(1.0, step - 1),
                                std::max(1.0, tall - 1)),
                         colour_of(late_ns_[column][row]));
    if (tall >= 8 || static_cast<int>(row) == late_row)
      text_in(painter, QRectF(ranks::kLabels - 34, y - 3, 28, tall + 5), number_in(data_->rows[row].name),
              t[static_cast<int>(row) == late_row ? "amber" : "faint"], t.ui(-4), Qt::AlignRight | Qt::AlignVCenter);
  }
  const double below = field.top() + tall * static_cast<double>(data_->rows.size());
  // The visible stretch, and the chosen collective in it.
  const auto place = [&](size_t collective) {
    return field.left() + step * std::floor((static_cast<double>(collective) + 0.5) * static_cast<double>(columns()) /
                                            static_cast<double>(data_->ranks.collectives.size()));
  };
  const auto& all = data_->ranks.collectives;
  const auto begins = [](const query::Collective& one) {
    return one.arrivals.empty() ? INT64_MIN : one.last().start_ns;
  };
  const auto first = std::ranges::partition_point(all, [&](const auto& one) { return begins(one) < from_; });
  const auto last = std::ranges::partition_point(all, [&](const auto& one) { return begins(one) <= to_; });
  if (first < last && last - first < static_cast<std::ptrdiff_t>(all.size()))
    rounded(painter,
            QRectF(place(static_cast<size_t>(first - all.begin())) - 2, field.top() - 3,
                   place(static_cast<size_t>(last - all.begin()) - 1) + step + 2 -
                       place(static_cast<size_t>(first - all.begin())),
                   below - field.top() + 5),
            3, {}, t["text"], 1.3);
  if (chosen_) {
    const double x = place(*chosen_);
    painter.fillRect(QRectF(x, below + 2, std::max(2.0, step - 1), 3), t["amberFill"]);
    text_in(painter, QRectF(std::clamp(x - 60, field.left(), field.right() - 220), below + 5, 124, 15),
            data_->name_of(*chosen_), t["amber"], t.ui(-3), Qt::AlignCenter);
  }
  // What the colours mean.
  constexpr const char* kWords[] = {"< 0.1 ms", "0.1", "1", "10 ms +"};
  constexpr double kWidths[] = {58, 36, 28, 56};
  double x = field.right() - 190;
  for (size_t i = 0; i < 4; ++i) {
    painter.fillRect(QRectF(x, height() - 14, 8, 8), colour_of(i ? kSteps[i - 1] : 0));
    text_in(painter, QRectF(x + 12, height() - 18, kWidths[i] - 10, 16), QLatin1String(kWords[i]), t["faint"],
            t.ui(-3));
    x += kWidths[i];
  }
  focus_ring(painter, this);
}

void LatenessStrip::mousePressEvent(QMouseEvent* event) {
  const auto some = collectives_at(event->position().x());
  if (some.first < some.second) Q_EMIT collective_chosen(worst_of(some));
}

void LatenessStrip::keyPressEvent(QKeyEvent* event) {
  const size_t count = data_ ? data_->ranks.collectives.size() : 0;
  if (!count) return QWidget::keyPressEvent(event);
  const size_t now = chosen_.value_or(0);
  if (event->key() == Qt::Key_Right) Q_EMIT collective_chosen(chosen_ ? std::min(count - 1, now + 1) : 0);
  else if (event->key() == Qt::Key_Left) Q_EMIT collective_chosen(now ? now - 1 : 0);
  else if (event->key() == Qt::Key_Home) Q_EMIT collective_chosen(0);
  else if (event->key() == Qt::Key_End) Q_EMIT collective_chosen(count - 1);
  else QWidget::keyPressEvent(event);
}

void LatenessStrip::resizeEvent(QResizeEvent*) { measure(); }

bool LatenessStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString words = data_ ? tip_at(help->pos()) : QString();
  if (words.isEmpty()) QToolTip::hideText();
  else show_tip(help->globalPos(), words, this);
  return true;
}

}  // namespace footlight::app
