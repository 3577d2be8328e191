// The name of a node, in 16 bytes: short names are stored inline, long ones are shared by copies. Graphs have many
// nodes, and those made from other graphs keep their names.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace footlight {

class NodeName {
 public:
  NodeName() { room_[kLast] = kLast; }
  NodeName(std::string_view name);  // NOLINT: as text
  NodeName(const std::string& name) : NodeName(std::string_view(name)) {}  // NOLINT
  NodeName(const char* name) : NodeName(std::string_view(name)) {}         // NOLINT
  NodeName(const NodeName& o) : NodeName(o, Bytes()) {
    if (Shared* const shared = long_one()) shared->owners.fetch_add(1, std::memory_order_relaxed);
  }
  NodeName(NodeName&& o) noexcept : NodeName(o, Bytes()) { o.forget(); }
  NodeName& operator=(NodeName o) noexcept {
    std::swap(room_, o.room_);
    return *this;
  }
  ~NodeName() {
    if (Shared* const shared = long_one()) release(shared);
  }

  const char* c_str() const {
    const Shared* const shared = long_one();
    return shared ? reinterpret_cast<const char*>(shared + 1) : room_;
  }
  size_t size() const {
    const Shared* const shared = long_one();
    return shared ? shared->size : kLast - static_cast<size_t>(room_[kLast]);
  }
  bool empty() const { return size() == 0; }
  std::string_view view() const { return {c_str(), size()}; }
  operator std::string_view() const { return view(); }         // NOLINT: as text
  operator std::string() const { return std::string(view()); }  // NOLINT: as text

  friend bool operator==(const NodeName& a, const NodeName& b) { return a.view() == b.view(); }
  friend bool operator==(const NodeName& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const NodeName& a, const std::string& b) { return a.view() == b; }
  friend std::string operator+(std::string a, const NodeName& b) { return a.append(b.view()); }
  friend std::string operator+(const NodeName& a, std::string_view b) { return std::string(a).append(b); }
  friend std::string operator+(const NodeName& a, char b) { return std::string(a) + b; }
  friend void append_to(std::string& out, const NodeName& name) { out.append(name.view()); }

 private:
  struct Bytes {};
  struct Shared {  // its characters follow it
    std::atomic<uint32_t> owners{1};
    uint32_t size;
  };
  static constexpr size_t kLast = 15;  // there: how many bytes are free, or that the name is elsewhere
  static constexpr char kElsewhere = 127;

  NodeName(const NodeName& o, Bytes) { std::memcpy(room_, o.room_, sizeof room_); }
  Shared* long_one() const {
    if (room_[kLast] != kElsewhere) return nullptr;
    Shared* shared;
    std::memcpy(&shared, room_, sizeof shared);
    return shared;
  }
  void forget() {
    room_[0] = 0;
    room_[kLast] = kLast;
  }
  static void release(Shared*);

  alignas(void*) char room_[kLast + 1] = {};
};

}  // namespace footlight
