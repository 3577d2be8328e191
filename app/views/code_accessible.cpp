// Offsets in the text are counted when somebody asks for them, so they cost nothing without a screen reader.
#include "app/views/code_accessible.h"

#include "app/views/code_view.h"

#include <QAccessibleWidget>

#include <algorithm>

namespace footlight::app {
namespace {

class CodeAccessible : public QAccessibleWidget, public QAccessibleTextInterface {
 public:
  explicit CodeAccessible(CodeView* view) : QAccessibleWidget(view, QAccessible::EditableText) {}

  void* interface_cast(QAccessible::InterfaceType type) override {
    if (type == QAccessible::TextInterface) return static_cast<QAccessibleTextInterface*>(this);
    return QAccessibleWidget::interface_cast(type);
  }
  QAccessible::State state() const override {
    QAccessible::State s = QAccessibleWidget::state();
    s.readOnly = true;
    s.multiLine = true;
    return s;
  }

  // No selection but the current line.
  void selection(int, int* start, int* end) const override { *start = *end = 0; }
  int selectionCount() const override { return 0; }
  void addSelection(int, int) override {}
  void removeSelection(int) override {}
  void setSelection(int, int, int) override {}

  int cursorPosition() const override { return start_of(view()->text().row_of(view()->current())); }
  void setCursorPosition(int position) override { view()->go_to(view()->text().number(row_at(position))); }
  int characterCount() const override { return starts().back() - (starts().size() > 1 ? 1 : 0); }

  QString text(int from, int to) const override {
    to = std::min(to, characterCount());
    QString made;
    for (size_t row = row_at(from); from < to && row + 1 < starts().size(); ++row) {
      const QString line = view()->text().text(row) + QLatin1Char('\n');
      const int begin = from - starts()[row], length = std::min<int>(to, starts()[row + 1]) - from;
      made += line.mid(begin, length);
      from += length;
    }
    return made;
  }

  QString textAtOffset(int offset, QAccessible::TextBoundaryType boundary, int* start, int* end) const override {
    if (boundary != QAccessible::LineBoundary && boundary != QAccessible::ParagraphBoundary)
      return QAccessibleTextInterface::textAtOffset(offset, boundary, start, end);
    return row_text(static_cast<ptrdiff_t>(row_at(offset)), start, end);
  }
  QString textBeforeOffset(int offset, QAccessible::TextBoundaryType boundary, int* start, int* end) const override {
    if (boundary != QAccessible::LineBoundary && boundary != QAccessible::ParagraphBoundary)
      return QAccessibleTextInterface::textBeforeOffset(offset, boundary, start, end);
    return row_text(static_cast<ptrdiff_t>(row_at(offset)) - 1, start, end);
  }
  QString textAfterOffset(int offset, QAccessible::TextBoundaryType boundary, int* start, int* end) const override {
    if (boundary != QAccessible::LineBoundary && boundary != QAccessible::ParagraphBoundary)
      return QAccessibleTextInterface::textAfterOffset(offset, boundary, start, end);
    return row_text(static_cast<ptrdiff_t>(row_at(offset)) + 1, start, end);
  }

  QRect characterRect(int offset) const override {
    const size_t row = row_at(offset);
    return view()->row_rect(row, offset - starts()[row]).translated(view()->viewport()->mapToGlobal(QPoint()));
  }
  int offsetAtPoint(const QPoint& point) const override {
    return start_of(view()->row_at(view()->viewport()->mapFromGlobal(point)));
  }
  void scrollToSubstring(int start, int) override { view()->reveal(view()->text().number(row_at(start))); }
  QString attributes(int offset, int* start, int* end) const override {
    row_text(static_cast<ptrdiff_t>(row_at(offset)), start, end);
    return {};
  }

 private:
  CodeView* view() const { return static_cast<CodeView*>(widget()); }

  // The beginnings of all rows, and the end.
  const std::vector<int>& starts() const {
    const CodeText* text = &view()->text();
    if (text == counted_ && starts_.size() == text->size() + 1) return starts_;
    starts_.assign(1, 0);
    for (size_t row = 0; row < text->size(); ++row)
      starts_.push_back(starts_.back() + static_cast<int>(text->text(row).size()) + 1);
    counted_ = text;
    return starts_;
  }
  size_t row_at(int offset) const {
    const auto& all = starts();
    const auto after = std::upper_bound(all.begin(), all.end(), offset);
    const auto row = static_cast<size_t>(std::max<ptrdiff_t>(0, after - all.begin() - 1));
    return std::min(row, all.size() > 1 ? all.size() - 2 : 0);
  }
  int start_of(ptrdiff_t row) const { return row < 0 ? 0 : starts()[static_cast<size_t>(row)]; }
  QString row_text(ptrdiff_t row, int* start, int* end) const {
    *start = *end = -1;
    if (row < 0 || static_cast<size_t>(row) >= view()->text().size()) return {};
    *start = starts()[static_cast<size_t>(row)];
    *end = starts()[static_cast<size_t>(row) + 1];
    return view()->text().text(static_cast<size_t>(row)) + QLatin1Char('\n');
  }

  mutable std::vector<int> starts_;
  mutable const CodeText* counted_ = nullptr;
};

}  // namespace

QAccessibleInterface* make_code_accessible(const QString&, QObject* object) {
  auto* view = qobject_cast<CodeView*>(object);
  return view ? new CodeAccessible(view) : nullptr;
}

}  // namespace footlight::app
