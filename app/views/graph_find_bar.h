// The search of the Graph view: a field over the canvas, what it found, and steps through it.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>

namespace footlight::app {

class GraphFindBar : public QFrame {
  Q_OBJECT

 public:
  explicit GraphFindBar(QWidget* parent);
  void open();
  void show_count(size_t at, size_t of);  // at 0: none is selected
  QString text() const { return field_->text(); }
  QLineEdit* field() { return field_; }

 Q_SIGNALS:
  void asked(const QString& words);
  void step_asked(int by);
  void closed();

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void give_up();
  QLineEdit* field_;
  QLabel* count_;
  QPushButton *back_, *on_;
  QTimer patience_;  // until the user stops typing
};

}  // namespace footlight::app
