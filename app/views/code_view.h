// Lines of code: numbers, a stripe and a tint for the fate of each statement, a note at the end of the line.
#pragma once

#include "app/models/source_lines.h"

#include <QAbstractScrollArea>
#include <QSet>

namespace footlight::app {

class CodeView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit CodeView(QWidget* parent = nullptr);

  void set_lines(std::vector<CodeLine> lines);
  const std::vector<CodeLine>& lines() const { return lines_; }
  void set_empty_text(const QString& text) { empty_ = text; viewport()->update(); }
  void set_row_height(int height) { row_ = height; layout_lines(); }
  void set_dim(bool dim) { dim_ = dim; viewport()->update(); }  // generated code is paler than the user's
  void set_fit(bool fit);                                       // as tall as its content, no scrolling

  // The selected lines, and the line that produced a value (amber).
  void set_marks(const QSet<int>& selected, int value_line = 0);
  void set_hover(const QSet<int>& numbers);
  void reveal(int number, bool centre = true);
  int current() const { return current_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void activated(int number);          // by click or arrow key
  void hovered(int number);            // 0: the mouse has left

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void layout_lines();
  int row_at(const QPoint& point) const;
  int gutter() const;
  void walk(int row);

  std::vector<CodeLine> lines_;
  QString empty_;
  QSet<int> selected_, hover_;
  int value_line_ = 0;
  int current_ = 0;
  int row_ = 24;
  int widest_ = 0;
  bool dim_ = false, fit_ = false;
  int over_ = 0;
};

}  // namespace footlight::app
