// Lines of code: costs in columns, a strip and a tint for the fate of each statement, a note at the end of the line.
#pragma once

#include "app/models/code_text.h"
#include "app/models/line_costs.h"
#include "app/views/find_bar.h"

#include <QAbstractScrollArea>
#include <QMenu>
#include <QSet>

#include <memory>

namespace footlight::app {

// As much of the note as fits, cut after a part or else between words: "traced 11 times…", never "traced 1…".
QString note_within(const QString& note, const QFont& font, double width);

class CodeView : public QAbstractScrollArea, public Searched {
  Q_OBJECT

 public:
  explicit CodeView(QWidget* parent = nullptr);

  void set_lines(std::vector<CodeLine> lines);
  const std::vector<CodeLine>& lines() const;   // the lines given to set_lines()
  void set_text(std::shared_ptr<const CodeText> text);
  const CodeText& text() const { return *text_; }
  // Columns left of the code; null: none. Lines are then not tinted.
  void set_costs(std::shared_ptr<const LineCosts> costs);
  void set_empty_text(const QString& text) { empty_ = text; viewport()->update(); }
  void set_row_height(int height) { row_ = height; layout_lines(); }
  void set_dim(bool dim) { dim_ = dim; viewport()->update(); }  // generated code is paler than the user's
  void set_fit(bool fit);                                       // makes it as tall as its content, without scrolling

  // The selected lines, and the line that produced a value (amber).
  void set_marks(const QSet<int>& selected, int value_line = 0);
  void set_hover(const QSet<int>& numbers);
  void reveal(int number, bool centre = true);
  // The number of the first line in view, and scrolling so that a line comes first.
  int first_shown() const;
  void show_first(int number);
  int current() const { return current_; }
  void go_to(int number) { walk(static_cast<int>(text_->row_of(number))); }  // like a click there
  int row_at(const QPoint& point) const;                                     // `point` in the viewport; -1: no row
  QRect row_rect(size_t row, int character) const;                           // place of a character, in the viewport
  QString spoken(size_t row) const;             // a line with all that is shown beside it, for a screen reader
  size_t painted_rows() const { return painted_; }  // rows in the last paint event
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

  size_t search_rows() const override { return text_->size(); }
  QString search_text(size_t row) const override { return text_->text(row); }
  size_t search_from() const override;
  void show_found(const Found* found) override;

 Q_SIGNALS:
  void activated(int number);          // by click or arrow key
  void hovered(int number);            // 0: the mouse has left
  void scrolled();                     // by wheel, bar or key
  void find_asked();                   // Ctrl+F
  void menu_opening(QMenu* menu, int number);  // `number`: the line; the view's owner may add entries

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  void layout_lines();
  int top() const { return costs_ ? 30 : 4; }   // top of the first line
  int numbers() const;                          // right end of the line numbers
  void walk(int row);
  void paint_row(QPainter& painter, size_t row, const QRectF& at) const;
  void paint_costs(QPainter& painter, const CostCell& cell, const QRectF& at) const;
  void paint_code(QPainter& painter, const CodeLine& line, size_t row, const QRectF& at, bool chosen) const;
  void paint_titles(QPainter& painter) const;

  std::shared_ptr<const CodeText> text_;
  std::shared_ptr<const LineCosts> costs_;
  int columns_[3] = {0, 0, 0};                  // right edges
  QString empty_;
  QSet<int> selected_, hover_;
  Found found_;
  bool has_found_ = false;
  int value_line_ = 0;
  int current_ = 0;
  int row_ = 24;
  bool dim_ = false, fit_ = false;
  int over_ = 0;
  size_t painted_ = 0;
};

}  // namespace footlight::app
