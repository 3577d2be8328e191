// An entry's number in the tree is the internal id of its row.
#include "app/models/callers_model.h"

#include "app/models/phases.h"
#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {

QString frame_name(const Document& document, const std::vector<std::string>& phases, query::FrameKind kind,
                   uint32_t what) {
  switch (kind) {
    case query::FrameKind::kRoot: return QStringLiteral("Everything");
    case query::FrameKind::kThread: return QStringLiteral("Thread %1").arg(what);
    case query::FrameKind::kFunction: {
      const session::FunctionRecord* function = document.function(FunctionId(what));
      return function ? q(function->name) : QStringLiteral("Function %1").arg(what);
    }
    case query::FrameKind::kTracing: return QStringLiteral("Tracing");
    case query::FrameKind::kPhase: return what < phases.size() ? capitalized(phase_word(phases[what])) : QString();
    case query::FrameKind::kGraph: {
      const session::GraphRecord* graph = document.graph(GraphId(what));
      return graph && !graph->name.empty() ? q(graph->name) : QStringLiteral("Graph %1").arg(what);
    }
    case query::FrameKind::kOp: {
      session::OpNumber op;
      op.value = what;
      return q(document.op(op).name);
    }
  }
  return {};
}

CallersModel::CallersModel(QObject* parent) : TableOf(parent) {
  using query::Caller;
  set_columns({
      {.name = "Op or function, and who called it",
       .text = [this](const Caller& caller) {
         const QString name = frame_name(*document_, phases_, caller.kind, caller.what);
         return caller.parent == UINT32_MAX ? name : QString::fromUtf8("\u2190 ") + name;
       }},
      {.name = "Self", .value = &Caller::self, .unit = Unit::kTime},
      {.name = "Share", .unit = Unit::kNumber,
       .text = [this](const Caller& caller) { return share_text(caller.self, total_); }},
      {.name = "Count", .value = &Caller::count, .unit = Unit::kCount},
  });
}

void CallersModel::set(const Document* document, const query::StackTree& tree) {
  reset([&] {
    document_ = document;
    callers_ = query::bottom_up(tree);
    phases_ = tree.phases;
    total_ = 0;
    for (const uint32_t root : callers_.roots) total_ += callers_.entries[root].self;
  });
}

const query::Caller* CallersModel::at(const QModelIndex& index) const {
  return index.isValid() ? &callers_.entries[static_cast<size_t>(index.internalId())] : nullptr;
}

const std::vector<uint32_t>& CallersModel::below(const QModelIndex& parent) const {
  return parent.isValid() ? at(parent)->children : callers_.roots;
}

QModelIndex CallersModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, quintptr{below(parent)[static_cast<size_t>(row)]});
}

QModelIndex CallersModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const uint32_t up = at(index)->parent;
  if (up == UINT32_MAX) return {};
  const uint32_t above = callers_.entries[up].parent;
  const std::vector<uint32_t>& list = above == UINT32_MAX ? callers_.roots : callers_.entries[above].children;
  const auto row = std::find(list.begin(), list.end(), up) - list.begin();
  return createIndex(static_cast<int>(row), 0, quintptr{up});
}

int CallersModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(below(parent).size());
}

}  // namespace footlight::app
