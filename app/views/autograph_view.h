// The AutoGraph tab: the user's code with the fate of each statement, next to the code that runs while tracing.
#pragma once

#include "app/views/code_view.h"
#include "app/views/lead_view.h"

#include <QComboBox>
#include <QLabel>

#include <set>

namespace footlight::app {

class AutographView : public LeadView {
  Q_OBJECT

 public:
  AutographView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  Lead* lead() { return lead_; }

  CodeView* source() { return source_; }
  CodeView* generated() { return generated_; }
  QComboBox* choice() { return choice_; }
  FindBar* find() { return find_; }

 protected:
  QWidget* main_of_body() override { return source_; }
  void resizeEvent(QResizeEvent* event) override;

 private:
  const session::GeneratedRecord* shown() const;
  // The function's own code and all that its trace has nodes of, whichever function it was converted for first.
  std::vector<const session::GeneratedRecord*> choices() const;
  const std::set<CodeId>& traced_codes() const;   // code of the trace's nodes
  void scroll_other(CodeView* from);
  void show_code();
  void mark();
  void fill_choices();

  FunctionId function_;
  TraceId trace_;
  CodeId code_;
  std::string name_;
  size_t pieces_ = 0, decisions_ = 0;
  mutable std::set<CodeId> traced_codes_;
  mutable std::pair<TraceId, size_t> codes_of_;   // the trace and the number of graphs they were found in
  bool filling_ = false, scrolling_ = false;
  FindBar* find_;
  QLabel *file_, *generated_title_;
  Lead* lead_;
  QComboBox* choice_;
  QWidget* legend_;
  CodeView *source_, *generated_;
};

// A legend entry: a coloured square with its meaning.
class Swatch : public QWidget {
 public:
  Swatch(const QString& tone, const QString& text, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString tone_, text_;
};

}  // namespace footlight::app
