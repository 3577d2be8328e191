// The list of the views; a line is all that the window needs to know of one.
#include "app/views/view_list.h"

#include "app/views/compare_view.h"
#include "app/views/diff_view.h"
#include "app/views/generated_view.h"
#include "app/views/graph_view.h"
#include "app/views/ranks_view.h"
#include "app/views/retraces_view.h"
#include "app/views/source_view.h"
#include "app/views/sql_view.h"
#include "app/views/timeline_view.h"
#include "app/views/values_view.h"

namespace footlight::app {
namespace {

template <class T>
View* make(const Context& context) {
  return new T(context);
}

bool has_several_processes(const Document& document) { return document.processes.size() > 1; }

// Ctrl+7, 8 and 0 go to the panels around the views. GeneratedView shows an AutographView or, for JAX and PyTorch, a
// StagesView.
constexpr ViewEntry kViews[] = {
    {"graph", "Graph", "Ctrl+1", make<GraphView>},
    {"retraces", "Retraces", "Ctrl+2", make<RetracesView>},
    {"autograph", "AutoGraph", "Ctrl+3", make<GeneratedView>},
    {"timeline", "Timeline", "Ctrl+4", make<TimelineView>},
    {"ranks", "Ranks", "Ctrl+9", make<RanksView>, has_several_processes},
    {"compare", "Compare", "Ctrl+5", make<CompareView>},
    {"source", "Source", "Ctrl+6", make<SourceView>},
    {"diff", "Diff", "Ctrl+D", make<DiffView>},
    {"values", "Values", "Ctrl+Shift+V", make<ValuesView>},
    {"sql", "SQL", "Ctrl+L", make<SqlView>},
};

}  // namespace

std::span<const ViewEntry> view_list() { return kViews; }

QStringList shown_names() {
  QStringList names;
  for (const ViewEntry& view : view_list()) names << QLatin1String(view.name);
  return names << QStringLiteral("console") << QStringLiteral("finding") << QStringLiteral("welcome");
}

}  // namespace footlight::app
