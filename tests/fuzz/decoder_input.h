// The meaning of the fuzzer's bytes for decoders: a byte with the form, a byte with options, what is decoded.
#pragma once

#include <string_view>

namespace footlight::fuzz {

// Forms by their first byte, modulo their number.
inline constexpr const char* kDecoderForms[] = {"jpeg", "png", "gif", "bmp", "tensor", "gzip", "zlib"};

// Decodes it and reads all that was decoded; expected failures are Errors and fine. True if it could be decoded.
bool decode_input(std::string_view input);

}  // namespace footlight::fuzz
