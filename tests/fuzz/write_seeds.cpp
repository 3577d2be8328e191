// write_seeds FOLDER: the corpus that libFuzzer starts from.
#include "tests/fuzz/session_seeds.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2 || (mkdir(argv[1], 0777) != 0 && errno != EEXIST)) {
    std::fprintf(stderr, "usage: write_seeds FOLDER\n");
    return 2;
  }
  int number = 0;
  for (const std::string& seed : footlight::fuzz::session_seeds()) {
    FILE* file = std::fopen((std::string(argv[1]) + "/seed" + std::to_string(number++)).c_str(), "wb");
    if (!file || std::fwrite(seed.data(), 1, seed.size(), file) != seed.size() || std::fclose(file) != 0) return 1;
  }
  return 0;
}
