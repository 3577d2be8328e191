// Lists the tables of a recording in which nothing was recorded.
#include "engine/sql/table.h"

#include "engine/base/errors.h"

#include <tuple>

namespace footlight::sql {
namespace {

template <class Chunk>
class EmptyStore : public session::ChunkStore<Chunk> {
 public:
  const std::vector<session::ChunkInfo>& index() const override { return none_; }
  std::shared_ptr<const Chunk> chunk(size_t) const override { throw Error(ErrorKind::kIndex, "no such chunk"); }

 private:
  std::vector<session::ChunkInfo> none_;
};

template <class Chunks>
struct EmptyStoresOf;
template <class... Chunk>
struct EmptyStoresOf<std::tuple<Chunk...>> {
  std::tuple<EmptyStore<Chunk>...> all;
  std::tuple<session::ChunkStore<Chunk>*...> pointers() { return {&std::get<EmptyStore<Chunk>>(all)...}; }
};

class EmptyRecording : public session::Reader {
 public:
  EmptyRecording() { stores_ = empty_.pointers(); }
  session::Changes refresh() override { return {}; }

 private:
  EmptyStoresOf<session::EventChunks> empty_;
};

}  // namespace

const std::vector<TableDescription>& table_descriptions() {
  static const auto* const made = [] {
    const EmptyRecording nothing;
    Lookup lookup(nothing);
    std::vector<std::unique_ptr<Table>> tables;
    add_tables(lookup, tables);
    auto* out = new std::vector<TableDescription>;
    for (const auto& table : tables) out->push_back({table->name(), table->meaning(), table->columns()});
    return out;
  }();
  return *made;
}

}  // namespace footlight::sql
