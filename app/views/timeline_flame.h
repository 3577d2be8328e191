// A flame graph: the tree of a range's time, a box as wide as its share, callers above what they called.
#pragma once

#include "app/models/document.h"

#include "engine/query/stacks.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace footlight::app {

class FlameView : public QWidget {
  Q_OBJECT

 public:
  explicit FlameView(QWidget* parent = nullptr);
  void set(const Document* document, query::StackTree tree);
  uint32_t current() const { return current_; }    // a frame
  uint32_t zoomed() const { return zoomed_; }      // the one that is as wide as the view
  const query::StackTree& tree() const { return tree_; }
  QString describe(uint32_t frame) const;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Box {
    uint32_t frame;
    QRectF rect;
  };
  int rows() const;
  void lay_out(std::vector<Box>& boxes) const;
  std::optional<uint32_t> at(QPointF point) const;
  void go(uint32_t frame);
  void zoom(uint32_t frame);
  QColor color_of(const query::Frame& frame) const;

  const Document* document_ = nullptr;
  query::StackTree tree_;
  uint32_t current_ = 0, zoomed_ = 0;
};

}  // namespace footlight::app
