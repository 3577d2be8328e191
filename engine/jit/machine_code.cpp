// Allocates registers in one pass, because the body of a loop has no branches: a value keeps its register from the step
// that computes or loads it to the last step that reads it. Loop invariants (constants, single elements) get registers
// from the top down and are loaded by a prologue at the end of the code, to which the start jumps. Uses Xbyak.
#include "engine/jit/machine_code.h"

#include "engine/base/errors.h"
#include "kernels/table.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#if defined(__x86_64__) && __has_include(<xbyak/xbyak.h>)
#define FL_HAS_ASSEMBLER 1
#include "engine/jit/machine_ops.h"
#endif

namespace footlight::jit {

using fusion::FusedGroup;

#if defined(FL_HAS_ASSEMBLER)
namespace {

bool avx2_forced = false;

bool use_avx512() { return cpu_isa() == "avx512" && !avx2_forced; }

struct OutOfRegisters {};

class LoopAssembler final : MachineOps {
 public:
  LoopAssembler(std::span<std::byte> memory, const FusedGroup& group, StepRange range, ScalarMask scalars)
      : MachineOps(memory, use_avx512()), group_(group), range_(range), scalars_(scalars) {
    registers_.assign(group.values.size(), {});
    find_uses();
    for (size_t v = 0; v < registers_.size(); ++v) {
      if (!registers_[v].is_used || is_bool(v)) continue;
      const size_t size = group.values[v].size;
      if (!wide_ && widest_ && size != widest_) throw OutOfRegisters();
      widest_ = std::max(widest_, size);
    }
    if (!widest_) widest_ = 4;
    lanes_ = static_cast<int>((wide_ ? 64 : 32) / widest_);
  }

  size_t emit() {
    Xbyak::Label prepare, start, whole, rest, done, one;
    push(rbp);  // a frame pointer, so that a debugger finds the caller
    mov(rbp, rsp);
    jmp(prepare, T_NEAR);
    L(start);
    xor_(index_, index_);
    lea(limit_, ptr[n_ - lanes_]);
    align(16);
    L(whole);
    cmp(index_, limit_);
    jg(rest, T_NEAR);
    emit_body();
    add(index_, lanes_);
    jmp(whole, T_NEAR);
    L(rest);
    if (wide_) {
      sub(n_, index_);
      jle(done, T_NEAR);
      mov(temp_.cvt32(), -1);
      bzhi(temp_.cvt32(), temp_.cvt32(), n_.cvt32());
      kmovd(kTail, temp_.cvt32());
      partial_ = true;
      emit_body();
    } else {
      const int all = lanes_;
      L(one);
      cmp(index_, n_);
      jge(done, T_NEAR);
      partial_ = true;
      lanes_ = 1;
      emit_body();
      inc(index_);
      jmp(one, T_NEAR);
      lanes_ = all;
    }
    L(done);
    for (size_t k = pointers_; k > kFree; --k) pop(kPointers[k - 1]);
    pop(rbp);
    vzeroupper();
    ret();
    L(prepare);
    emit_prologue();
    jmp(start, T_NEAR);
    ready();
    return getSize();
  }

 private:
  struct ValueRegister {
    bool is_used = false, is_computed = false, is_stored = false;
    size_t last = 0;   // the last step of the range that reads it, or the step that computes it
    int at = -1;       // its register
    int pointer = -1;  // the register with its address, if it is one of the first
    bool is_invariant = false;  // a single element, loaded once
  };
  struct Constant {
    uint64_t bits;
    size_t size;
    int at;
  };

  static constexpr size_t kFree = 4, kMaxPointers = 9;  // the first kFree registers for addresses need not be saved
  const Xbyak::Reg64 kPointers[kMaxPointers] = {r8, r9, r10, r11, rbx, r12, r13, r14, r15};
  const Xbyak::Reg64 values_ = rdi, n_ = rsi, index_ = rax, limit_ = rcx, temp_ = rdx;
  const Opmask kTail = k7;

  const FusedGroup::Value& value(size_t v) const { return group_.values[v]; }
  bool is_bool(size_t v) const { return value(v).dtype == DType::kBool; }
  bool is_single(size_t v) const {
    return v < group_.num_outside ? scalars_ >> v & 1
                                  : group_.is_repeated(static_cast<uint16_t>(v)) && scalars_ & kPerRowBit;
  }

  void find_uses() {
    for (size_t s = range_.first; s < range_.first + range_.count; ++s) {
      const FusedGroup::Step& step = group_.steps[s];
      for (uint8_t k = 0; k < step.inputs; ++k) {
        registers_[step.in[k]].is_used = true;
        registers_[step.in[k]].last = s;
      }
      registers_[step.out] = {.is_used = true, .is_computed = true, .last = s};
      registers_[step.out].is_stored = value(step.out).storage == FusedGroup::Storage::kResult;
    }
    for (size_t s = range_.first + range_.count; s < group_.steps.size(); ++s)
      for (uint8_t k = 0; k < group_.steps[s].inputs; ++k) {
        ValueRegister& place = registers_[group_.steps[s].in[k]];
        place.is_stored |= place.is_computed;
      }
  }

