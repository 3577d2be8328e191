// The boxes of a graph canvas as children for screen readers, which otherwise see one picture.
#pragma once

namespace footlight::app {

class GraphCanvas;

void install_graph_access();  // once is enough
// The selected box has changed.
void tell_graph_access(GraphCanvas* canvas, int box);

}  // namespace footlight::app
