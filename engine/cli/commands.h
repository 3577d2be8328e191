// The commands of the `footlight` program. Each takes the arguments after its name and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace footlight::session {
class Reader;
}

namespace footlight::cli {

using Words = std::vector<std::string>;

constexpr int kOverLimit = 3;  // `report --max-retraces`, `--max-compile-seconds`
constexpr int kUnusable = 2;  // the file or the arguments are invalid; the message is on stderr

int record(const Words& words);
int attach(const Words& words);
int info(const Words& words);
int report(const Words& words);
int diff(const Words& words);  // 1: there are differences
int compare(const Words& words);
int values(const Words& words);
int nan_origin(const Words& words);  // `footlight nan`
int recover(const Words& words);
int merge(const Words& words);
int ranks(const Words& words);
int import_files(const Words& words);  // `footlight import`
int export_session(const Words& words);
int sql(const Words& words);
int open_in_app(const std::string& file, const Words& options);  // --select WHAT, --view VIEW

// The table of `info --ops`: only ops or families whose name holds `filter`; a row for each of an op's shapes.
struct OpTable {
  std::string filter;
  bool shapes = false, json = false;
};
void print_ops(const session::Reader& reader, const OpTable& table);  // throws Error

// Prints "footlight: MESSAGE" on stderr and returns kUnusable.
int complain(const std::string& message);

// The folder of the running program.
std::string program_folder();

}  // namespace footlight::cli
