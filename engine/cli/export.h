// What the formats of `footlight export` share. Each is a function that reads a session and writes into an Output; all
// of them read chunk by chunk.
#pragma once

#include "engine/cli/export_output.h"
#include "engine/query/names.h"
#include "engine/session/reader.h"

#include <cstdint>
#include <string>

namespace footlight::cli {

// What export_* are given; they throw Error.
struct Export {
  const session::Reader& reader;
  Output& out;
  Progress& progress;
  std::string session;      // the path, for messages
  std::string table = {};   // of --table
  std::string graph = {};   // of --graph
};

void export_chrome(const Export& what);
void export_perfetto(const Export& what);
void export_csv(const Export& what);
void export_dot(const Export& what);
void export_svg(const Export& what);

// For messages and the help: "ops, calls, ...".
std::string csv_tables();
// The graph that --graph chose, in Graphviz' language. `sparse`: most edges of nodes with many are left out and named
// in the labels instead, because Graphviz may take minutes for them.
std::string dot_text(const Export& what, bool sparse);
// The graph that --graph chose as a picture; throws Error if Graphviz is missing or takes too long.
std::string svg_text(const Export& what);

using query::Names;
using query::process_of;
using query::word;

}  // namespace footlight::cli
