// The table of two recordings function by function: calls, traces and times before and after, what appeared and what
// vanished.
#pragma once

#include "app/models/compare_facts.h"
#include "app/models/compare_units.h"
#include "app/models/table_model.h"

#include "engine/explain/compare/functions.h"

#include <memory>

namespace footlight::app {

// The functions of two recordings, of which at least one is usually open.
struct ComparedFunctions {
  std::vector<explain::FunctionChange> changes;
  QString left, right;              // names of the recordings
  bool left_is_open = false, right_is_open = false;

  // The function in the open recording; none: it is in the other one alone.
  FunctionId in_open(const explain::FunctionChange& change) const;
};

class CompareFunctions : public TableOf<explain::FunctionChange> {
 public:
  explicit CompareFunctions(QObject* parent = nullptr);
  void set_functions(std::shared_ptr<const ComparedFunctions> functions);
  std::span<const explain::FunctionChange> rows() const override;
  int shown_of(FunctionId in_open) const;   // -1: not there, or filtered out

 private:
  QString tip(const explain::FunctionChange& row) const;

  std::shared_ptr<const ComparedFunctions> functions_;
  ColumnUnit per_call_ = unit_for(1e3), tracing_ = unit_for(1e3);
};

// What the box beside the table says of a function.
RowFacts facts_of_function(const Document& document, const ComparedFunctions& functions,
                           const explain::FunctionChange& row);

}  // namespace footlight::app