  int take() {
    int r = 0;
    while (taken_ >> r & 1) ++r;
    if (r >= lowest_invariant_) throw OutOfRegisters();
    taken_ |= uint32_t{1} << r;
    num_used_ = std::max(num_used_, r + 1);
    return r;
  }
  int take_invariant() {
    if (lowest_invariant_ - 1 < num_used_) throw OutOfRegisters();
    return --lowest_invariant_;
  }
  int take_mask() {
    int r = 1;
    while (masks_taken_ >> r & 1) ++r;
    if (r >= lowest_invariant_mask_) throw OutOfRegisters();
    masks_taken_ |= 1u << r;
    num_masks_used_ = std::max(num_masks_used_, r + 1);
    return r;
  }
  int take_invariant_mask() {
    if (lowest_invariant_mask_ - 1 < num_masks_used_) throw OutOfRegisters();
    return --lowest_invariant_mask_;
  }
  void take(size_t v) { registers_[v].at = is_bool(v) && wide_ ? take_mask() : take(); }
  void free_register(size_t v) {
    ValueRegister& place = registers_[v];
    if (place.is_invariant || place.at < 0) return;
    (is_bool(v) && wide_ ? masks_taken_ : taken_) &= ~(uint32_t{1} << place.at);
    place.at = -1;
  }

  size_t lane_size(size_t v) const { return is_bool(v) ? widest_ : value(v).size; }
  Xmm of(size_t v) const { return vector(registers_[v].at, lane_size(v)); }
  Opmask mask_of(size_t v) const { return Opmask(registers_[v].at); }

  Xmm constant(uint64_t bits, size_t size) override {
    for (const Constant& known : constants_)
      if (known.bits == bits && known.size == size) return vector(known.at, size);
    constants_.push_back({bits, size, take_invariant()});
    return vector(constants_.back().at, size);
  }
  const Xbyak::Reg64& pointer(size_t v) {
    ValueRegister& place = registers_[v];
    if (place.pointer < 0 && pointers_ < kMaxPointers) place.pointer = static_cast<int>(pointers_++);
    if (place.pointer >= 0) return kPointers[place.pointer];
    mov(temp_, ptr[values_ + static_cast<int>(8 * v)]);
    return temp_;
  }
  Xbyak::RegExp element(size_t v) { return pointer(v) + index_ * static_cast<int>(value(v).size); }

  void load(size_t v) {
    ValueRegister& place = registers_[v];
    if (place.at >= 0) return;
    if (is_single(v)) {
      place.is_invariant = true;
      place.at = is_bool(v) && wide_ ? take_invariant_mask() : take_invariant();
      return;
    }
    take(v);
    const Xbyak::RegExp at = element(v);
    const Xbyak::Address from = ptr[at];
    const size_t size = lane_size(v);
    if (!is_bool(v)) {
      const Xmm to = of(v);
      if (partial_ && wide_) size == 4 ? vmovups(to | kTail | T_z, from) : vmovupd(to | kTail | T_z, from);
      else if (partial_) size == 4 ? vmovss(to, from) : vmovsd(to, from);
      else vmovups(to, from);
    } else if (wide_) {
      const Xmm bytes = Xmm(num_registers_);
      if (partial_) vmovdqu8(bytes | kTail | T_z, from);
      else if (lanes_ == 16) vmovdqu(bytes, from);
      else vmovq(bytes, from);
      vptestmb(mask_of(v), bytes, bytes);
    } else {
      const Xmm to = of(v);
      if (partial_) {
        movzx(temp_.cvt32(), byte[at]);
        vmovd(to, temp_.cvt32());
      } else if (size == 4) {
        vpmovzxbd(to, from);
      } else {
        vpmovzxbq(to, from);
      }
      expand_bools(to, size);
    }
  }
  // Turns the elements 0 and 1 into 0 and -1, all bits set.
  void expand_bools(const Xmm& to, size_t size) {
    const Xmm zero = constant(0, size);
    size == 4 ? vpsubd(to, zero, to) : vpsubq(to, zero, to);
  }

