// The boxes of a graph canvas as children for screen readers.
#pragma once

namespace footlight::app {

void install_graph_access();  // once is enough

}  // namespace footlight::app
