// What a GraphDef from a stranger may cost. Each limit is checked before anything is allocated for what it limits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace footlight::formats {

struct Limits {
  size_t bytes = INT32_MAX;               // of a message or its text: protobuf's own limit
  size_t messages = size_t{1} << 25;      // parts of a message, of which each takes 50 to 200 bytes of memory
  int depth = 100;                        // parts inside of parts
  size_t constant_bytes = size_t{8} << 30;  // all constants, whose repeated values a file holds only once
  size_t arguments = 65535;               // inputs of a node, and outputs
  size_t attributes = 1024;               // of a node
  int branches = 4096;                    // of a Case
  int calls = 128;                        // functions that call functions
  size_t program_nodes = size_t{1} << 24;  // nodes, those of a function counted wherever it is called
};

}  // namespace footlight::formats
