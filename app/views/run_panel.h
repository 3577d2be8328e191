// The panel of what the script is run with: interpreter, working directory, arguments, environment, each with its
// picker or its check.
#pragma once

#include "app/session/run_options.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

namespace footlight::app {

class RunPanel : public QDialog {
  Q_OBJECT

 public:
  explicit RunPanel(QWidget* parent = nullptr);

  // `usual`: the interpreter that runs the script when none is chosen.
  void show_options(const QString& script, const RunOptions& options, const QString& usual);
  RunOptions options() const;

  QComboBox* python() { return python_; }
  QLineEdit* directory() { return directory_; }
  QLineEdit* arguments() { return arguments_; }
  QPlainTextEdit* environment() { return environment_; }
  QPushButton* run_button() { return run_; }
  QPushButton* keep_button() { return keep_; }
  QString problem() const;

 Q_SIGNALS:
  void taken(const footlight::app::RunOptions& options, bool run);

 private:
  void check();
  void take(bool run);

  QString script_, wrong_;
  QLabel *title_, *problem_;
  QComboBox *python_, *engine_;
  QLineEdit *directory_, *arguments_;
  QPlainTextEdit* environment_;
  QPushButton *run_, *keep_;
};

}  // namespace footlight::app
