// mutate_sessions COUNT [FIRST [SEED [FOLDER]]]: reads COUNT mutations of the seeds, and of the inputs in FOLDER (what
// the fuzz target kept). A mutation follows from its number and the seed; what ends the program prints the number.
#include "tests/fuzz/session_input.h"
#include "tests/fuzz/session_seeds.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace {

constexpr unsigned kSecondsPerInput = 30;
std::atomic<unsigned long long> number;

void say_number() {
  char words[80];
  const int length = std::snprintf(words, sizeof words, "\nmutate_sessions: input %llu\n", number.load());
  if (write(2, words, static_cast<size_t>(length)) < 0) _exit(3);
}

void on_signal(int) {
  say_number();
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) {
    std::fprintf(stderr, "usage: mutate_sessions COUNT [FIRST [SEED [FOLDER]]]\n");
    return 2;
  }
  const auto word = [&](int i) { return argc > i ? std::strtoull(argv[i], nullptr, 10) : 0; };
  std::vector<std::string> seeds = footlight::fuzz::session_seeds();
  if (argc > 4)
    for (const auto& entry : std::filesystem::directory_iterator(argv[4])) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::string bytes(std::istreambuf_iterator<char>(file), {});
      if (bytes.size() > 1) seeds.push_back(std::move(bytes));
    }
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(say_number);
#endif
  signal(SIGABRT, on_signal);
  signal(SIGALRM, on_signal);  // hangs
  for (unsigned long long i = word(2); i < word(2) + word(1); ++i) {
    number = i;
    alarm(kSecondsPerInput);
    std::seed_seq both{word(3), i};
    std::mt19937 random(both);
    const std::string& seed = seeds[random() % seeds.size()];
    footlight::fuzz::read_session(footlight::fuzz::mutated(seed, random));
  }
  std::printf("%llu mutations of %zu inputs, nothing found\n", word(1), seeds.size());
}
