// A table of a view, declared column by column: cells, headings, units, alignment, order, filter, what a screen reader
// says and what is copied follow from the declarations.
#pragma once

#include "app/models/column_unit.h"
#include "app/models/text.h"

#include <QAbstractItemModel>
#include <QStringList>

#include <cmath>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

namespace footlight::app {

// The value of a cell, by which rows are sorted: empty cells come before numbers, numbers before texts.
struct Cell {
  int rank = 0;  // 0: empty, 1: number, 2: text; a column may give its numbers other ranks
  double number = 0;
  int64_t whole = 0;  // tells integers apart that are the same double
  QString text;

  Cell() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  Cell(T value, int rank_among_cells = 1)
      : rank(rank_among_cells), number(static_cast<double>(value)),
        whole(std::is_integral_v<T> || std::abs(number) < 9e18 ? static_cast<int64_t>(value) : 0) {}
  Cell(QString value) : rank(2), text(std::move(value)) {}
  Cell(const std::string& value) : Cell(q(value)) {}
  bool operator==(const Cell&) const = default;
};

enum class TextOrder { kExact, kAnyCase, kLocale };

// Gets a value from a row, by a function or a pointer to a member, without the type of the row in its own type.
template <class Row, class T>
struct Getter {
  std::function<T(const void*)> of;

  Getter() = default;
  template <class F>
    requires std::is_invocable_v<const F&, const Row&>
  Getter(F get) : of([get](const void* row) -> T { return std::invoke(get, *static_cast<const Row*>(row)); }) {}
  template <class Other>
    requires std::is_void_v<Row>
  Getter(const Getter<Other, T>& other) : of(other.of) {}
  explicit operator bool() const { return static_cast<bool>(of); }
  T operator()(const void* row) const { return of(row); }
};

// A column needs a name, and a value or a text.
template <class Row>
struct Column {
  QString name;
  Getter<Row, Cell> value = {};                          // what it shows and sorts by
  Unit unit = Unit::kWords;                              // of its numbers; words stand on the left
  std::function<QString(const ColumnUnit&)> title = {};  // the heading, where it is not the name and the unit
  Getter<Row, QString> text = {};                        // what it shows, where that is not the value
  Getter<Row, Cell> key = {};                            // what it sorts by, where that is not the value
  Getter<Row, QString> tip = {};
  Getter<Row, QString> tone = {};                        // name of a colour of the theme
  Getter<Row, bool> is_prose = {};                       // in the font of texts, not of code
  const char* title_tip = nullptr;
  bool is_left_out = false;
};

class TableModel : public QAbstractItemModel {
 public:
  enum Role { kDiffers = Qt::UserRole, kTraceId, kMono, kFailed };
  using QAbstractItemModel::QAbstractItemModel;

  QStringList names() const;          // of the columns
  int column(const char* name) const;  // -1 if no column has this name
  // The number, among all rows, of the one that is shown at this position; -1: none.
  int row_at(int shown) const;
  Cell key(int shown, int column) const;
  bool is_less(int shown, int than, int column) const;
  void sort(int column, Qt::SortOrder order) override;  // column -1: as the rows came
  // Sorts by that column: numbers from the greatest, names from A; the other way round if it is sorted so already.
  void sort_by(int column);
  int sorted_by() const { return sorted_by_; }
  Qt::SortOrder order() const { return order_; }
  // Shows only rows whose texts contain every word.
  void set_filter(const QString& text);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 protected:
  enum class Spoken { kCell, kHeadingAndCell, kRow };  // what a screen reader says at a cell

  virtual size_t count() const = 0;                   // of all rows
  virtual const void* row(size_t number) const = 0;
  virtual const void* row_under(const QModelIndex& index) const;
  virtual bool passes(const void* row) const;          // the filter
  virtual void arrange();                              // chooses the rows that are shown, and their order
  bool shows(const void* row, const QString& part, bool in_numbers) const;
  QString text(const void* row, int column) const;
  const ColumnUnit& unit(int column) const { return units_[static_cast<size_t>(column)]; }
  void choose_units();
  // Resets the model around `change`, which replaces rows or columns.
  template <class F>
  void reset(F&& change) {
    beginResetModel();
    change();
    choose_units();
    arrange();
    endResetModel();
  }

  template <class Row>
  void add_column(const Column<Row>& c) {
    if (c.is_left_out) return;
    columns_.push_back({c.name, c.value, c.unit, c.title, c.text, c.key, c.tip, c.tone, c.is_prose, c.title_tip});
    units_.resize(columns_.size());  // headings are asked for before there are rows
  }

  std::vector<Column<void>> columns_;
  std::vector<size_t> shown_;    // numbers of rows
  QStringList filter_;
  int sorted_by_ = -1;
  Qt::SortOrder order_ = Qt::AscendingOrder;
  TextOrder text_order_ = TextOrder::kExact;
  Spoken spoken_ = Spoken::kCell;
  bool marks_order_ = true;      // with an arrow in the heading
  bool tips_ = false;            // cells show their whole text as a tip

 private:
  bool is_words(int column) const { return columns_[static_cast<size_t>(column)].unit == Unit::kWords; }
  Cell key_of(const void* row, int column) const;
  QString spoken(const QModelIndex& index) const;

  std::vector<ColumnUnit> units_;
};

// A table over a vector of such rows.
template <class Row>
class TableOf : public TableModel {
 public:
  using TableModel::TableModel;
  virtual std::span<const Row> rows() const = 0;
  const Row* at(int shown) const {
    const int number = row_at(shown);
    return number < 0 ? nullptr : &rows()[static_cast<size_t>(number)];
  }
  // The position of the first shown row for which `is` returns true; -1: none.
  template <class F>
  int find(F&& is) const {
    for (size_t i = 0; i < shown_.size(); ++i)
      if (is(rows()[shown_[i]])) return static_cast<int>(i);
    return -1;
  }

 protected:
  void set_columns(std::initializer_list<Column<Row>> columns) {
    columns_.clear();
    for (const Column<Row>& column : columns) add_column(column);
  }
  size_t count() const override { return rows().size(); }
  const void* row(size_t number) const override { return &rows()[number]; }
};

}  // namespace footlight::app
