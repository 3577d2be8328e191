// Chooses the two sides of a comparison of recordings, and says how far it is.
#pragma once

#include "app/models/compare_sides.h"
#include "app/views/labels.h"

#include <QComboBox>
#include <QProgressBar>
#include <QSpinBox>

namespace footlight::app {

// One side: recording, function, all calls or a trace or a call, its number.
class CompareSideBox : public QWidget {
  Q_OBJECT

 public:
  explicit CompareSideBox(const QString& name, QWidget* parent = nullptr);
  // `earlier`: other recordings, by path.
  void set_document(const Document& document, const std::vector<std::pair<QString, QString>>& earlier);
  void set_side(const CompareSide& side);
  CompareSide side() const;

  QComboBox* recording_box() { return recording_; }
  QPushButton* file_button() { return file_; }
  QComboBox* function_box() { return function_; }
  QComboBox* which_box() { return which_; }
  QSpinBox* number_box() { return number_; }

 private:
  void add_recording(const QString& path, const QString& title);
  void ask_for_file();
  void show_parts();

  const Document* document_ = nullptr;
  QComboBox *recording_, *function_, *which_;
  QSpinBox* number_;
  QPushButton* file_;
};

class CompareSides : public QFrame {
  Q_OBJECT

 public:
  explicit CompareSides(QWidget* parent = nullptr);

  void set_document(const Document& document);
  void offer(const CompareSide& left, const CompareSide& right);
  void show_running(bool running);
  void show_failure(const QString& why);   // empty: none
  void set_can_leave(bool can);            // there is a comparison to go back to
  bool running() const { return running_; }

  CompareSideBox* left() { return left_; }
  CompareSideBox* right() { return right_; }
  QPushButton* button() { return button_; }
  QPushButton* cancel_button() { return cancel_; }
  QString failure() const { return failure_->text(); }
  // The newest recording of the same script besides the open one; empty: none.
  static QString earlier_run(const Document& document);

 Q_SIGNALS:
  void chosen(const footlight::app::CompareSide& left, const footlight::app::CompareSide& right);
  void cancelled();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show_buttons();

  bool running_ = false, can_leave_ = false;
  CompareSideBox *left_, *right_;
  QPushButton *button_, *cancel_;
  QProgressBar* bar_;
  QLabel* failure_;
};

}  // namespace footlight::app
