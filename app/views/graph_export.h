// The picture of a graph as a file: SVG, PNG and PDF as it is shown, or its boxes and edges for Graphviz.
#pragma once

#include "app/views/graph_canvas.h"

namespace footlight::app {

// By the name's ending: .svg, .png, .pdf or .dot. What went wrong; empty: nothing.
QString export_graph(GraphCanvas& canvas, const QString& path, const QString& title);

}  // namespace footlight::app
