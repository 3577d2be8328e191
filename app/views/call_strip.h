// The calls of a function in a row: amber boxes that made a trace, teal bars that hit one.
#pragma once

#include "app/models/traces_model.h"

#include <QWidget>

namespace footlight::app {

class CallStrip : public QWidget {
  Q_OBJECT

 public:
  explicit CallStrip(QWidget* parent = nullptr);
  // `runs`: folded, from query::CallIndex; `every`: one per call, empty if there are too many.
  void set_calls(const Document* document, FunctionId function, std::vector<query::CallRun> runs,
                 std::vector<query::CallRun> every);
  // More calls than this never fit one by one.
  static constexpr uint64_t kMaxEvery = 20'000;
  void set_current(TraceId trace);
  bool folded() const { return folded_; }
  // "calls 1–48 of 120 in view"; empty when all are. "40 of 48 calls marked" when some are chosen.
  QString range_text() const;
  QRectF cell_rect(size_t index) const;
  const std::vector<StripCell>& cells() const { return cells_; }

 Q_SIGNALS:
  void trace_chosen(footlight::TraceId trace);
  void call_chosen(size_t index);  // among the function's calls
  void menu_asked(footlight::TraceId trace, const QPoint& at);
  void scrolled();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void measure();
  double width_of(const StripCell& cell) const;
  int cell_at(double x) const;
  void step(int by);

  const Document* document_ = nullptr;
  FunctionId function_;
  TraceId current_;
  std::vector<query::CallRun> runs_, every_;
  std::vector<StripCell> cells_;
  std::vector<double> left_;   // without scrolling; one more than cells
  double hit_ = 36, trace_ = 32;
  double scroll_ = 0;
  bool folded_ = false;
  size_t calls_ = 0, chosen_ = 0;
};

}  // namespace footlight::app
