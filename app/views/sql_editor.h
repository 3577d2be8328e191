// Edits a statement: colours of SQL, a mark where it is wrong, Ctrl+Enter to run it.
#pragma once

#include <QPlainTextEdit>
#include <QSyntaxHighlighter>

namespace footlight::app {

class SqlColours : public QSyntaxHighlighter {
 public:
  explicit SqlColours(QTextDocument* document) : QSyntaxHighlighter(document) {}
  void set_names(const QStringList& tables) { tables_ = tables; }

 protected:
  void highlightBlock(const QString& text) override;

 private:
  QStringList tables_;
};

class SqlEditor : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit SqlEditor(QWidget* parent = nullptr);
  void set_statement(const QString& text);
  void set_names(const QStringList& tables) { colours_->set_names(tables); }
  void mark_error(int offset);  // -1: at no certain place, and no mark
  void show_theme();

 Q_SIGNALS:
  void run_asked();
  void stop_asked();  // Esc

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  SqlColours* colours_;
};

}  // namespace footlight::app
