// Builds the cards and tracks the selected one.
#include "app/views/findings_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QStyle>

#include <algorithm>

namespace footlight::app {

FindingWidget::FindingWidget(const FindingCard& card, QWidget* parent) : QFrame(parent), card_(card) {
  setObjectName(QStringLiteral("finding"));
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(card.title);
  setAccessibleDescription(card.detail + QStringLiteral(". ") + card.check);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(18, 9, 16, 10);
  grid->setHorizontalSpacing(26);
  grid->setVerticalSpacing(4);
  auto* title = new ElidedLabel(card.title);
  title->setProperty("role", "strong");
  auto* place = new LinkButton(card.place_text, true);
  place->setAccessibleName(QStringLiteral("Go to ") + card.place_text);
  if (card.place_text.isEmpty()) place->hide();
  connect(place, &QPushButton::clicked, this, &FindingWidget::place_chosen);
  auto* function = new ElidedLabel(card.function);
  function->setProperty("role", "faint");
  auto* detail = new ElidedLabel(card.detail);
  detail->setProperty("role", "dim");
  // In a narrow window, hide the function's name first, then the savings.
  title->setMinimumWidth(QFontMetrics(theme().ui(0, QFont::DemiBold)).horizontalAdvance(card.title) + 4);
  place->setMinimumWidth(place->sizeHint().width());
  auto* head = new QHBoxLayout;
  head->setSpacing(14);
  head->addWidget(title);
  head->addWidget(place);
  head->addWidget(function);
  head->addStretch(1);
  grid->addLayout(head, 0, 0);
  grid->addWidget(detail, 1, 0);
  if (!card.check.isEmpty()) {
    auto* check = new ElidedLabel(card.checked ? QString::fromUtf8("✓ ") + card.check : card.check);
    if (card.checked) check->setStyleSheet(QStringLiteral("color: ") + theme()["green"].name());
    else check->setProperty("role", "dim");
    auto* fix = new ElidedLabel(card.fix);
    fix->setFont(theme().code());
    // The savings are the point of the card, so this column is shortened last.
    check->setMinimumWidth(std::min(QFontMetrics(theme().ui()).horizontalAdvance(check->text()) + 4, 170));
    fix->setMinimumWidth(std::min(QFontMetrics(theme().code()).horizontalAdvance(card.fix) + 4, 170));
    grid->addWidget(check, 0, 1);
    grid->addWidget(fix, 1, 1);
  }
  grid->setColumnStretch(0, 3);
  grid->setColumnStretch(1, 0);
}

void FindingWidget::set_chosen(bool chosen) {
  if (property("chosen").toBool() == chosen) return;
  setProperty("chosen", chosen);
  style()->unpolish(this);
  style()->polish(this);
}

void FindingWidget::paintEvent(QPaintEvent* event) {
  QFrame::paintEvent(event);
  QPainter painter(this);
  rounded(painter, QRectF(1, 1, 4, height() - 2), 2, theme().color(card_.tone + QStringLiteral("Fill")));
}

void FindingWidget::mousePressEvent(QMouseEvent*) {
  setFocus(Qt::MouseFocusReason);
  Q_EMIT chosen();
}

void FindingWidget::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
    Q_EMIT chosen();
  } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
    focusNextPrevChild(event->key() == Qt::Key_Down);
  } else {
    QFrame::keyPressEvent(event);
  }
}

FindingsView::FindingsView(const Context& context, QWidget* parent) : View(context, parent) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  scroll_ = new QScrollArea;
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setAccessibleName(QStringLiteral("Findings"));
  auto* inside = new QWidget;
  column_ = new QVBoxLayout(inside);
  column_->setContentsMargins(14, 4, 14, 10);
  column_->setSpacing(8);
  scroll_->setWidget(inside);
  outer->addWidget(scroll_);
  build();
}

QWidget* FindingsView::main_widget() { return cards_.empty() ? static_cast<QWidget*>(scroll_) : cards_.front(); }

std::vector<FindingCard> FindingsView::shown_cards() const {
  std::vector<FindingCard> all;
  for (const FindingWidget* w : cards_) all.push_back(w->card());
  return all;
}

void FindingsView::reset() {
  shown_ = QStringLiteral("\n");
  seen_traces_ = seen_calls_ = SIZE_MAX;
  build();
}

void FindingsView::refresh() {
  // Findings change with new traces; more calls alone hardly change what a replay saves.
  const bool ended = document().end.has_value();
  if (seen_traces_ == document().traces.size() && (!ended || seen_calls_ == document().calls)) return;
  build();
}

void FindingsView::build() {
  seen_traces_ = document().traces.size();
  seen_calls_ = document().calls;
  std::vector<FindingCard> cards = finding_cards(document());
  QString contents = theme().name();
  for (const FindingCard& c : cards) contents += c.title + c.detail + c.check + c.place_text + QLatin1Char('\n');
  if (contents == shown_) return;
  shown_ = contents;
  while (QLayoutItem* item = column_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  cards_.clear();
  for (const FindingCard& c : cards) {
    auto* made = new FindingWidget(c);
    column_->addWidget(made);
    cards_.push_back(made);
    connect(made, &FindingWidget::chosen, this, [this, made] {
      select(made->card().target);
      follow_selection();
      Q_EMIT wants_view(QStringLiteral("retraces"));
    });
    connect(made, &FindingWidget::place_chosen, this, [this, made] {
      context_.selection->select(Selection::of_line(document(), made->card().place));
      Q_EMIT wants_view(QStringLiteral("source"));
    });
  }
  if (cards.empty()) {
    QLabel* none = plain_label(
        document().traces.empty()
            ? QStringLiteral("Findings about retraces appear here once functions have been traced.")
            : QStringLiteral("Nothing to report: no change of a call or of a function would spare a trace, as far as "
                             "was recorded."),
        "faint");
    none->setContentsMargins(6, 8, 6, 8);
    none->setWordWrap(true);
    column_->addWidget(none);
  }
  column_->addStretch(1);
  follow_selection();
  Q_EMIT count_changed(count());
}

void FindingsView::follow_selection() {
  for (FindingWidget* w : cards_) {
    const Selection& target = w->card().target;
    w->set_chosen(current().trace.valid() && current().trace == target.trace &&
                  current().kind == Selection::Kind::kTrace);
  }
}

}  // namespace footlight::app
