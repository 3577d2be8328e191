// Follows the recorded stack of each node from the outside in. A stack that begins in a library, as that of `fit` does,
// is cut where the stacks of the nodes part: what comes after that point is a call of its own.
#include "app/models/library_calls.h"

#include "app/models/text.h"

#include "engine/base/error_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace footlight::app {
namespace {

constexpr size_t kMaxFrames = 256;
constexpr qsizetype kMaxTitle = 40;

struct Stack {
  std::vector<const session::LocationRecord*> frames;  // the outermost first
  size_t own = SIZE_MAX;                               // the innermost of the person's
};

class Finder {
 public:
  Finder(const Document& document, const session::GraphRecord& graph) : document_(document), graph_(graph) {}

  LibraryCalls find() {
    const size_t count = graph_.nodes.size();
    made_.makers.assign(count, LibraryCalls::Maker::kNobody);
    made_.call.assign(count, -1);
    made_.place.assign(count, {});
    std::set<uint32_t> results;
    for (const session::EdgeRecord& e : graph_.outputs) results.insert(e.from);
    std::vector<const Stack*> stacks(count, nullptr);
    const Stack* first = nullptr;
    size_t shared = 0;
    for (size_t i = 0; i < count; ++i) {
      const session::NodeRecord& n = graph_.nodes[i];
      if (n.op == "Placeholder" || n.op == "NoOp" || (n.op == "Identity" && results.contains(n.id))) continue;
      made_.makers[i] = is_own(document_.place(n.source).file) ? LibraryCalls::Maker::kPerson
                                                                : LibraryCalls::Maker::kLibrary;
      if (!n.location.valid()) {
        if (!n.source.code.valid()) made_.makers[i] = LibraryCalls::Maker::kNobody;
        continue;
      }
      const Stack& stack = *(stacks[i] = &stack_of(n.location));
      if (stack.frames.empty()) continue;
      made_.makers[i] = stack.own + 1 == stack.frames.size() ? LibraryCalls::Maker::kPerson
                                                             : LibraryCalls::Maker::kLibrary;
      if (stack.own != SIZE_MAX) made_.place[i] = place_of(*stack.frames[stack.own]);
      if (!first) first = &stack, shared = stack.frames.size();
      const size_t most = std::min(shared, stack.frames.size());
      shared = 0;
      while (shared < most && stack.frames[shared] == first->frames[shared]) ++shared;
    }
    for (size_t i = 0; i < count; ++i)
      if (stacks[i] && made_.makers[i] == LibraryCalls::Maker::kLibrary) made_.call[i] = call_of(*stacks[i], shared);
    return std::move(made_);
  }

 private:
  bool is_own(session::FileId id) const {
    const session::FileRecord* file = document_.file(id);
    return file && is_users_file(file->path);
  }
  SourcePlace place_of(const session::LocationRecord& l) const {
    return l.file.valid() && l.line > 0 ? SourcePlace{l.file, l.line} : document_.place(l.source);
  }
  std::string name_of(const session::LocationRecord& l) const {
    const session::CodeRecord* code = document_.code(l.source.code);
    return l.qualname.empty() && code ? code->qualname : l.qualname;
  }

  const Stack& stack_of(session::LocationId id) {
    const auto [known, added] = stacks_.try_emplace(id.value);
    Stack& stack = known->second;
    if (!added) return stack;
    for (const auto* l = document_.location(id); l && stack.frames.size() < kMaxFrames;
         l = document_.location(l->caller))
      stack.frames.push_back(l);
    std::ranges::reverse(stack.frames);
    for (size_t i = stack.frames.size(); i-- > 0 && stack.own == SIZE_MAX;)
      if (is_own(place_of(*stack.frames[i]).file)) stack.own = i;
    return stack;
  }

  // The frame whose line made the call, and what was called there.
  int call_of(const Stack& stack, size_t shared) {
    const size_t last = stack.frames.size() - 1;
    const size_t from = std::min(last, std::max(shared, stack.own == SIZE_MAX ? 0 : stack.own));
    const session::LocationRecord& caller = *stack.frames[from];
    const SourcePlace at = place_of(caller);
    std::string name;
    for (size_t i = from + 1; i <= last; ++i) {
      const std::string called = name_of(*stack.frames[i]);
      // A function that only surrounds a call, such as a decorator's, does not give its name.
      if (called.empty() || called.find("<locals>") != called.npos || called.ends_with("__call__")) continue;
      name = called;
      break;
    }
    QString title = q(name) + QStringLiteral("()");
    const bool is_line = from == last;
    if (name.empty()) title = !is_line ? q(name_of(caller)) + QStringLiteral("()") : line_title(at, caller);
    const std::string key = document_.place_text(at).toStdString() + " " + name;
    const auto [known, added] = known_.try_emplace(key, static_cast<int>(made_.calls.size()));
    if (added) {
      std::string plain = key;
      std::ranges::replace(plain, '/', '|');
      made_.calls.push_back({std::move(plain), title, is_line});
    }
    return known->second;
  }

  // The library's line itself made the node: "gradients = tape.gradient(loss, …".
  QString line_title(SourcePlace at, const session::LocationRecord& l) const {
    const QString line = document_.line_text(at).trimmed();
    const auto count = [&line](char c) { return line.count(QLatin1Char(c)); };
    const bool is_whole = count('(') == count(')') && count('[') == count(']');
    if (line.isEmpty() || !is_whole) return q(name_of(l)) + QStringLiteral("()");
    return line.size() > kMaxTitle ? line.left(kMaxTitle - 2) + QString::fromUtf8(" …") : line;
  }

  const Document& document_;
  const session::GraphRecord& graph_;
  LibraryCalls made_;
  std::unordered_map<uint32_t, Stack> stacks_;
  std::map<std::string, int> known_;
};

}  // namespace

LibraryCalls library_calls(const Document& document, const session::GraphRecord& graph) {
  return Finder(document, graph).find();
}

}  // namespace footlight::app
