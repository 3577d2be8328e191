// An entry's number in the tree is the internal id of its row.
#include "app/models/callers_model.h"

#include "app/models/phases.h"
#include "app/models/text.h"
#include "app/models/traces_model.h"

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

void CallersModel::set(const Document* document, const query::StackTree& tree) {
  beginResetModel();
  document_ = document;
  callers_ = query::bottom_up(tree);
  phases_ = tree.phases;
  total_ = 0;
  std::vector<int64_t> times;
  for (const uint32_t root : callers_.roots) total_ += callers_.entries[root].self;
  for (const query::Caller& c : callers_.entries) times.push_back(c.self);
  unit_ = time_unit(times);
  endResetModel();
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
int CallersModel::columnCount(const QModelIndex&) const { return kColumns; }

QVariant CallersModel::data(const QModelIndex& index, int role) const {
  const query::Caller* caller = at(index);
  if (!caller) return {};
  if (role == TracesModel::kMono) return true;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((index.column() == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
    case kName: {
      const QString name = frame_name(*document_, phases_, caller->kind, caller->what);
      return caller->parent == UINT32_MAX ? name : QString::fromUtf8("\u2190 ") + name;
    }
    case kSelf: return unit_.text(static_cast<double>(caller->self));
    case kShare: return share_text(caller->self, total_);
    default: return count_text(caller->count);
  }
}

QVariant CallersModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((section == kName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName: return QStringLiteral("Op or function, and who called it");
    case kSelf: return unit_.heading("Self");
    case kShare: return QStringLiteral("Share");
    default: return QStringLiteral("Count");
  }
}

}  // namespace footlight::app
