// The colours of boxes in the graph canvas, by what the user chose, and their legend.
#pragma once

#include "app/models/graph_plan.h"

#include <QColor>

#include <vector>

namespace footlight::app {

enum class GraphColour { kOp, kDevice, kTime, kMemory, kDtype, kNumbers };
constexpr GraphColour kGraphColours[] = {GraphColour::kOp, GraphColour::kDevice, GraphColour::kTime,
                                         GraphColour::kMemory, GraphColour::kDtype, GraphColour::kNumbers};
QString name_of(GraphColour colour);  // "op", "device", ...

class GraphColours {
 public:
  // The colours of this plan's boxes; the greatest time and size set the scale.
  GraphColours(const GraphPlan& plan, GraphColour by);

  QColor stripe(const PlanBox& box) const;
  // Behind the text, for times and sizes: none for boxes without.
  QColor tint(const PlanBox& box) const;
  struct Entry {
    QColor colour;
    QString text;
  };
  const std::vector<Entry>& legend() const { return legend_; }

 private:
  double share(const PlanBox& box) const;  // 0 to 1, as a share of the greatest; -1: unknown
  QColor dtype_colour(const QString& dtype) const;
  static QColor numbers_colour(PlanBox::Numbers numbers);

  GraphColour by_;
  double most_ = 0;
  std::vector<QString> devices_;
  std::vector<Entry> legend_;
};

}  // namespace footlight::app
