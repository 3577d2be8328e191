// The top bar: Run and Stop, the script and its arguments, the search box, the state of the run.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>

namespace footlight::app {

class TopBar : public QWidget {
  Q_OBJECT

 public:
  explicit TopBar(QWidget* parent = nullptr);

  void set_script(const QString& path, const QStringList& arguments);
  QString script() const { return script_; }
  QStringList arguments() const;
  void set_running(bool running, bool stopping);
  // Why the script cannot be run, for the tip of Run; empty: it can.
  void set_why_not_run(const QString& why);
  // `tone`: theme colour of the dot; `tip`: all of a text that is shortened.
  void set_status(const QString& tone, const QString& text, const QString& tip = {});
  void set_can_go(bool back, bool forward);
  void show_theme();

  QPushButton* run_button() { return run_; }
  QPushButton* stop_button() { return stop_; }
  QLineEdit* arguments_edit() { return arguments_; }
  QToolButton* options_button() { return options_; }
  QString status_text() const { return status_text_; }

 Q_SIGNALS:
  void run_clicked();
  void stop_clicked();
  void options_clicked();
  void search_clicked();
  void back_clicked();
  void forward_clicked();

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void fit_search();
  QString script_, why_not_run_;
  QPushButton *run_, *stop_, *search_;
  QToolButton *back_, *forward_, *options_;
  QLabel *name_, *dot_, *status_;
  QLineEdit* arguments_;
  QLabel* key_hint_;
  QString status_tone_, status_text_, status_tip_;
};

}  // namespace footlight::app
