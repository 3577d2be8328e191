// The Generated tab for another engine: the user's code beside the texts that the engine made of it, stage by stage.
#pragma once

#include "app/models/generated_stages.h"
#include "app/views/code_view.h"
#include "app/views/lead_view.h"
#include "app/views/tabs.h"

#include <QComboBox>
#include <QStackedWidget>

namespace footlight::app {

class StagesView : public LeadView {
  Q_OBJECT

 public:
  StagesView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  // What the recorder said that it could not record.
  void set_missing(std::vector<std::string> missing);

  CodeView* source() { return source_; }
  CodeView* text() { return text_; }
  Tabs* stages() { return stages_; }
  QComboBox* parts() { return parts_; }
  Lead* lead() { return lead_; }
  Lead* absent() { return absent_; }                  // why the chosen text was not recorded
  QString joined() const { return joined_->text(); }  // "train.py:12 ↔ lines 4, 9–11"
  FindBar* find() { return find_; }

 protected:
  QWidget* main_of_body() override { return source_; }

 private:
  struct Shown {
    TraceId trace;
    size_t artifacts = 0, locations = 0;
    std::string part;
    friend bool operator==(const Shown&, const Shown&) = default;
  };
  void build();
  TraceId trace_now() const;
  const GeneratedPart* part_now() const;
  void show_trace();
  void fill_stages();
  void fill_parts();
  void show_text();
  void show_source(session::FileId file);
  void mark();
  void select_line(SourcePlace place);
  void step(int by);

  std::vector<std::string> missing_;
  std::vector<GeneratedStage> all_;
  QString stage_, part_;  // titles of the chosen stage and part, kept from trace to trace
  Shown shown_;
  StageText shown_text_;
  session::FileId file_shown_;
  bool filling_ = false;
  int chosen_line_ = 0;  // the line of the text that was clicked last; 0: none
  FindBar* find_;
  Lead *lead_, *absent_;
  QLabel *file_, *trace_title_, *joined_;
  Tabs* stages_;
  QComboBox* parts_;
  QStackedWidget* pages_;  // the text, or why it is missing
  CodeView *source_, *text_;
};

}  // namespace footlight::app
