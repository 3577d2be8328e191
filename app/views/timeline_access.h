// The timeline for screen readers: its children are the bars in view, each with what its tip says, and the areas below.
#pragma once

namespace footlight::app {

void install_timeline_access();  // once is enough

}  // namespace footlight::app