  void store(size_t v) {
    const Xbyak::RegExp at = element(v);
    const Xbyak::Address to = ptr[at];
    const size_t size = lane_size(v);
    if (!is_bool(v)) {
      const Xmm from = of(v);
      if (partial_ && wide_) size == 4 ? vmovups(to | kTail, from) : vmovupd(to | kTail, from);
      else if (partial_) size == 4 ? vmovss(to, from) : vmovsd(to, from);
      else vmovups(to, from);
    } else if (wide_) {
      const Xmm bytes = Xmm(num_registers_);
      vmovdqu8(bytes | mask_of(v) | T_z, Xmm(constant(0x0101010101010101, 8).getIdx()));
      if (partial_) vmovdqu8(to | kTail, bytes);
      else if (lanes_ == 16) vmovdqu(to, bytes);
      else vmovq(to, bytes);
    } else {
      const Xmm low = Xmm(num_registers_), high = Xmm(num_registers_ + 1);
      const Xmm from = of(v);
      if (partial_) {
        vmovd(limit_.cvt32(), from);  // limit_ is not needed any more
        and_(limit_.cvt32(), 1);
        return mov(byte[at], limit_.cvt8());
      }
      vextracti128(high, Xbyak::Ymm(from.getIdx()), 1);
      if (size == 4) vpackssdw(low, Xmm(from.getIdx()), high);
      else vshufps(low, Xmm(from.getIdx()), high, 0x88);
      if (size == 4) vpacksswb(low, low, low);
      else vpackssdw(low, low, low), vpacksswb(low, low, low);
      vpabsb(low, low);
      if (size == 4) vmovq(to, low);
      else vmovd(to, low);
    }
  }
  // Ends the code with a prologue that loads addresses, constants and single elements.
  void emit_prologue() {
    for (size_t k = kFree; k < pointers_; ++k) push(kPointers[k]);
    for (size_t v = 0; v < registers_.size(); ++v)
      if (registers_[v].pointer >= 0) mov(kPointers[registers_[v].pointer], ptr[values_ + static_cast<int>(8 * v)]);
    for (size_t v = 0; v < registers_.size(); ++v) {
      const ValueRegister& place = registers_[v];
      if (!place.is_invariant) continue;
      mov(index_, ptr[values_ + static_cast<int>(8 * v)]);
      if (!is_bool(v)) {
        const Xmm to = of(v);
        if (value(v).size == 4) vbroadcastss(to, ptr[index_]);
        else vbroadcast_double(to);
        continue;
      }
      movzx(limit_.cvt32(), byte[index_]);
      neg(limit_);
      if (wide_) kmovq(mask_of(v), limit_);
      else spread_bits(of(v), lane_size(v));
    }
    for (const Constant& c : constants_) {
      const Xmm to = wide_ ? static_cast<Xmm>(Xbyak::Zmm(c.at)) : static_cast<Xmm>(Xbyak::Ymm(c.at));
      mov(limit_, c.bits);
      spread_bits(to, c.size);
    }
  }
  void vbroadcast_double(const Xmm& to) {
    if (to.isXMM()) vmovddup(to, ptr[index_]);
    else vbroadcastsd(static_cast<const Xbyak::Ymm&>(to), ptr[index_]);
  }
  void spread_bits(const Xmm& to, size_t size) {
    if (wide_) {
      if (size == 4) vpbroadcastd(to, limit_.cvt32());
      else vpbroadcastq(to, limit_);
      return;
    }
    vmovq(Xmm(to.getIdx()), limit_);
    if (size == 4) vpbroadcastd(to, Xmm(to.getIdx()));
    else vpbroadcastq(to, Xmm(to.getIdx()));
  }

  void emit_body() {
    for (size_t v = 0; v < registers_.size(); ++v) free_register(v);
    for (size_t s = range_.first; s < range_.first + range_.count; ++s) {
      const FusedGroup::Step& step = group_.steps[s];
      for (uint8_t k = 0; k < step.inputs; ++k) load(step.in[k]);
      take(step.out);
      run(step);
      if (registers_[step.out].is_stored) store(step.out);
      for (uint8_t k = 0; k < step.inputs; ++k)
        if (registers_[step.in[k]].last == s) free_register(step.in[k]);
      if (registers_[step.out].last == s) free_register(step.out);
    }
  }

  void run(const FusedGroup::Step& step) {
    const DType t = value(step.in[0]).dtype;
    if (t == DType::kBool) return run_on_bools(step);
    const Xmm a = of(step.in[0]), b = step.inputs > 1 ? of(step.in[1]) : a;
    const auto test = [&](const Xmm& with, Predicate p) { compare(a, with, p, t, registers_[step.out].at); };
    switch (step.jit_op) {
      case JitOp::kLess: return test(b, kLessThan);
      case JitOp::kLessEqual: return test(b, kAtMost);
      case JitOp::kGreater: return test(b, kMoreThan);
      case JitOp::kGreaterEqual: return test(b, kAtLeast);
      case JitOp::kEqual: return test(b, kEqualTo);
      case JitOp::kNotEqual: return test(b, kNotEqualTo);
      case JitOp::kIsNan: return test(a, kUnordered);
      case JitOp::kCast:
        if (is_bool(step.out)) return test(number(0, t), kNotEqualTo);
        return cast(of(step.out), a, t, value(step.out).dtype);
      default: return compute(step.jit_op, of(step.out), a, b, t);
    }
  }

