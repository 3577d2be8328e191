// Rebuilds the box for a row.
#include "app/views/compare_row_box.h"

#include "app/models/text.h"
#include "app/views/layouts.h"
#include "app/views/theme.h"

namespace footlight::app {

CompareRowBox::CompareRowBox(QWidget* parent) : QWidget(parent) {
  setAccessibleName(QStringLiteral("Selected row"));
  column_ = column_in(this, {14, 6, 4, 6});
  clear();
}

void CompareRowBox::rebuild() {
  if (body_) {
    body_->hide();
    body_->deleteLater();  // one of its links may be what asked
  }
  body_ = new QWidget;
  column_in(body_, {}, 6);
  column_->addWidget(body_);
}

void CompareRowBox::clear() { rebuild(); }

QLabel* CompareRowBox::add(QLabel* label) {
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  inside()->addWidget(label);
  return label;
}

void CompareRowBox::add_facts(const RowFacts& facts) {
  add(plain_label(facts.title + QString::fromUtf8("  ·  ") + facts.badge, "heading"));
  auto* grid = new QFormLayout;
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(14);
  grid->setVerticalSpacing(3);
  for (const CompareFact& fact : facts.facts) {
    QWidget* value;
    if (fact.place) {
      auto* link = new LinkButton(fact.value, true);
      connect(link, &QPushButton::clicked, this, [this, place = fact.place] { Q_EMIT place_chosen(place); });
      value = link;
    } else {
      auto* label = new ElidedLabel(fact.value);
      label->setFont(theme().code());
      value = label;
    }
    grid->addRow(plain_label(fact.label, "dim"), value);
  }
  inside()->addLayout(grid);
  if (!facts.why.isEmpty()) add(plain_label(facts.why, "dim"));
}

void CompareRowBox::show_facts(const RowFacts& facts) {
  rebuild();
  add_facts(facts);
  inside()->addStretch(1);
}

void CompareRowBox::show_row(const Document& document, const explain::Comparison& c, int row, const QString& piece) {
  rebuild();
  if (row >= 0 && static_cast<size_t>(row) < c.rows.size())
    add_facts(facts_of_row(document, c, c.rows[static_cast<size_t>(row)]));
  if (!piece.isEmpty()) add(plain_label(piece, "dim"));
  const QString worth = q(explain::worth_of(c));
  if (!worth.isEmpty()) {
    if (c.worth_from) {
      auto* head = add(plain_label(QStringLiteral("Worth it from call ") + count_text(*c.worth_from), "strong"));
      head->setObjectName(QStringLiteral("worthFrom"));
    }
    add(plain_label(worth, "dim"));
  }
  inside()->addStretch(1);
}

QString CompareRowBox::shown_text() const {
  QStringList all;
  for (const QLabel* label : body_->findChildren<QLabel*>()) all << label->text();
  for (const QPushButton* link : body_->findChildren<QPushButton*>()) all << link->text();
  return all.join(QLatin1Char('\n'));
}

}  // namespace footlight::app
