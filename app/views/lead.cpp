// Puts the sentence and its link side by side, or below each other.
#include "app/views/lead.h"

#include "app/views/theme.h"

#include <QBoxLayout>

namespace footlight::app {

Lead::Lead(Form form, QWidget* parent) : QWidget(parent) {
  const bool line = form == kLine;
  auto* box = new QBoxLayout(line ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom, this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(line ? 14 : 10);
  text_ = line ? new ElidedLabel : empty_label();
  link_ = new LinkButton({}, false);
  if (!line) box->addStretch(1);
  box->addWidget(text_, line ? 1 : 0);
  box->addWidget(link_, 0, Qt::AlignCenter);
  if (!line) box->addStretch(1);
  connect(link_, &QPushButton::clicked, this, [this] { Q_EMIT followed(lead_.view); });
  say({});
}

void Lead::say(const ViewLead& lead) {
  lead_ = lead;
  text_->setText(lead.text);
  text_->setStyleSheet(lead.tone.isEmpty() ? QString()
                                           : QStringLiteral("color: ") + theme().color(lead.tone).name());
  text_->setProperty("role", lead.tone.isEmpty() ? "dim" : "strong");
  link_->setText(lead.link);
  link_->setAccessibleName(lead.link);
  link_->setAccessibleDescription(lead.text);
  link_->setVisible(leads_on());
  link_->updateGeometry();
  setAccessibleName(lead.text);
}

}  // namespace footlight::app
