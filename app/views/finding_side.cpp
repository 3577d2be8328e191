// Lists findings as buttons, the rest as text.
#include "app/views/finding_side.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QStyle>

namespace footlight::app {
namespace {

constexpr qsizetype kMaxTexts = 40;

QString with_number(const FindingCard& card) {
  return card.number.isEmpty() ? card.title : card.number + QStringLiteral(": ") + card.title;
}

// A finding in two lines: its title; its line and what it would save.
class SideCard : public QPushButton {
 public:
  explicit SideCard(const FindingCard& card) : card_(card) {
    setObjectName(QStringLiteral("sideCard"));
    setFixedHeight(54);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(card.title);
    setAccessibleDescription(card.place_text + QStringLiteral(". ") + card.check);
    set_tip(this, card.title);
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QPushButton::paintEvent(event);
    QPainter painter(this);
    const QRectF inside = QRectF(rect()).adjusted(13, 7, -13, -7);
    const double half = inside.height() / 2;
    const Theme& t = theme();
    text_in(painter, QRectF(inside.topLeft(), QSizeF(inside.width(), half)), with_number(card_), t["text"],
            t.ui(0, QFont::DemiBold));
    // Green is what a check has shown to be saved; else the cost stands there.
    const bool saves = card_.finding && card_.finding->checked.ok && card_.finding->saved_ns > 0;
    const bool costs = card_.finding && card_.finding->severity == explain::Severity::kCost;
    const int64_t ns = saves ? card_.finding->saved_ns : costs ? card_.finding->cost_ns : 0;
    const QString time = ns > 0 ? (saves ? QString::fromUtf8("−") : QString()) + duration_text(ns) : QString();
    const QRectF below(inside.left(), inside.top() + half, inside.width(), half);
    text_in(painter, below.adjusted(0, 0, ns > 0 ? -80 : 0, 0), card_.place_text, t["blue"], t.code(-1));
    text_in(painter, below, time, t[saves ? "green" : "faint"], t.code(-1), Qt::AlignRight | Qt::AlignVCenter);
  }

 private:
  FindingCard card_;
};

}  // namespace

FindingSide::FindingSide(QWidget* parent) : QScrollArea(parent) {
  setObjectName(QStringLiteral("inspector"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setFocusPolicy(Qt::NoFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(QStringLiteral("All findings"));
}

void FindingSide::set_findings(const FindingList& list) {
  cards_.clear();
  auto* inside = new QWidget;
  column_ = new QVBoxLayout(inside);
  column_->setContentsMargins(14, 14, 14, 14);
  column_->setSpacing(7);
  column_->addWidget(plain_label(QStringLiteral("Findings"), "title"));
  if (list.cards.empty()) column_->addWidget(plain_label(QStringLiteral("None in this recording"), "faint"));
  for (const FindingCard& card : list.cards) {
    auto* button = new SideCard(card);
    connect(button, &QPushButton::clicked, this, [this, card] { Q_EMIT finding_chosen(card); }, Qt::QueuedConnection);
    column_->addWidget(button);
    cards_.emplace_back(button, card);
  }
  add_texts(QStringLiteral("Checked, and no finding"), list.dropped);
  if (!list.not_found.empty()) {
    column_->addSpacing(12);
    column_->addWidget(plain_label(QStringLiteral("Checked, no problem"), "group"));
  }
  for (const LookedFor& looked : list.not_found) {
    auto* where = plain_label(looked.where, "faint");
    where->setWordWrap(true);
    column_->addSpacing(4);
    column_->addWidget(where);
    add_list(looked.causes);
  }
  column_->addStretch(1);
  setWidget(inside);
}

void FindingSide::add_texts(const QString& heading, const QStringList& texts) {
  if (texts.isEmpty()) return;
  column_->addSpacing(12);
  column_->addWidget(plain_label(heading, "group"));
  add_list(texts);
}

void FindingSide::add_list(const QStringList& texts) {
  for (const QString& text : texts.mid(0, kMaxTexts)) {
    auto* label = plain_label(text, "dim");
    label->setWordWrap(true);
    column_->addWidget(label);
  }
  if (texts.size() > kMaxTexts)
    column_->addWidget(plain_label(QString::fromUtf8("… %1 more").arg(texts.size() - kMaxTexts), "faint"));
}

void FindingSide::set_chosen(const FindingCard& card) {
  for (const auto& [button, of] : cards_) {
    const bool same = of.number == card.number && of.title == card.title && of.function == card.function;
    button->setProperty("chosen", same);
    button->style()->unpolish(button);
    button->style()->polish(button);
  }
}

}  // namespace footlight::app
