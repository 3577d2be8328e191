// The Console: output, errors and tf.print, each with its tag and colour, and links to source lines.
#pragma once

#include "app/models/console_model.h"
#include "app/views/find_bar.h"
#include "app/views/view.h"

#include <QElapsedTimer>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <functional>
#include <optional>

namespace footlight::app {

// A text edit with a margin for tags on the left.
class ConsoleText : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit ConsoleText(QWidget* parent = nullptr);
  // The line that a block shows, if it shows one.
  void set_tags(std::function<std::optional<ConsoleLine>(int block)> line_of) { line_of_ = std::move(line_of); }
  void set_typing(bool typing) { typing_ = typing; }

  // Opens the next source location in the text (-1: the previous one), wrapping around. False if the text has none.
  bool step_link(int by);

 Q_SIGNALS:
  void link_activated(const QString& path, int line);
  void typed(const QString& text);   // while the script reads input
  void find_asked();

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void paint_tags();
  bool open_link(const QTextCursor& cursor);
  QWidget* margin_;
  std::function<std::optional<ConsoleLine>(int block)> line_of_;
  bool typing_ = false;
};

class ConsoleView : public View, public Searched {
  Q_OBJECT

 public:
  ConsoleView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override {}
  // While the script reads input, keys go there.
  QWidget* main_widget() override { return input_open_ ? static_cast<QWidget*>(input_) : text_; }

  void note(const QString& text);
  void show_theme();                     // rewrites the text, which contains colours
  void set_input_open(bool open);
  const ConsoleLines& lines() const { return lines_; }
  ConsoleText* text() { return text_; }
  QLineEdit* input() { return input_; }
  QLineEdit* filter() { return filter_; }
  QPushButton* stream_button(session::ConsoleStream stream) { return streams_[static_cast<size_t>(stream)]; }
  FindBar* find() { return find_; }
  QString count_text() const { return count_->text(); }
  bool working() const { return slices_.isActive(); }

  size_t rows() const { return filtered() ? kept_.size() : lines_.size(); }
  size_t search_rows() const override { return rows(); }
  QString search_text(size_t row) const override { return lines_.text(document(), number(row)); }
  size_t search_from() const override;
  void show_found(const Found* found) override;

 Q_SIGNALS:
  void nowhere(const QString& path);   // the file of a location does not exist
  void entered(const QString& line);
  void input_ended();

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void build_bar(QVBoxLayout* column);
  void build_input(QVBoxLayout* column);
  void end_input();
  bool filtered() const;
  bool keeps(size_t number) const;
  size_t number(size_t row) const { return filtered() ? kept_[row] : row; }  // number of the line in a row
  ConsoleLine line(size_t row) const { return lines_.line(document(), number(row)); }
  void filter_changed();
  void slice();                         // takes and filters some more lines
  void changed_from(size_t line);
  void write();
  void show_rows(size_t first, size_t count);
  void append(QTextCursor& cursor, const ConsoleLine& line);
  void say_count();

  ConsoleLines lines_;
  std::vector<uint32_t> kept_;   // lines that pass the filter, if there is one
  size_t filtered_ = 0;          // lines that the filter has seen
  QTimer slices_;
  QElapsedTimer written_at_;
  ConsoleText* text_;
  QLineEdit *filter_, *input_;
  QPushButton* streams_[4];
  QLabel* count_;
  FindBar* find_;
  QWidget* input_row_;
  size_t first_ = 0, written_ = 0;   // the rows in the text
  size_t stale_ = SIZE_MAX;          // the first row whose text has changed since
  bool at_end_ = true;               // the text holds the last rows, and goes on with new ones
  bool input_open_ = false;
};

}  // namespace footlight::app
