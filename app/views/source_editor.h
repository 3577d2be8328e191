// Edits a Python file on the disk: colours, undo, finding; saves it whole or not at all, and never over a change that
// somebody else made meanwhile.
#pragma once

#include "app/models/python_tokens.h"
#include "app/views/find_bar.h"

#include <QFileSystemWatcher>
#include <QPlainTextEdit>
#include <QSyntaxHighlighter>

namespace footlight::app {

class PythonColours : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

 protected:
  void highlightBlock(const QString& text) override;
};

class SourceEditor : public QPlainTextEdit, public Searched {
  Q_OBJECT

 public:
  explicit SourceEditor(QWidget* parent = nullptr);

  // Empty: opened. Else why not.
  QString open(const QString& path);
  // Empty: saved, or there was nothing to save. Else why not; `force` writes over what changed on the disk.
  QString save(bool force = false);
  QString reload() { return open(path_); }
  bool modified() const { return document()->isModified(); }
  const QString& path() const { return path_; }
  QString on_disk() const { return base_; }  // the text as last read or written
  void show_line(int number);
  int line() const { return textCursor().blockNumber() + 1; }
  void show_theme();

  size_t search_rows() const override { return static_cast<size_t>(document()->blockCount()); }
  QString search_text(size_t row) const override;
  size_t search_from() const override { return static_cast<size_t>(textCursor().blockNumber()); }
  void show_found(const Found* found) override;

 Q_SIGNALS:
  void save_asked();
  void find_asked();
  void leave_asked();                // Esc
  void disk_changed(bool modified);  // another program changed the file; `modified`: the text was changed here too

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void look_at_disk();
  void place_margin();
  void paint_numbers();
  void indent_new_line();
  QString whole() const;
  QByteArray bytes() const;

  QString path_, base_;
  bool windows_ends_ = false, mark_ = false;  // line ends of two characters; a byte order mark
  QFileSystemWatcher watcher_;
  PythonColours* colours_;
  QWidget* margin_;
};

}  // namespace footlight::app
