// Sorts any number of records in bounded memory: sorted runs go to a temporary file and are merged at the end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::foreign {

struct SortKey {
  int64_t first = 0, second = 0, third = 0;
  friend auto operator<=>(const SortKey&, const SortKey&) = default;
};

class Spill {
 public:
  // `beside`: the file that is being made; the temporary one lies in its folder and has no name.
  explicit Spill(std::string beside) : beside_(std::move(beside)) {}
  void add(const SortKey& key, std::string_view record);
  // Calls visit for each record, in ascending order of keys, equal ones in the order in which they were added. Once.
  using Visit = std::function<void(const SortKey&, std::string_view)>;
  void merge(const Visit& visit);
  uint64_t size() const { return count_; }

 private:
  struct Entry {
    SortKey key;
    uint32_t offset = 0, size = 0;
  };
  struct Run { int64_t at = 0, bytes = 0; };
  struct Close { void operator()(std::FILE* f) const { std::fclose(f); } };
  void sort();
  void write_run();

  std::string beside_;
  std::string bytes_;
  std::vector<Entry> entries_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<Run> runs_;
  uint64_t count_ = 0;
};

}  // namespace footlight::foreign
