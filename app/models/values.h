// The recorded values of calls for the window: which there are, what one holds, slices of it, and how to record more.
#pragma once

#include "app/models/document.h"
#include "app/models/graph_plan.h"
#include "app/models/selection.h"
#include "app/models/table_model.h"

#include "engine/explain/values.h"

#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace footlight::app {

using CallValuesPtr = std::shared_ptr<const session::CallValues>;

explain::FindNode find_node(const Document& document);

// A call that is to be recorded, by another run of the script.
struct ValuesPlan {
  QString function;        // the recorded name; empty: the first traced function that is called
  qulonglong call = 1;     // from 1, among the calls of the function
  bool check = false;      // instead of that call the first one whose results hold NaN or infinity
  qulonglong last = 0;     // all calls up to this one; 0: that one alone
};
constexpr qulonglong kMaxCallsWithValues = 100;  // for one run
QStringList words_of(const ValuesPlan& plan);
QString promise_of(const ValuesPlan& plan, const Document& document);

// "train_step, call 312: first NaN"
QString call_title(const Document& document, const session::CallValues& call);
// The last recorded call that has values of the selected node, else of its trace, else of its function; -1: none.
int call_for(const Document& document, const Selection& selection);
// A node's value in that call; null: it did not run, or nothing is known of it.
const session::TensorValue* value_of(const session::CallValues& call, GraphId graph, uint32_t node,
                                     uint32_t output = 0);
// "12 NaN, 3 -Inf of 16,384", "finite"
QString finite_text(const session::TensorValue& value);
// The sentences above the values of a call: what was found, and how it was looked for.
QString story_lines(const Document& document, const session::CallValues& call);

// Says of each box whether its values were finite in that call; null: of none.
void apply_values(GraphPlan& plan, const session::CallValues* call);

// The two last dimensions of a value at fixed indexes of the others. A vector is one row.
class ValueSlice {
 public:
  ValueSlice() = default;
  explicit ValueSlice(const session::TensorValue& value);
  const std::vector<int64_t>& sizes() const { return sizes_; }  // sizes of all dimensions
  size_t fixed_count() const { return sizes_.size() > 2 ? sizes_.size() - 2 : 0; }
  std::vector<int64_t> fixed;                                   // indexes in the leading dimensions
  int64_t rows() const { return sizes_.size() > 1 ? sizes_[sizes_.size() - 2] : 1; }
  int64_t columns() const { return sizes_.empty() ? 1 : sizes_.back(); }
  int64_t element(int64_t row, int64_t column) const;           // its number among all
  void show(int64_t element);                                   // moves to the slice that holds it
  int64_t row_of(int64_t element) const {
    return element / std::max<int64_t>(1, columns()) % std::max<int64_t>(1, rows());
  }
  int64_t column_of(int64_t element) const { return element % std::max<int64_t>(1, columns()); }
  bool holds(int64_t element) const;

 private:
  std::vector<int64_t> sizes_;
};
// The next element that is not finite, wrapping at the end; empty if all kept elements are finite.
std::optional<int64_t> next_not_finite(const session::TensorValue& value, int64_t after);

// "np.array([[0.1, np.nan]], dtype=np.float32)"; what is too much for the clipboard is refused: empty.
QString as_numpy(const session::TensorValue& value);
QString as_csv(const session::TensorValue& value);

// All values of a call, in the order of its steps.
class ValuesModel : public TableOf<const session::TensorValue*> {
 public:
  enum class Show { kAll, kNotFinite };
  explicit ValuesModel(QObject* parent = nullptr);
  void set(const Document* document, CallValuesPtr call, Show show);
  std::span<const session::TensorValue* const> rows() const override { return rows_; }
  const session::TensorValue* at(int row) const;
  int row_of(const session::TensorValue* value) const;

 private:
  const Document* document_ = nullptr;
  CallValuesPtr call_;
  std::vector<const session::TensorValue*> rows_;
};

}  // namespace footlight::app
