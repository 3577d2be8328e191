// Stacks of nodes as the program is written: the user's line behind a node that a library made, and statements whose
// bodies are functions.
#pragma once

#include "engine/base/error_words.h"
#include "engine/session/records.h"

namespace footlight::session {

// `records` finds places, files and locations, as a session's Reader does. The innermost line of the program's own
// code; the node's own line if none is known.
template <class Records>
auto users_line(const Records& records, const NodeRecord& node) {
  const auto is_own = [&](FileId id) {
    const FileRecord* const file = records.file(id);
    return file && is_users_file(file->path);
  };
  constexpr int kMaxFrames = 1000;  // a recording may hold a circle
  const auto own = records.place(node.source);
  if (is_own(own.file)) return own;
  int frames = 0;
  for (const auto* l = records.location(node.location); l && frames < kMaxFrames; l = records.location(l->caller)) {
    ++frames;
    auto at = own;
    at.file = l->file;
    at.line = l->line;
    if (!l->file.valid() || l->line <= 0) at = records.place(l->source);
    if (is_own(at.file)) return at;
  }
  return own;
}

// Whether the caller runs the body of its own statement: in converted code the body of a loop or an if is a function.
inline bool is_own_block(const CodeRecord* caller, const CodeRecord* body) {
  return caller && body && caller != body && caller->file == body->file && caller->qualname == body->qualname;
}

}  // namespace footlight::session
