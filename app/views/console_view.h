// The Console: output, errors and tf.print, each with its tag and colour, and links to source lines.
#pragma once

#include "app/models/console_model.h"
#include "app/views/view.h"

#include <QLineEdit>
#include <QPlainTextEdit>

namespace footlight::app {

// A text edit with a margin for tags on the left.
class ConsoleText : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit ConsoleText(QWidget* parent = nullptr);
  void set_tags(const std::vector<ConsoleLine>* lines, size_t first) { lines_ = lines; first_ = first; }

  // Opens the next source location in the text (-1: the previous one), wrapping around. False if there is none.
  bool step_link(int by);

 Q_SIGNALS:
  void link_activated(const QString& path, int line);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void paint_tags();
  bool open_link(const QTextCursor& cursor);
  QWidget* margin_;
  const std::vector<ConsoleLine>* lines_ = nullptr;
  size_t first_ = 0;
};

class ConsoleView : public View {
  Q_OBJECT

 public:
  ConsoleView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override {}
  QWidget* main_widget() override { return text_; }

  void note(const QString& text);
  void show_theme();                     // rewrites the text, which contains colours
  void set_input_open(bool open);
  const ConsoleLines& lines() const { return lines_; }
  ConsoleText* text() { return text_; }
  QLineEdit* input() { return input_; }

 Q_SIGNALS:
  void nowhere(const QString& path);   // the file of a location does not exist
  void entered(const QString& line);
  void input_ended();

 private:
  void write_from(size_t line);

  ConsoleLines lines_;
  ConsoleText* text_;
  QWidget* input_row_;
  QLineEdit* input_;
  size_t written_ = 0;   // lines in the text
  size_t dropped_ = 0;   // lines before the first one in the text
};

}  // namespace footlight::app
