// Labels and links that are elided when there is not enough room.
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
  // In the code font if it is a name, in the interface font if it is an action.
  LinkButton(const QString& text, bool code, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool code_;
};

// The text in the centre of an empty view.
QLabel* empty_label();
// A card around a view's code.
QFrame* card_with(QWidget* code);

}  // namespace footlight::app
