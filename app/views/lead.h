// A view's sentence with the way on: in a line above the view, or in the middle of an empty one.
#pragma once

#include "app/models/view_leads.h"
#include "app/views/labels.h"

namespace footlight::app {

class Lead : public QWidget {
  Q_OBJECT

 public:
  enum Form { kLine, kMiddle };
  explicit Lead(Form form, QWidget* parent = nullptr);
  void say(const ViewLead& lead);
  QString text() const { return text_->text(); }
  LinkButton* link() { return link_; }
  // Whether there is a way on, which then gets the keys of a view that has nothing else.
  bool leads_on() const { return !lead_.view.isEmpty(); }

 Q_SIGNALS:
  void followed(const QString& view);

 private:
  ViewLead lead_;
  QLabel* text_;
  LinkButton* link_;
};

}  // namespace footlight::app
