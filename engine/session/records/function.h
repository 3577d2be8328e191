// Staged functions, and the code that AutoGraph generated from them.
#pragma once

#include "engine/session/records/ids.h"

namespace footlight::session {

struct FunctionRecord {
  FunctionId id;
  std::string name;
  FileId file;
  int line = 0;
  int decorator_line = 0;
  std::vector<std::string> parameters;
  std::string kind = {}, options = {};
  FunctionId parent = {};
  LocationId location = {};
  ProcessId process = {};
  int64_t made_ns = 0;

  static constexpr TableNote kTable{"function", "A function that is traced: a tf.function, a jit."};
  static void describe(auto& f) {
    using R = FunctionRecord;
    f.id("id", &R::id, "number of the function");
    f.column("name", &R::name, "its __qualname__");
    f.column("file", &R::file, "where it is defined");
    f.column("line", &R::line, "of the def");
    f.column("decorator_line", &R::decorator_line, "of @tf.function or tf.function(");
    f.column("kind", &R::kind, "tf.function, keras, jit, eager, dynamo, resume, dataset, internal", {.since = 3});
    f.column("options", &R::options, "that it was made with, as they are written", {.since = 3});
    f.column("parent", &R::parent, "function that made it", {.since = 3});
    f.column("location", &R::location, "where it was made", {.since = 3});
    f.column("process", &R::process, "that it belongs to", {.since = 3});
    f.column("made_ns", &R::made_ns, "when it was made; 0: unknown", {.unit = "ns", .since = 3});
    f.list("function_parameter", &R::parameters, "Parameters of a function, one for each item of its keys.",
           {.column = "name"});
  }
};

// AutoGraph's output for one function: readable text and, line by line, the user's line behind it.
struct GeneratedRecord {
  FunctionId function;
  CodeId code;
  std::string name;
  FileId file;
  std::string text;
  std::vector<int> line_map;  // per generated line, from 1 at index 0
  struct Statement {
    int line = 0, last_line = 0;
    std::string kind, fate, note;

    static void describe(auto& f) {
      f.column("line", &Statement::line, "first line of the statement in the user's code");
      f.column("last_line", &Statement::last_line, "last line of the statement in the user's code");
      f.column("kind", &Statement::kind, "if, while, for, ...");
      f.column("fate", &Statement::fate, "staged, python, fallback");
      f.column("note", &Statement::note, "why, in words");
    }
  };
  std::vector<Statement> statements;
  GeneratedId id = {};  // none: the writer assigns one

  static constexpr TableNote kTable{"generated", "What AutoGraph made of a function."};
  static void describe(auto& f) {
    using R = GeneratedRecord;
    f.id("id", &R::id, "number of the text");
    f.column("function", &R::function, "the tf.function under which it was converted first");
    f.column("code", &R::code, "of the user's function");
    f.column("name", &R::name, "train_step");
    f.column("file", &R::file, "where the user's function is");
    f.column("text", &R::text, "readable Python");
    f.list("generated_line", &R::line_map, "The user's line behind every generated line; 0: none.",
           {.column = "user_line"});
    f.list("generated_statement", &R::statements, "What became of every statement that can be staged.");
  }
};

}  // namespace footlight::session
