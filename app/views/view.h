// Base of the centre tabs: a widget that shows the session and the one selection.
#pragma once

#include "app/models/selection.h"
#include "app/session/session.h"

#include <QWidget>

namespace footlight::app {

struct Context {
  Session* session = nullptr;
  SelectionModel* selection = nullptr;
  const Document& document() const { return session->document(); }
};

class View : public QWidget {
  Q_OBJECT

 public:
  View(const Context& context, QWidget* parent) : QWidget(parent), context_(context) {}

  virtual void reset() = 0;             // a new document
  virtual void refresh() = 0;           // the document has grown
  virtual void follow_selection() = 0;
  virtual QWidget* main_widget() = 0;   // gets the focus when the tab is shown
  virtual bool busy() const { return false; }

 Q_SIGNALS:
  void wants_view(const QString& name);

 protected:
  const Document& document() const { return context_.document(); }
  const Selection& current() const { return context_.selection->current(); }
  void select(const Selection& selection) { context_.selection->select(selection, this); }

  Context context_;
};

}  // namespace footlight::app
