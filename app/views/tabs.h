// A tab bar as the window has it: words, the chosen one bold with an amber line under it.
#pragma once

#include <QTabBar>

namespace footlight::app {

class Tabs : public QTabBar {
  Q_OBJECT

 public:
  explicit Tabs(bool underline, QWidget* parent = nullptr);
  // A number behind the name ("Findings 2"); 0: none.
  void set_count(int index, int count);

 protected:
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }
  void paintEvent(QPaintEvent* event) override;

 private:
  QString shown(int index) const;
  bool underline_;
};

}  // namespace footlight::app
