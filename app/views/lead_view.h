// A view that has a body, or in its place a sentence on why there is nothing to show, with the way on.
#pragma once

#include "app/views/lead.h"
#include "app/views/view.h"

namespace footlight::app {

class LeadView : public View {
  Q_OBJECT

 public:
  Lead* nothing() { return empty_; }  // text and actions of an empty view
  QWidget* main_widget() final;

 protected:
  LeadView(const Context& context, QWidget* body, QWidget* parent);
  virtual QWidget* main_of_body() = 0;  // gets the focus while the body is shown
  void show_body(bool any);             // else the sentence
  void say_nothing(const ViewLead& lead) { empty_->say(lead); }
  QWidget* body() { return body_; }

 private:
  Lead* empty_;
  QWidget* body_;
};

}  // namespace footlight::app
