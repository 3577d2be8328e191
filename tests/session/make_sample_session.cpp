// make_sample_session OUT.footlight [--unfinished]: writes the sample session, as a log when unfinished.
#include "tests/session/sample_session.h"

#include "engine/base/errors.h"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_sample_session OUT.footlight [--unfinished]\n");
    return 2;
  }
  using namespace footlight;
  try {
    auto writer = session::Writer::create(argv[1], sample::run_record(), RecordingLevel::kOps);
    const int64_t last = sample::write_session(*writer);
    if (argc > 2 && std::strcmp(argv[2], "--unfinished") == 0) return 0;
    const auto finished = writer->finish({last + 1'000'000, 0, 0, "finished"});
    if (!finished.one_file) {
      std::fprintf(stderr, "%s\n", finished.words.c_str());
      return 1;
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
