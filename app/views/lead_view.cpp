// Puts the sentence and the body into one place, of which one is visible.
#include "app/views/lead_view.h"

#include "app/views/layouts.h"

namespace footlight::app {

LeadView::LeadView(const Context& context, QWidget* body, QWidget* parent)
    : View(context, parent), empty_(new Lead(Lead::kMiddle)), body_(body) {
  auto* outer = column_in(this);
  connect(empty_, &Lead::followed, this, &View::wants_view);
  outer->addWidget(empty_, 1);
  outer->addWidget(body_, 1);
}

QWidget* LeadView::main_widget() {
  return empty_->isVisibleTo(this) && empty_->leads_on() ? empty_->link() : main_of_body();
}

void LeadView::show_body(bool any) {
  body_->setVisible(any);
  empty_->setVisible(!any);
}

}  // namespace footlight::app
