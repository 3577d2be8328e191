// Reading messages from bytes and from text that a stranger may have written.
#pragma once

#include "engine/formats/graph_def.pb.h"
#include "engine/formats/limits.h"

#include <string_view>

namespace footlight::formats {

// Both replace `message`; they throw kValue for what is not such a message or exceeds a limit. An error in a text
// says the line and the column.
void read_bytes(google::protobuf::Message& message, std::string_view bytes, const Limits& = {});
void read_text(google::protobuf::Message& message, std::string_view text, const Limits& = {});

}  // namespace footlight::formats
