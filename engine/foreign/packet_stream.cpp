// A trace is a protobuf message of nothing but packets, so each is a tag, a length and its bytes.
#include "engine/foreign/packet_stream.h"

#include "engine/wire/protobuf.h"

#include <zlib.h>

#include <vector>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxPacket = 256 << 20, kMaxUnpacked = size_t{1} << 30;
constexpr uint32_t kPacket = 1, kCompressedPackets = 50;

}  // namespace

bool PacketStream::has(size_t bytes) {
  while (held_.size() - at_ < bytes && !ended_) {
    if (at_ > (1 << 20)) {
      held_.erase(0, at_);
      at_ = 0;
    }
    const std::string_view piece = input_.next();
    ended_ = piece.empty();
    held_ += piece;
  }
  return held_.size() - at_ >= bytes;
}

std::string PacketStream::read(const Visit& visit) {
  while (has(1)) {
    has(20);  // the longest tag with its length, or what there is
    std::string_view rest = std::string_view(held_).substr(at_);
    uint64_t tag = 0, size = 0;
    if (!wire::take_varint(rest, tag)) return "the file ends too early or is damaged";
    const auto type = static_cast<uint32_t>(tag & 7);
    if (type == wire::kVarint) {
      if (!wire::take_varint(rest, size)) return "the file ends too early or is damaged";
      at_ = held_.size() - rest.size();
      continue;
    }
    if (type != wire::kBytes || !wire::take_varint(rest, size) || size > kMaxPacket) return "the file is damaged";
    at_ = held_.size() - rest.size();
    if (!has(static_cast<size_t>(size))) return "the file ends too early";
    const std::string_view packet = std::string_view(held_).substr(at_, static_cast<size_t>(size));
    if (tag >> 3 == kPacket) {
      bool is_packed = false;
      for (wire::ProtobufReader field(packet); field.next();)
        if (field.field == kCompressedPackets && field.type == wire::kBytes) {
          is_packed = true;
          if (!unpack(field.bytes, visit)) return "packed packets are damaged";
        }
      if (!is_packed) visit(packet);
    }
    at_ += static_cast<size_t>(size);
  }
  return input_.damage();
}

bool PacketStream::unpack(std::string_view packed, const Visit& visit) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  std::string text;
  std::vector<char> piece(1 << 18);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int result = Z_OK;
  while (result == Z_OK && text.size() < kMaxUnpacked) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  wire::ProtobufReader trace(text);
  while (trace.next())
    if (trace.field == kPacket && trace.type == wire::kBytes) visit(trace.bytes);
  return result == Z_STREAM_END && trace.ok();
}

}  // namespace footlight::foreign
