// The picture of a graph as a file: SVG, PNG and PDF as it is shown, or its boxes and edges for Graphviz.
#pragma once

#include "app/views/graph_canvas.h"

namespace footlight::app {

// The name's ending selects the format: .svg, .png, .pdf or .dot. Returns an error message; empty if it worked.
QString export_graph(GraphCanvas& canvas, const QString& path, const QString& title);

}  // namespace footlight::app
