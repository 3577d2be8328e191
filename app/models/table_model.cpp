// Cells, headings and order of tables, from the declarations of their columns.
#include "app/models/table_model.h"

#include <algorithm>

namespace footlight::app {
namespace {

bool less(const Cell& a, const Cell& b, TextOrder order) {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.number != b.number) return a.number < b.number;
  if (a.whole != b.whole) return a.whole < b.whole;
  if (order == TextOrder::kLocale) return a.text.localeAwareCompare(b.text) < 0;
  return a.text.compare(b.text, order == TextOrder::kExact ? Qt::CaseSensitive : Qt::CaseInsensitive) < 0;
}

int alignment(Unit unit) {
  return static_cast<int>((unit == Unit::kWords ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

}  // namespace

QStringList TableModel::names() const {
  QStringList all;
  for (const Column<void>& c : columns_) all << c.name;
  return all;
}

int TableModel::column(const char* name) const { return static_cast<int>(names().indexOf(QLatin1String(name))); }

int TableModel::row_at(int shown) const {
  return shown >= 0 && static_cast<size_t>(shown) < shown_.size() ? static_cast<int>(shown_[static_cast<size_t>(shown)])
                                                                  : -1;
}

Cell TableModel::key_of(const void* row, int column) const {
  const Column<void>& c = columns_[static_cast<size_t>(column)];
  return c.key ? c.key(row) : c.value ? c.value(row) : Cell(c.text(row));
}

Cell TableModel::key(int shown, int column) const { return key_of(row_under(index(shown, column)), column); }

bool TableModel::is_less(int shown, int than, int column) const {
  return less(key(shown, column), key(than, column), text_order_);
}

void TableModel::choose_units() {
  units_.assign(columns_.size(), {});
  std::vector<double> numbers(count());
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].unit <= Unit::kCount) continue;
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = columns_[c].value(row(i)).number;
    units_[c] = unit_for_all(columns_[c].unit, numbers);
  }
}

bool TableModel::shows(const void* row, const QString& part, bool in_numbers) const {
  for (int c = 0; c < static_cast<int>(columns_.size()); ++c)
    if ((in_numbers || is_words(c)) && text(row, c).contains(part, Qt::CaseInsensitive)) return true;
  return false;
}

bool TableModel::passes(const void* row) const {
  return std::ranges::all_of(filter_, [&](const QString& part) { return shows(row, part, false); });
}

void TableModel::set_filter(const QString& text) {
  beginResetModel();
  filter_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  arrange();
  endResetModel();
}

void TableModel::arrange() {
  shown_.clear();
  const size_t all = count();
  for (size_t i = 0; i < all; ++i)
    if (filter_.isEmpty() || passes(row(i))) shown_.push_back(i);
  if (sorted_by_ < 0) return;
  std::vector<Cell> keys(all);
  for (const size_t i : shown_) keys[i] = key_of(row(i), sorted_by_);
  std::ranges::stable_sort(shown_, [&](size_t a, size_t b) {
    return order_ == Qt::AscendingOrder ? less(keys[a], keys[b], text_order_) : less(keys[b], keys[a], text_order_);
  });
}

void TableModel::sort(int column, Qt::SortOrder order) {
  if (column < -1 || column >= columnCount()) return;
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<int> numbers;
  for (const QModelIndex& index : before) numbers.push_back(row_at(index.row()));
  sorted_by_ = column;
  order_ = order;
  arrange();
  std::vector<int> place(count());
  for (size_t i = 0; i < shown_.size(); ++i) place[shown_[i]] = static_cast<int>(i);
  for (qsizetype i = 0; i < before.size(); ++i) {
    const int number = numbers[static_cast<size_t>(i)];
    if (number >= 0)
      changePersistentIndex(before[i], index(place[static_cast<size_t>(number)], before[i].column()));
  }
  Q_EMIT layoutChanged();
}

void TableModel::sort_by(int column) {
  if (column < 0 || column >= columnCount()) return;
  const Qt::SortOrder usual = is_words(column) ? Qt::AscendingOrder : Qt::DescendingOrder;
  const Qt::SortOrder other = is_words(column) ? Qt::DescendingOrder : Qt::AscendingOrder;
  sort(column, sorted_by_ == column && order_ == usual ? other : usual);
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

QModelIndex TableModel::index(int row, int column, const QModelIndex& parent) const {
  return hasIndex(row, column, parent) ? createIndex(row, column) : QModelIndex();
}
QModelIndex TableModel::parent(const QModelIndex&) const { return {}; }
int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}
int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

const void* TableModel::row_under(const QModelIndex& index) const {
  const int number = index.isValid() ? row_at(index.row()) : -1;
  return number < 0 ? nullptr : row(static_cast<size_t>(number));
}

QString TableModel::text(const void* row, int column) const {
  const Column<void>& c = columns_[static_cast<size_t>(column)];
  if (c.text) return c.text(row);
  const Cell value = c.value(row);
  if (c.unit == Unit::kWords || value.rank != 1) return value.text;
  if (c.unit == Unit::kNumber) return QString::number(value.whole);
  return c.unit == Unit::kCount ? count_text(static_cast<uint64_t>(value.whole)) : unit(column).text(value.number);
}

// A row's numbers are said with their headings; its words are not.
QString TableModel::spoken(const QModelIndex& at) const {
  const auto headed = [&](int column, const QString& text) {
    return QString(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() + QLatin1Char(' ') + text);
  };
  const void* const row = row_under(at);
  if (spoken_ == Spoken::kCell) return text(row, at.column());
  if (spoken_ == Spoken::kHeadingAndCell)
    return headed(at.column(), text(row, at.column())) +
           (data(at, kDiffers).toBool() ? QStringLiteral(", differs") : QString());
  QStringList words;
  for (int c = 0; c < columnCount(); ++c)
    if (const QString one = text(row, c); !one.isEmpty()) words << (is_words(c) ? one : headed(c, one));
  return words.join(QStringLiteral(", "));
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  const void* const row = row_under(index);
  if (!row) return {};
  const Column<void>& c = columns_[static_cast<size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case Qt::AccessibleTextRole: return spoken(index);
    case Qt::ToolTipRole: return plain_tip(c.tip ? c.tip(row) : tips_ ? text(row, index.column()) : QString());
    case Qt::ForegroundRole: return c.tone ? c.tone(row) : QVariant();
    case Qt::TextAlignmentRole: return alignment(c.unit);
    case kMono: return !c.is_prose || !c.is_prose(row);
    default: return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const Column<void>& c = columns_[static_cast<size_t>(section)];
  if (role == Qt::ToolTipRole && c.title_tip) return plain_tip(QString::fromUtf8(c.title_tip));
  if (role == Qt::TextAlignmentRole) return alignment(c.unit);
  if (role != Qt::DisplayRole) return {};
  const QString title = c.title ? c.title(unit(section)) : unit(section).heading(c.name);
  if (section != sorted_by_ || !marks_order_) return title;
  return title + QString::fromUtf8(order_ == Qt::DescendingOrder ? " \u2193" : " \u2191");
}

}  // namespace footlight::app
