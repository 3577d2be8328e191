// The tab for what was generated of a function: AutoGraph's code, or the stages of JAX and PyTorch.
#pragma once

#include "app/views/autograph_view.h"
#include "app/views/stages_view.h"

#include <QStackedWidget>

namespace footlight::app {

class GeneratedView : public View {
  Q_OBJECT

 public:
  GeneratedView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override;

  AutographView* autograph() { return autograph_; }
  StagesView* stages() { return stages_; }

 private:
  bool has_stages() const;  // of what is selected, or of what was recorded
  void choose();
  void ask();  // which engines ran, and what the recorder could not record

  AutographView* autograph_;
  StagesView* stages_;
  QStackedWidget* pages_;
  QueryHandle asked_;
  size_t functions_ = SIZE_MAX;  // at the last question
  bool tensorflow_ = false;
};

}  // namespace footlight::app
