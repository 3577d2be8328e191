// Reads the text that names of types hold.
#include "engine/keys/elements.h"

#include "engine/base/dtype_names.h"

#include <iterator>

namespace footlight::keys {
namespace {

constexpr int kDeepest = 64;  // a recording may come from anybody

const char* dtype_of(std::string_view abbreviation) {
  for (const DTypeNames& names : kDTypeNames)
    if (*names.name && abbreviation == names.abbreviation) return names.name;
  return nullptr;
}

// Reads one element at a time; false where the text is something else.
class Elements {
 public:
  explicit Elements(std::string_view text) : text_(text) {}

  bool read_all(std::vector<ElementLeaf>& to) { return read("", to, 0) && text_.empty(); }

 private:
  bool take(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }

  bool read(const std::string& path, std::vector<ElementLeaf>& to, int depth) {
    if (depth > kDeepest) return false;
    if (take("(")) return read_items(path, to, ")", depth);
    if (take("{")) return read_entries(path, to, depth);
    const size_t open = text_.find('['), close = text_.find(']');
    if (open == text_.npos || close == text_.npos || close < open) return false;
    const std::string_view type = text_.substr(0, open);
    const char* dtype = dtype_of(type);
    to.push_back({path, dtype ? dtype : std::string(type), std::string(text_.substr(open + 1, close - open - 1)),
                  dtype != nullptr});
    text_.remove_prefix(close + 1);
    return true;
  }

  bool read_items(const std::string& path, std::vector<ElementLeaf>& to, std::string_view end, int depth) {
    for (size_t i = 0; !take(end); ++i)
      if ((i && !take(" ")) || !read(path + '[' + std::to_string(i) + ']', to, depth + 1)) return false;
    return true;
  }

  bool read_entries(const std::string& path, std::vector<ElementLeaf>& to, int depth) {
    for (size_t i = 0; !take("}"); ++i) {
      if (i && !take(" ")) return false;
      const size_t end = text_.find(": ");
      if (end == text_.npos) return false;
      const std::string key(text_.substr(0, end));
      text_.remove_prefix(end + 2);
      if (!read(path + '[' + key + ']', to, depth + 1)) return false;
    }
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::vector<ElementLeaf> element_leaves(std::string_view name) {
  std::vector<ElementLeaf> leaves;
  const size_t open = name.find("Spec(");
  if (open == name.npos || !name.ends_with(')')) return leaves;
  name.remove_prefix(open + std::string_view("Spec(").size());
  name.remove_suffix(1);
  if (!Elements(name).read_all(leaves)) leaves.clear();
  return leaves;
}

}  // namespace footlight::keys
