// Zip archives from strangers: members are found through the directory at the end, and inflated up to a limit. minizip
// reads bytes in memory through callbacks only, and would leave the checks of sizes, ratios and checksums to us.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace footlight::model {

class Archive {
 public:
  // `bytes` has to outlive it. Throws kValue for what is no archive.
  explicit Archive(std::string_view bytes);
  bool has(std::string_view name) const { return members_.contains(name); }
  // Throws kValue where the member is missing, is damaged, or has more than `most` bytes.
  std::string member(std::string_view name, uint64_t most) const;

 private:
  struct Member {
    uint16_t method = 0;
    uint32_t checksum = 0;
    uint64_t packed = 0, size = 0, offset = 0;
  };
  std::string_view bytes_;
  std::map<std::string, Member, std::less<>> members_;
};

}  // namespace footlight::model
