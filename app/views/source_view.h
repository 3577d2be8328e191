// The Source tab: a file of the run with what each line cost and what became of it; or the file on the disk, to edit.
#pragma once

#include "app/views/code_view.h"
#include "app/views/labels.h"
#include "app/views/source_editor.h"
#include "app/views/lead.h"
#include "app/views/view.h"

#include <QComboBox>
#include <QStackedLayout>
#include <QPushButton>

#include <memory>

namespace footlight::app {

class SourceView : public View {
  Q_OBJECT

 public:
  SourceView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override {
    if (nothing_->isVisibleTo(this) && nothing_->leads_on()) return nothing_->link();
    return editing() ? static_cast<QWidget*>(editor_) : code_;
  }
  Lead* nothing() { return nothing_; }  // text and actions of an empty view
  CodeView* code() { return code_; }
  SourceEditor* editor() { return editor_; }
  FindBar* find() { return find_; }
  session::FileId shown() const { return file_; }
  QString sentence() const { return sentence_->text(); }
  Lead* lead() { return sentence_; }
  QString note_text() const { return note_->isVisibleTo(this) ? note_text_->text() : QString(); }
  CostMode mode() const { return mode_; }
  QPushButton* mode_button(CostMode mode) { return modes_[static_cast<size_t>(mode)]; }
  QPushButton* edit_button() { return edit_; }
  // A script that has not been run yet: nothing is recorded.
  void show_script(const QString& path);
  void choose_mode(CostMode mode);
  bool editing() const { return edit_->isChecked(); }
  // The file on the disk at that line.
  void edit(const SourcePlace& place);
  // Before a run. False: the edits could not be saved; the view says why.
  bool save_edits();
  // False: there are unsaved edits, and the view has said so. Once it has, true.
  bool may_close();
  void show_theme();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void build_head(QVBoxLayout* column);
  void build_note(QVBoxLayout* column);
  void fill_files();
  void show_file(session::FileId file);
  void set_editing(bool on);
  void want_costs();
  void show_nothing();
  void show_costs();
  void say(const QString& text, bool choice = false);
  bool save(bool force = false);
  QString disk_path() const;

  QComboBox* files_;
  Lead* sentence_;
  int slowest_ = 0;  // the line that costs most
  std::vector<QPushButton*> modes_;
  QPushButton *edit_, *save_;
  QWidget* note_;
  QLabel* note_text_;
  QPushButton *take_disk_, *keep_mine_;
  FindBar* find_;
  QStackedLayout* pages_;
  CodeView* code_;
  QWidget* middle_;
  Lead* nothing_;
  SourceEditor* editor_;
  session::FileId file_;
  QString script_;  // a script that has not been run
  int asked_at_ = -1;  // revision of the text for which may_close() said no
  CostMode mode_ = CostMode::kTime;
  std::shared_ptr<FileText> text_;
  size_t known_files_ = 0, pieces_ = 0, decisions_ = 0, traces_ = 0;
};

}  // namespace footlight::app
