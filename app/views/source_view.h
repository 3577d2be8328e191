// The Source tab: a file of the run, with the fate of each traced statement.
#pragma once

#include "app/views/code_view.h"
#include "app/views/view.h"

#include <QComboBox>

namespace footlight::app {

class SourceView : public View {
  Q_OBJECT

 public:
  SourceView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override { return code_; }
  CodeView* code() { return code_; }
  session::FileId shown() const { return file_; }
  // A script that has not been run yet: nothing is recorded.
  void show_text(const QString& name, const QString& text);

 private:
  void fill_files();
  void show_file(session::FileId file);

  QComboBox* files_;
  CodeView* code_;
  session::FileId file_;
  size_t known_files_ = 0, pieces_ = 0, decisions_ = 0;
};

}  // namespace footlight::app
