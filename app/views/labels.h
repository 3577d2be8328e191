// Labels, links and tool tips. They show plain text only, even if it looks like HTML, because names and messages come
// from files of strangers. Elided labels and links are cut when there is not enough room.
#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace footlight::app {

// The one way to make a label: `role` as the style sheet knows it. Where it wraps, no long word makes it wide.
QLabel* plain_label(const QString& text = {}, const char* role = nullptr, QWidget* parent = nullptr);
QLabel* elided_label(const QString& text = {}, const char* role = nullptr, QWidget* parent = nullptr);
// The two ways to a tool tip; models give theirs through plain_tip() (app/models/text.h).
void set_tip(QWidget* widget, const QString& text);
void show_tip(const QPoint& at, const QString& text, QWidget* widget);

class ElidedLabel : public QLabel {
 public:
  explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

class LinkButton : public QPushButton {
 public:
  // Uses the code font for a name, and the interface font for an action.
  LinkButton(const QString& text, bool code, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool code_;
};

// A small button in a row of them; a checkable one shows whether it is on.
QPushButton* chip_button(const QString& text, const QString& tip = {});
QPushButton* chip_switch(const QString& text, const QString& tip, bool on = false);

// The text in the middle of a view that has nothing to show.
QLabel* empty_label();
// A card in which a view's code stands.
QFrame* card_with(QWidget* code);
// One of several columns of the same width, whatever their headings: a row at least so high, with the title if there is
// one, above a widget. `head` gets that row.
QWidget* column_with(QWidget* below, const QString& title, int head_height, QHBoxLayout** head);

}  // namespace footlight::app
