// Text that gives way: labels and links that are cut with an ellipsis where there is no room for all of them.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace footlight::app {

class ElidedLabel : public QLabel {
 public:
  explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

class LinkButton : public QPushButton {
 public:
  // In the code font when it names something, in the interface font when it is an action.
  LinkButton(const QString& text, bool code, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool code_;
};

// What a view says in its middle while it has nothing to show.
QLabel* empty_label();
// A card in which a view's code stands.
QFrame* card_with(QWidget* code);

}  // namespace footlight::app
