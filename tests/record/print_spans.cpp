// Prints the spans and counters of a session as JSON, one a line, in the order of the file: for test_alone.py.
#include "engine/session/reader.h"

#include <cstdio>
#include <exception>

using namespace footlight::session;

namespace {

// The track: "thread NAME" or "counter NAME", and the number of its process.
void print_track(const Reader& reader, TrackId id) {
  const TrackRecord* const track = reader.track(id);
  std::printf("{\"track\": \"%s\"", track ? (track->kind + " " + track->name).c_str() : "none");
  if (track && track->thread.valid()) std::printf(", \"thread\": %u", track->thread.value);
}

void print(const Reader& reader, const SpanRecord& span) {
  print_track(reader, span.track);
  std::printf(", \"span\": \"%s\", \"category\": \"%s\", \"start\": %lld, \"end\": %lld, \"args\": %s}\n",
              span.name.c_str(), span.category.c_str(), static_cast<long long>(span.start_ns),
              static_cast<long long>(span.end_ns), span.args.empty() ? "null" : span.args.c_str());
}

void print(const Reader& reader, const CounterRecord& counter) {
  print_track(reader, counter.track);
  std::printf(", \"value\": %g, \"start\": %lld}\n", counter.value, static_cast<long long>(counter.time_ns));
}

template <class Store>
void print_all(const Reader& reader, const Store& store) {
  for (size_t i = 0; i < store.index().size(); ++i)
    for (const auto& record : *store.chunk(i)) print(reader, record);
}

}  // namespace

int main(int, char** argv) {
  try {
    const auto reader = Reader::open(argv[1]);
    print_all(*reader, reader->spans());
    print_all(*reader, reader->counters());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
