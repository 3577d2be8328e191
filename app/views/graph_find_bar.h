// The search of the Graph view: a field over the canvas, what it found, and steps through it.
#pragma once

#include "app/views/search_bar.h"

#include <QTimer>

namespace footlight::app {

class GraphFindBar : public SearchBar {
  Q_OBJECT

 public:
  explicit GraphFindBar(QWidget* parent);
  void show_found(size_t at, size_t of);  // at 0: none is selected
  QString text() { return input()->text(); }

 Q_SIGNALS:
  void asked(const QString& words);
  void step_asked(int by);
  void closed();

 protected:
  void step(int by) override;
  void close_bar() override;

 private:
  QTimer patience_;  // until the user stops typing
};

}  // namespace footlight::app
