// Reads a Perfetto trace packet by packet, without the whole file in memory. Inflates compressed packets.
#pragma once

#include "engine/foreign/input.h"

#include <functional>
#include <string>
#include <string_view>

namespace footlight::foreign {

class PacketStream {
 public:
  using Visit = std::function<void(std::string_view packet)>;
  explicit PacketStream(Input& input) : input_(input) {}
  // Calls visit for each packet. Returns why the end of the file was not reached; empty: it was.
  std::string read(const Visit& visit);

 private:
  bool has(size_t bytes);  // reads until that many bytes are in memory at `at_`; false: the file ends before
  bool unpack(std::string_view packed, const Visit& visit);

  Input& input_;
  std::string held_;
  size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace footlight::foreign
