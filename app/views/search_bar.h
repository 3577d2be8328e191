// Base of the find bars: a field, the number of matches, buttons and keys to step through them and to close.
#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace footlight::app {

// Enter and Shift+Enter step, Escape closes.
class SearchBar : public QFrame {
  Q_OBJECT

 public:
  void open();
  QLineEdit* input() { return input_; }
  QString count_text() const { return count_->text(); }

 protected:
  // `name`: of the field, for screen readers; `what` is found: "place".
  SearchBar(const QString& hint, const QString& name, const QString& what, QWidget* parent);

  virtual void step(int by) = 0;
  virtual void close_bar() = 0;
  virtual void opened() {}
  void show_count(const QString& text, bool any);
  QHBoxLayout* row() { return row_; }
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  QHBoxLayout* row_;
  QLineEdit* input_;
  QLabel* count_;
  QPushButton *back_, *on_;
};

}  // namespace footlight::app
