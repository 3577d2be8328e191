// Source files, code objects and locations.
#pragma once

#include "engine/session/records/ids.h"

namespace footlight::session {

struct FileRecord {
  FileId id;
  std::string path;
  std::string text;

  static constexpr TableNote kTable{"file", "A source file as it was when it ran."};
  static void describe(auto& f) {
    using R = FileRecord;
    f.id("id", &R::id, "number of the file");
    f.column("path", &R::path, "absolute, or <string>");
    f.column("text", &R::text, "what was in it");
  }
};

// The code belongs to `line` from instruction `first_offset` on.
struct CodeLine {
  uint32_t first_offset = 0, line = 0;

  static void describe(auto& f) {
    f.column("first_offset", &CodeLine::first_offset, "from this instruction on", {.unit = "bytes"});
    f.column("line", &CodeLine::line, "the line it stands on");
  }
};

struct CodeRecord {
  CodeId id;
  FileId file;
  std::string qualname;
  int first_line = 0;
  std::vector<CodeLine> lines;  // ascending by offset

  static constexpr TableNote kTable{"code", "A CPython code object that ran."};
  static void describe(auto& f) {
    using R = CodeRecord;
    f.id("id", &R::id, "columns *_code name it so");
    f.column("file", &R::file, "where its source is");
    f.column("qualname", &R::qualname, "co_qualname");
    f.column("first_line", &R::first_line, "co_firstlineno");
    f.list("code_line", &R::lines, "The lines that the instructions of a code object stand on.");
  }
};

// The ids of a process's locations: those of nodes are smaller than this one, and those of the lines from which
// libraries run eager ops are not.
constexpr uint32_t kFirstCallerLocation = 1'000'000;

// A place in a program and the place that called it: locations are a tree of prefixes, so a stack is its last frame. If
// there is a CPython code object, events name it and an offset, which is cheaper to record.
struct LocationRecord {
  LocationId id;
  LocationId caller;
  FileId file;
  int line = 0, column = 0, end_column = 0;
  std::string qualname;
  SourceRef source;

  static constexpr TableNote kTable{"location", "A place in a program, and the place that called it.", 3};
  static void describe(auto& f) {
    using R = LocationRecord;
    f.id("id", &R::id, "columns `location` name it so");
    f.column("caller", &R::caller, "the location that called it");
    f.column("file", &R::file, "where it is");
    f.column("line", &R::line, "from 1; 0: unknown");
    f.column("column", &R::column, "from 1; 0: unknown");
    f.column("end_column", &R::end_column, "behind its last character; 0: unknown");
    f.column("qualname", &R::qualname, "of the function around it");
    f.column("source", &R::source, "code object and instruction, where there is one");
  }
};

}  // namespace footlight::session
