// The meaning of the fuzzer's bytes for checkpoints: two bytes with the size of the index, the index, the values.
#pragma once

#include <string>
#include <string_view>

namespace footlight::fuzz {

// Opens the checkpoint and reads all its tensors; expected failures are Errors and fine. One in eight is written again,
// which takes longer than all else. Ends the process where what was read does not come back as it was.
void read_checkpoint(std::string_view input);
std::string checkpoint_input(std::string_view index, std::string_view values);
// How many tensors were read so far.
unsigned tensors_read();

}  // namespace footlight::fuzz
