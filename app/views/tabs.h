// A flat tab bar: text only, the selected tab bold with an amber underline.
#pragma once

#include <QTabBar>

namespace footlight::app {

class Tabs : public QTabBar {
  Q_OBJECT

 public:
  explicit Tabs(bool underline, QWidget* parent = nullptr);
  // Texts are cut if they do not fit.
  void set_cuts(bool cuts) { cuts_ = cuts; }
  // A number after the name ("Findings 2"); 0: none.
  void set_count(int index, int count);

 protected:
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString shown(int index) const;
  bool underline_, cuts_ = false;
};

}  // namespace footlight::app
