// One picture of a graph diff in a card: a graph of either side, both as one, or only what differs.
#pragma once

#include "app/layout/graph_layout.h"
#include "app/models/diff_graphs.h"
#include "app/views/graph_canvas.h"

#include <QFrame>
#include <QLabel>

#include <functional>

namespace footlight::app {

class DiffPane : public QFrame {
  Q_OBJECT

 public:
  explicit DiffPane(QWidget* parent = nullptr);

  // `records` gives those of the graph, for the thread that plans the picture; asked for only if they are needed.
  using Records = std::function<std::shared_ptr<const Document>()>;
  void show_part(std::shared_ptr<const GraphsDiff> diff, const Records& records, DiffPart part, const QString& title,
                 const QString& detail);
  void clear(const QString& message);
  // Selects a node and brings it into view, with the scopes and bodies around it opened.
  void choose(std::optional<DiffPlace> place, bool reveal);

  GraphCanvas* canvas() { return canvas_; }
  bool busy() const { return layout_.running(); }

 Q_SIGNALS:
  void place_chosen(footlight::app::DiffPlace place, footlight::app::DiffPart part);

 private:
  GraphId root() const;
  void lay_out(const QString& keep);
  void mark_chosen();

  GraphLayout layout_;
  QLabel *title_, *detail_;
  GraphCanvas* canvas_;
  std::shared_ptr<const GraphsDiff> diff_;
  std::shared_ptr<const Document> records_;
  DiffPart part_ = DiffPart::kLeft;
  GraphOptions options_;
  QString keep_;
  bool another_ = true, reveal_ = false;
  std::optional<DiffPlace> chosen_;
};

}  // namespace footlight::app
