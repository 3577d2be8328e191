// Texts of the rows, made when they are shown: there may be many.
#include "app/models/diff_list.h"

#include "app/models/text.h"
#include "app/models/traces_model.h"

#include <algorithm>

namespace footlight::app {

void DiffList::set_diff(const Document* document, std::shared_ptr<const GraphsDiff> diff) {
  beginResetModel();
  document_ = document;
  diff_ = std::move(diff);
  endResetModel();
}

int DiffList::row_of(DiffPlace place) const {
  if (!diff_) return -1;
  const auto& all = diff_->differences();
  const auto at = std::lower_bound(all.begin(), all.end(), place);
  return at == all.end() || *at != place ? -1 : static_cast<int>(at - all.begin());
}

int DiffList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !diff_ ? 0 : static_cast<int>(diff_->differences().size());
}

QString DiffList::text(DiffPlace place, int column) const {
  const session::NodeRecord *l = diff_->node(place, true), *r = diff_->node(place, false);
  const session::NodeRecord& n = r ? *r : *l;
  switch (column) {
    case kState: return q(name_of(diff_->entry(place).state));
    case kOp: return q(n.op);
    case kName: {
      const QString inside = diff_->inside(place.pair);
      QString name = q(n.name);
      if (l && r && l->name != r->name) name = q(l->name) + QStringLiteral(" = ") + name;
      return inside.isEmpty() ? name : name + QStringLiteral(" in ") + inside;
    }
    case kWhat: return diff_->what_changed(place);
    case kLine: return document_->place_text(document_->place(n.source));
  }
  return {};
}

QVariant DiffList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !diff_ || index.row() >= rowCount()) return {};
  const DiffPlace place = place_at(index.row());
  const explain::NodeDiff& entry = diff_->entry(place);
  switch (role) {
    case Qt::DisplayRole: return text(place, index.column());
    case Qt::ToolTipRole: return plain_tip(text(place, index.column()));
    case TracesModel::kMono: return index.column() != kState && index.column() != kOp;
    case Qt::ForegroundRole:
      if (index.column() == kLine) return QStringLiteral("blue");
      if (index.column() != kState && !(index.column() == kWhat && !entry.follows)) return {};
      return entry.state == explain::NodeState::kOnlyLeft    ? QStringLiteral("red")
             : entry.state == explain::NodeState::kOnlyRight ? QStringLiteral("green")
             : entry.follows                                 ? QStringLiteral("dim")
                                                             : QStringLiteral("amber");
    case Qt::AccessibleTextRole: {
      QStringList words;
      for (int c = 0; c < kColumns; ++c) words << text(place, c);
      return words.join(QStringLiteral(", "));
    }
    default: return {};
  }
}

QVariant DiffList::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const kHeads[] = {"state", "op", "node", "line", "what changed"};
  return QLatin1String(kHeads[section]);
}

}  // namespace footlight::app
