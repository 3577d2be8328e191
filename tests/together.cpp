// Runs one of the test files that a program was built of.
#include "tests/together.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace footlight {
namespace {

std::vector<const TestFile*>& files() {
  static std::vector<const TestFile*> all;
  return all;
}

// "tests/app/views/test_diff.cpp" is run as "test_diff".
std::string_view name_of(const TestFile& file) {
  std::string_view name = file.path;
  name.remove_prefix(name.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

TestFile::TestFile(const char* path, Run run_tests) : path(path), run(run_tests) { files().push_back(this); }

}  // namespace footlight

int main(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  for (const footlight::TestFile* file : footlight::files()) {
    if (footlight::name_of(*file) != wanted) continue;
    argv[1] = argv[0];  // as if it were alone
    return file->run(argc - 1, argv + 1);
  }
  std::fputs("the first argument has to be one of these files; Qt Test's own follow it\n", stderr);
  for (const footlight::TestFile* file : footlight::files())
    std::fprintf(stderr, "  %s\n", std::string(footlight::name_of(*file)).c_str());
  return 2;
}
