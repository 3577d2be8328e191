// Names the attributes that hold graphs: an If has two of them, a Case one for each branch.
#include "engine/ops/branches.h"

#include <algorithm>
#include <string>

namespace footlight {

AttrName branch_attr(size_t branch) {
  const std::string number = std::to_string(branch);
  return AttrName("branches[" + std::string(6 - std::min<size_t>(6, number.size()), '0') + number + ']');
}

std::vector<AttrName> branches_of(const Attrs& attrs) {
  if (attrs.find("then_branch"_attr)) return {"then_branch"_attr, "else_branch"_attr};
  std::vector<AttrName> names;
  for (const auto& [name, value] : attrs)  // sorted by name, and so by number
    if (name.text().starts_with("branches[")) names.push_back(name);
  return names;
}

}  // namespace footlight
