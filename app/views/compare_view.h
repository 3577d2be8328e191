// The Compare tab: where the difference between the eager and the traced run of a call goes.
#pragma once

#include "app/models/compare_functions.h"
#include "app/models/compare_plan.h"
#include "app/models/compare_table.h"
#include "app/views/compare_row_box.h"
#include "app/views/compare_sides.h"
#include "app/views/compare_start.h"
#include "app/views/compare_timelines.h"
#include "app/views/compare_waterfall_canvas.h"
#include "app/views/rows.h"
#include "app/views/view.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>

#include <map>
#include <optional>

namespace footlight::app {

class CompareView : public View {
  Q_OBJECT

 public:
  CompareView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override;

  void ask();                                   // asks about the selected function
  // Offers two sides of what was recorded, or compares them at once.
  void offer_recorded();
  void compare_recorded(const CompareSide& left, const CompareSide& right);
  void compare_traces(TraceId left, TraceId right);
  // The window's run that was asked for: it is running; how it ended.
  void run_started(const ComparePlan& plan);
  void run_stopping();
  void run_ended(const QString& reason);

  const ComparisonPtr& shown() const { return shown_; }
  bool shows_result() const { return pages_->currentIndex() == 1; }
  QString sentence() const { return sentence_->text(); }
  // Writes sentence and pictures as PNG or SVG, by the name's ending. False if the file cannot be written.
  bool save_picture(const QString& path) const;
  void copy(const QString& text);

  CompareStart* start() { return start_; }
  CompareSides* sides() { return sides_; }
  QPushButton* recorded_button() { return recorded_button_; }
  bool busy() const override { return sides_->running(); }
  WaterfallCanvas* waterfall() { return waterfall_; }
  CompareTimelines* timelines() { return timelines_; }
  Table* table() { return table_view_; }
  CompareTable& rows() { return table_; }
  // Two whole recordings are compared by function, too: the table shows the functions or the ops.
  Table* function_table() { return functions_view_; }
  CompareFunctions& function_rows() { return function_rows_; }
  bool shows_functions() const { return tables_->currentIndex() == 1; }
  void show_functions(bool functions);
  const TableModel& shown_table() const {
    return shows_functions() ? static_cast<const TableModel&>(function_rows_) : table_;
  }
  CompareRowBox* row_box() { return box_; }
  QComboBox* choice() { return choice_; }
  QComboBox* order_box() { return order_; }
  QLineEdit* filter() { return filter_; }
  QPushButton* again_button() { return again_; }
  QMenu* export_menu() { return export_; }
  QString meaning() const { return meaning_->text(); }
  QScrollArea* page() { return page_; }

 Q_SIGNALS:
  void run_asked(const footlight::app::ComparePlan& plan);
  void stop_asked();
  void failed(const QString& message);          // `message`: for the window's banner

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build_head(QVBoxLayout* column);
  QWidget* build_pictures();
  QWidget* build_table();
  void connect_parts();
  void take_result();                           // takes the result of the requested run
  void note_no_result();                        // it is over and all of it was read
  void fill_choices();
  ComparisonPtr wanted() const;                 // the one for the selection
  void show_comparison(const ComparisonPtr& comparison);
  void show_page();
  void show_texts();
  void share_room();                            // among bars, timelines and table
  void choose_row(int row, bool tell);
  void choose_bar(int bar);
  void choose_piece(PieceAt at);
  int row_of_selection() const;
  void ask_call_of_trace();
  void save_as();

  using FunctionsPtr = std::shared_ptr<const ComparedFunctions>;
  struct Answer { ComparisonPtr comparison; FunctionsPtr functions; QString error; };
  FunctionsPtr functions_shown() const;         // of the shown comparison; null: it has none
  void choose_function(int row);
  void follow_function();                       // marks the row of the selected function
  void take_recorded(const Answer& answer);
  void show_sides();                            // offers sides for the selection

  ComparisonPtr shown_;
  std::vector<ComparisonPtr> recorded_;         // made here, of what the session and others hold
  std::map<ComparisonPtr, FunctionsPtr> functions_of_;
  QueryHandle recorded_ticket_;
  std::vector<ComparisonPtr> choices_;
  bool by_hand_ = false;                        // chosen from the list
  FunctionId offered_for_;                      // function whose traces or calls are offered
  bool offered_ = false;
  FunctionId by_hand_for_;
  bool dirty_ = true, asking_ = false;
  std::optional<ComparePlan> asked_;            // runs, or its result is waited for
  std::optional<QString> ended_;                // how that run ended
  size_t known_ = 0;                            // comparisons when it was asked for
  int row_ = -1;
  bool following_ = false;
  bool shared_by_hand_ = false;                 // the room among bars, timelines and table
  CompareTable table_;
  CompareFunctions function_rows_;
  QueryHandle call_ticket_;

  QStackedWidget* pages_;
  QScrollArea* page_;                           // page of a result; it scrolls if the window is small
  CompareStart* start_;
  CompareSides* sides_;
  QPushButton* recorded_button_;
  QLabel *title_, *how_, *sentence_, *meaning_, *totals_;
  QComboBox *choice_, *order_;
  QPushButton *again_, *export_button_;
  QMenu* export_;
  QSplitter *down_, *beside_;                   // bars, timelines, table; table and the box for its row
  QScrollArea* lanes_;
  WaterfallCanvas* waterfall_;
  CompareTimelines* timelines_;
  QLineEdit* filter_;
  Table *table_view_, *functions_view_;
  QStackedWidget* tables_;                      // ops, functions
  QButtonGroup* by_;
  QLabel* by_op_;                               // the table's title where there are no functions
  CompareRowBox* box_;
};

}  // namespace footlight::app
