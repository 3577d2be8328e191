// Shown while nothing is open: a place to drop a file, recent files, samples; for a script that has not run yet, the
// button that runs it.
#pragma once

#include "app/models/recent.h"
#include "app/models/samples.h"
#include "app/session/found_packages.h"
#include "engine/session/other_engines.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace footlight::app {

class WelcomePage : public QScrollArea {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent = nullptr);

  void set_script(const QString& path);  // empty: none
  void set_open(const QString& name);    // names what is open behind the page; empty: nothing
  void set_recent(const std::vector<RecentFile>& files);
  // The cards say which samples were changed, and have the colours of the theme.
  void show_samples();
  // The samples of other engines say whether the interpreter has the packages.
  void set_packages(const PackagesFound& found);
  void mark_drop(bool over);
  QWidget* main_widget();

  QPushButton* open_button() { return open_; }
  QPushButton* run_button() { return run_; }
  QPushButton* back_button() { return back_; }
  QWidget* recent_box() { return recent_; }
  QWidget* sample_box() { return samples_; }
  QWidget* engine_box() { return engines_; }

 Q_SIGNALS:
  void open_asked();
  void back_asked();
  void run_asked();
  void read_asked();
  void path_chosen(const QString& path);
  void sample_chosen(const footlight::app::Sample& sample, bool run);
  void interpreter_asked();

 private:
  QWidget* make_card(const Sample& sample);
  void show_engines();
  QWidget* make_engine(const session::OtherEngine& engine);

  QFrame* drop_;
  QWidget* ready_;  // replaces the drop zone once a script is loaded
  QLabel *script_, *script_path_;
  QPushButton *open_, *run_, *back_;
  QWidget *recent_, *samples_, *engines_;
  std::vector<Sample> all_, of_engines_;
  PackagesFound found_;
};

}  // namespace footlight::app
