// The bar for finding text: in source, generated code, the console, the editor. It searches in slices, so that a
// million lines do not hold up the window.
#pragma once

#include "app/views/search_bar.h"

#include <QTimer>

#include <vector>

namespace footlight::app {

struct Found {
  size_t row = 0;
  qsizetype start = 0, length = 0;
};

// Text in rows, in which something can be found.
class Searched {
 public:
  virtual ~Searched() = default;
  virtual size_t search_rows() const = 0;
  virtual QString search_text(size_t row) const = 0;
  virtual size_t search_from() const = 0;             // the row from which on to look
  virtual void show_found(const Found* found) = 0;    // null: nothing is looked for any more
};

class FindBar : public SearchBar {
  Q_OBJECT

 public:
  // `focus`: what gets the keys back when the bar is closed.
  FindBar(Searched* searched, QWidget* focus, QWidget* parent = nullptr);

  void close_bar() override;
  void set_searched(Searched* searched, QWidget* focus);
  void text_changed();                    // the searched text has changed: searches again
  void step(int by) override;
  bool searching() const { return slices_.isActive(); }
  const std::vector<Found>& found() const { return found_; }

 protected:
  void opened() override { look(); }

 private:
  void look();
  void slice();
  void show_current();

  Searched* searched_;
  QWidget* focus_;
  QTimer slices_;
  std::vector<Found> found_;
  size_t next_row_ = 0;
  ptrdiff_t current_ = -1;
};

}  // namespace footlight::app
