// Encodings of text: reading and writing code points.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace footlight {

enum class Encoding : uint8_t { kUtf8, kUtf16Big, kUtf16Little, kUtf32Big, kUtf32Little, kAscii, kLatin1 };

// Finds an encoding by name, ignoring case; false if the name is unknown.
bool encoding_of(std::string_view name, Encoding& out);
// Calls found(code, start, valid) for each code point; for bytes that are none, with valid false, once for each part
// that could be the beginning of one.
void each_code(std::string_view text, Encoding,
               const std::function<void(uint32_t code, size_t start, bool valid)>& found);
// False where the encoding has no such code point.
bool put_code(std::string& out, uint32_t code, Encoding);

}  // namespace footlight
