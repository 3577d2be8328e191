// A change of a script as coloured lines that can be selected and read out.
#pragma once

#include "app/models/edit_lines.h"

#include <QPlainTextEdit>

namespace footlight::app {

class EditView : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit EditView(QWidget* parent = nullptr);
  void set_lines(const std::vector<EditLine>& lines);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
};

}  // namespace footlight::app
