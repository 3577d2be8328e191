// Compares what was recorded: asks the session's thread, which opens other recordings if need be.
#include "app/models/text.h"
#include "app/session/recording_for.h"
#include "app/views/compare_view.h"

#include "engine/query/store.h"

#include <QLayout>
#include <QScrollArea>

#include <algorithm>

namespace footlight::app {

void CompareView::show_sides() {
  if (sides_->running() || (offered_ && offered_for_ == current().function)) return;
  offered_ = true;
  offered_for_ = current().function;
  sides_->set_document(document());
  const auto [left, right] =
      sides_to_offer(document(), current().function, current().trace, CompareSides::earlier_run(document()));
  sides_->offer(left, right);
}

void CompareView::offer_recorded() {
  if (asked_) return;
  asking_ = true;
  offered_ = false;
  start_->show_idle();
  start_->set_function(document(), current().function);
  show_sides();
  show_page();
  sides_->left()->recording_box()->setFocus(Qt::OtherFocusReason);
  if (auto* page = qobject_cast<QScrollArea*>(pages_->widget(0))) {
    page->widget()->layout()->activate();
    page->ensureWidgetVisible(sides_);
  }
}

void CompareView::compare_traces(TraceId left, TraceId right) {
  const session::TraceRecord *l = document().trace(left), *r = document().trace(right);
  if (!l || !r) return;
  const auto side = [this](const session::TraceRecord& t) {
    return CompareSide{{},
                       {explain::Recorded::Kind::kTrace, name_to_compare(document(), t.function).toStdString(),
                        static_cast<uint64_t>(std::max(t.number, 1))}};
  };
  offer_recorded();
  sides_->offer(side(*l), side(*r));
  compare_recorded(side(*l), side(*r));
}

void CompareView::compare_recorded(const CompareSide& left, const CompareSide& right) {
  if (left.path == right.path && left.what == right.what)
    return sides_->show_failure(QStringLiteral("Both sides are the same."));
  if (!context_.session->queries().serving()) return sides_->show_failure(QStringLiteral("No recording is open."));
  sides_->show_failure({});
  sides_->show_running(true);
  context_.session->queries().ask(
      recorded_ticket_,
      [left, right, path = document().path](const query::Store& store, const query::Cancel& cancel) {
        Answer answer;
        try {
          const auto go_on = [&cancel] { cancel.check(); };
          std::vector<std::unique_ptr<session::Reader>> others;
          std::vector<std::unique_ptr<QTemporaryDir>> folders;
          const auto reader_of = [&](const CompareSide& side) -> const session::Reader& {
            if (side.path.isEmpty()) return store.reader();
            const auto reading_goes_on = [&cancel](double) { return !cancel.requested(); };
            others.push_back(session::Reader::open(
                recording_for(side.path, folders.emplace_back(), reading_goes_on), {reading_goes_on}));
            return *others.back();
          };
          const auto name_of = [&](const CompareSide& side) {
            return (side.path.isEmpty() ? path : side.path).toStdString();
          };
          const session::Reader& left_reader = reader_of(left);
          const session::Reader& right_reader = left.path == right.path ? left_reader : reader_of(right);
          auto made = std::make_shared<explain::Comparison>(explain::compare_recorded(
              {left_reader, name_of(left), left.what}, {right_reader, name_of(right), right.what}, go_on));
          if (left.what == explain::Recorded() && right.what == explain::Recorded())
            answer.functions = std::make_shared<ComparedFunctions>(
                ComparedFunctions{explain::compare_functions(left_reader, right_reader, go_on), q(made->eager.name),
                                  q(made->traced.name), left.path.isEmpty(), right.path.isEmpty()});
          bind_to_document(*made, left.path.isEmpty(), right.path.isEmpty());
          answer.comparison = std::move(made);
        } catch (const std::exception& e) {
          answer.error = QString::fromUtf8(e.what());
        }
        return answer;
      },
      [this](const Answer& answer) { take_recorded(answer); }, Queries::kLong);
}

void CompareView::take_recorded(const Answer& answer) {
  sides_->show_running(false);
  if (!answer.comparison) return sides_->show_failure(answer.error);
  recorded_.push_back(answer.comparison);
  if (answer.functions) functions_of_[answer.comparison] = answer.functions;
  asking_ = false;
  by_hand_ = true;
  by_hand_for_ = current().function;
  fill_choices();
  shown_ = answer.comparison == shown_ ? nullptr : shown_;
  const bool focused = sides_->isAncestorOf(focusWidget());
  show_comparison(answer.comparison);
  show_page();
  if (focused) main_widget()->setFocus(Qt::OtherFocusReason);
}

// --- function by function --------------------------------------------------------------------------------------------

CompareView::FunctionsPtr CompareView::functions_shown() const {
  const auto at = functions_of_.find(shown_);
  return at == functions_of_.end() ? nullptr : at->second;
}

void CompareView::show_functions(bool functions) {
  tables_->setCurrentIndex(functions ? 1 : 0);
  by_->button(functions ? 1 : 0)->setChecked(true);
  order_->setVisible(!functions);
  if (!functions) return choose_row(row_, false);
  functions_view_->fit_columns();
  follow_function();
}

void CompareView::choose_function(int row) {
  const FunctionsPtr functions = functions_shown();
  const explain::FunctionChange* change = functions ? function_rows_.at(row) : nullptr;
  if (!change) return;
  box_->show_facts(facts_of_function(document(), *functions, *change));
  const FunctionId id = functions->in_open(*change);
  if (document().function(id)) select(Selection::of_function(document(), id));
}

void CompareView::follow_function() {
  int row = function_rows_.shown_of(current().function);
  if (row < 0) row = std::max(0, functions_view_->currentIndex().row());
  const FunctionsPtr functions = functions_shown();
  const explain::FunctionChange* change = functions ? function_rows_.at(row) : nullptr;
  if (!change) return box_->clear();
  following_ = true;
  functions_view_->setCurrentIndex(function_rows_.index(row, 0));
  functions_view_->scrollTo(function_rows_.index(row, 0));
  following_ = false;
  box_->show_facts(facts_of_function(document(), *functions, *change));
}

}  // namespace footlight::app