  void run_on_bools(const FusedGroup::Step& step) {
    const int a = registers_[step.in[0]].at, b = step.inputs > 1 ? registers_[step.in[1]].at : a,
              to = registers_[step.out].at;
    const Xmm va = vector(a, widest_), vb = vector(b, widest_), vto = vector(to, widest_);
    switch (step.jit_op) {
      case JitOp::kLogicalAnd: return wide_ ? kandw(Opmask(to), Opmask(a), Opmask(b)) : vpand(vto, va, vb);
      case JitOp::kLogicalOr: return wide_ ? korw(Opmask(to), Opmask(a), Opmask(b)) : vpor(vto, va, vb);
      case JitOp::kLogicalNot:
        return wide_ ? knotw(Opmask(to), Opmask(a)) : vpxor(vto, va, constant(UINT64_MAX, widest_));
      case JitOp::kCast: return mask_or_zero(of(step.out), {a}, number(1, value(step.out).dtype), value(step.out).size);
      case JitOp::kSelect:
        return choose(of(step.out), {a}, of(step.in[1]), of(step.in[2]), value(step.out).size);
      default: FL_CHECK(false);
    }
  }

  const FusedGroup& group_;
  const StepRange range_;
  const ScalarMask scalars_;
  size_t widest_ = 0;
  bool partial_ = false;  // the code for the elements that do not fill a vector is being emitted
  std::vector<ValueRegister> registers_;
  std::vector<Constant> constants_;
  uint32_t taken_ = 0, masks_taken_ = 0;
  int num_used_ = 0, lowest_invariant_ = num_registers_, num_masks_used_ = 1, lowest_invariant_mask_ = kTempMask;
  size_t pointers_ = 0;
};

// Whether there are instructions for these dtypes of input and output.
bool computes(JitOp exact, DType from, DType to) {
  using enum JitOp;
  const auto lanes = [](DType d) {
    return d == DType::kFloat32 || d == DType::kFloat64 || d == DType::kInt32 || (use_avx512() && d == DType::kInt64);
  };
  switch (exact) {
    case kNone: return false;
    case kLogicalAnd:
    case kLogicalOr:
    case kLogicalNot: return true;
    case kSelect: return lanes(to);
    case kCast:
      if (!use_avx512() && from != DType::kBool && to != DType::kBool && size_of(from) != size_of(to)) return false;
      return from != to && (lanes(from) || from == DType::kBool) && (lanes(to) || to == DType::kBool);
    case kAdd:
    case kSub:
    case kMul:
    case kMaximum:
    case kMinimum:
    case kSquaredDifference:
    case kNeg:
    case kAbs:
    case kSign:
    case kSquare:
    case kRelu:
    case kReluGrad:
    case kLess:
    case kLessEqual:
    case kGreater:
    case kGreaterEqual:
    case kEqual:
    case kNotEqual: return lanes(from);
    default: return from == DType::kFloat32 || from == DType::kFloat64;
  }
}

}  // namespace

const char* why_no_machine_code() {
  static const bool off = [] {
    const char* const wanted = std::getenv("FOOTLIGHT_MACHINE_CODE");
    return wanted && std::string_view(wanted) == "0";
  }();
  if (off) return "FOOTLIGHT_MACHINE_CODE=0 switches it off";
  return cpu_isa() == "avx512" || cpu_isa() == "avx2" ? nullptr : "it is made for AVX2 and AVX-512 only";
}

void force_avx2(bool on) { avx2_forced = on; }

bool has_instructions(const FusedGroup& group, const FusedGroup::Step& step) {
  if (step.kind != FusedGroup::Step::Kind::kLoop || why_no_machine_code()) return false;
  return computes(step.jit_op, group.values[step.in[0]].dtype, group.values[step.out].dtype);
}

std::vector<std::byte> assemble(const FusedGroup& group, StepRange range, ScalarMask scalars) {
  std::vector<std::byte> memory(size_t{32} << 10);
  try {
    memory.resize(LoopAssembler(memory, group, range, scalars).emit());
  } catch (const OutOfRegisters&) {
    memory.clear();
  } catch (const Xbyak::Error&) {  // the code is larger than the buffer
    memory.clear();
  }
  return memory;
}

#else

const char* why_no_machine_code() { return "Footlight was built without the assembler"; }
void force_avx2(bool) {}
bool has_instructions(const FusedGroup&, const FusedGroup::Step&) { return false; }
std::vector<std::byte> assemble(const FusedGroup&, StepRange, ScalarMask) { return {}; }

#endif

}  // namespace footlight::jit
