// Neighbourhoods in a plan: the boxes within some steps along its edges.
#pragma once

#include "app/models/graph_plan.h"

#include <QSet>

namespace footlight::app {

// The boxes given and those within `steps` edges of them in either direction, with the open boxes around them.
QSet<int> neighbourhood(const GraphPlan& plan, const QSet<int>& from, int steps);

}  // namespace footlight::app
