// A chunk store over anything that can fetch the bytes of chunk n: decodes on demand, caches the last few.
#pragma once

#include "engine/session/bytes.h"
#include "engine/session/chunk.h"
#include "engine/session/reader.h"

#include <deque>
#include <functional>
#include <mutex>

namespace footlight::session {

// Position of a chunk's bytes: the file offset in a log, the row in SQLite.
struct ChunkPlace { int64_t at = 0; uint64_t size = 0; uint32_t rows = 0; };

template <class Chunk>
class LazyStore : public ChunkStore<Chunk> {
 public:
  using Fetch = std::function<std::string(const ChunkPlace&)>;
  explicit LazyStore(Fetch fetch) : fetch_(std::move(fetch)) {}

  void add(ChunkInfo info, int64_t at, uint64_t size) {
    if (info.count == 0 || info.count > kMaxChunkRows) throw_broken("a chunk has an impossible number of rows");
    info.first_row = this->rows();
    index_.push_back(info);
    std::lock_guard lock(mutex_);
    places_.push_back({at, size, info.count});
  }

  const std::vector<ChunkInfo>& index() const override { return index_; }

  std::shared_ptr<const Chunk> chunk(size_t number) const override {
    ChunkPlace place;
    {
      std::lock_guard lock(mutex_);
      for (const Recent& kept : recent_)
        if (kept.number == number) return kept.chunk;
      if (number >= places_.size()) throw Error(ErrorKind::kIndex, "no such chunk");
      place = places_[number];
    }
    const std::string bytes = fetch_(place);
    auto made = std::make_shared<Chunk>();
    decode_chunk(bytes, place.rows, *made);
    const size_t size = bytes_of(*made);
    std::lock_guard lock(mutex_);
    recent_.push_back({number, size, made});
    recent_bytes_ += size;
    while (recent_.size() > kKept || (recent_bytes_ > kKeptBytes && recent_.size() > 1)) {
      recent_bytes_ -= recent_.front().bytes;
      recent_.pop_front();
    }
    return made;
  }

 private:
  struct Recent {
    size_t number = 0, bytes = 0;
    std::shared_ptr<const Chunk> chunk;
  };
  static constexpr size_t kKept = 32;  // about 25 MB of op events
  static constexpr size_t kKeptBytes = size_t{256} << 20;
  Fetch fetch_;
  std::vector<ChunkInfo> index_;
  mutable std::mutex mutex_;
  std::vector<ChunkPlace> places_;
  mutable std::deque<Recent> recent_;
  mutable size_t recent_bytes_ = 0;
};

// A store for every kind of events.
template <class Chunks>
struct LazyStoresOf;
template <class... Chunk>
struct LazyStoresOf<std::tuple<Chunk...>> { using type = std::tuple<LazyStore<Chunk>...>; };
using LazyStores = LazyStoresOf<EventChunks>::type;

}  // namespace footlight::session
