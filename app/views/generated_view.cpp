// Shows AutoGraph's code or another engine's stages, by the selected function. The page's title, which is the tab's, is
// "AutoGraph" for Footlight's own runs and "Generated" for runs of other engines.
#include "app/views/generated_view.h"

#include "app/views/layouts.h"
#include "engine/explain/engines.h"
#include "engine/session/reader.h"

#include <algorithm>

namespace footlight::app {
namespace {

bool is_made_in_stages(const session::FunctionRecord& f) { return explain::is_jax(&f) || explain::is_torch(&f); }

}  // namespace

GeneratedView::GeneratedView(const Context& context, QWidget* parent) : View(context, parent) {
  auto* column = column_in(this);
  pages_ = new QStackedWidget;
  autograph_ = new AutographView(context);
  stages_ = new StagesView(context);
  pages_->addWidget(autograph_);
  pages_->addWidget(stages_);
  column->addWidget(pages_);
  for (View* view : {static_cast<View*>(autograph_), static_cast<View*>(stages_)})
    connect(view, &View::wants_view, this, &View::wants_view);
  choose();
}

QWidget* GeneratedView::main_widget() { return static_cast<View*>(pages_->currentWidget())->main_widget(); }

bool GeneratedView::has_stages() const {
  if (const session::FunctionRecord* f = document().function(current().function)) return is_made_in_stages(*f);
  return std::ranges::any_of(document().functions, is_made_in_stages);
}

void GeneratedView::choose() {
  const bool stages = has_stages();
  pages_->setCurrentWidget(stages ? static_cast<QWidget*>(stages_) : autograph_);
  const bool others = stages || tensorflow_ || std::ranges::any_of(document().functions, is_made_in_stages);
  setWindowTitle(others ? QStringLiteral("Generated") : QStringLiteral("AutoGraph"));
}

void GeneratedView::ask() {
  if (functions_ == document().functions.size()) return;
  functions_ = document().functions.size();
  context_.session->queries().ask(
      asked_, [](const query::Store& store, const query::Cancel&) { return store.reader().contents().processes; },
      [this](const std::vector<session::ProcessRecord>& processes) {
        tensorflow_ = explain::has_tensorflow(processes);
        std::vector<std::string> missing;
        for (const session::ProcessRecord& process : processes)
          missing.insert(missing.end(), process.missing_hooks.begin(), process.missing_hooks.end());
        stages_->set_missing(std::move(missing));
        choose();
      });
}

void GeneratedView::reset() {
  functions_ = SIZE_MAX;
  tensorflow_ = false;
  asked_.withdraw();
  autograph_->reset();
  stages_->reset();
  choose();
  ask();
}

void GeneratedView::refresh() {
  autograph_->refresh();
  stages_->refresh();
  choose();
  ask();
}

void GeneratedView::follow_selection() {
  autograph_->follow_selection();
  stages_->follow_selection();
  choose();
}

}  // namespace footlight::app
