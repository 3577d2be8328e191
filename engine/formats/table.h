// Sorted keys and values as LevelDB's tables hold them: blocks of keys without their common prefixes, each checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace footlight::formats {

// One block, as it is written.
class TableBlock {
 public:
  explicit TableBlock(int restart_interval) : interval_(restart_interval) {}
  void add(std::string_view key, std::string_view value);  // keys in ascending order
  std::string finish();                                    // and starts the next one
  bool empty() const { return bytes_.empty(); }
  size_t size() const { return bytes_.size() + restarts_.size() + 4; }
  const std::string& last_key() const { return last_; }

 private:
  const int interval_;
  int since_restart_ = 0;
  std::string bytes_, restarts_ = std::string(4, '\0'), last_;
};

// The bytes of a table, from keys in ascending order.
class TableWriter {
 public:
  void add(std::string_view key, std::string_view value);
  std::string finish();

 private:
  void flush();
  std::string place(const std::string& block);  // writes it; where it lies

  static constexpr size_t kBlockSize = 262144;
  TableBlock data_{16}, index_{1};
  std::string bytes_;
  // Where the last block lies and its last key, while its separator from the next is not known.
  std::string waiting_, waiting_key_;
};

struct TableLimits {
  size_t key_bytes = 1 << 15;             // of one key
  size_t all_key_bytes = size_t{1} << 28;  // a key stored in a few bytes repeats what is before it
  size_t block_bytes = size_t{1} << 28;    // of one block, once it is decompressed
  bool checksums = true;                   // whether they must match: what a fuzzer changes has none
};

// Calls entry(key, value) for each of them, in order. The views hold during the call only. Throws kDataLoss for what is
// not a table, is damaged or exceeds a limit; `name` says in the error which file it is.
void read_table(std::string_view bytes, const std::string& name,
                const std::function<void(std::string_view key, std::string_view value)>& entry,
                const TableLimits& = {});

}  // namespace footlight::formats
