// Nodes whose hashes are unique in both graphs are matched first. Matches then spread along edges: what stands at the
// same place of two matched nodes is matched if it is alike. Among several alike, neighbours that are matched decide.
#include "engine/explain/graph_match.h"

#include <algorithm>
#include <deque>

namespace footlight::explain {
namespace {

using session::EdgeRecord;
using session::NodeRecord;

constexpr uint64_t kControl = UINT32_MAX;  // position of a control input
constexpr size_t kMaxUses = 64;           // nodes used more often are not told apart by their users
constexpr size_t kMaxInputs = 16;

// A node that takes this one's output, at which position.
struct Use {
  uint32_t user;
  uint64_t position;
  uint64_t output;
};

struct GraphSide {
  explicit GraphSide(const MatchSide& from)
      : index(from.index), size(from.index.size()), match(size, kNoNode), rank(size), uses(size), results(size),
        argument(size, 0), line(size, 0) {
    bool complete = true;
    exact = from.prints.labels(index, true, complete);
    alike = from.prints.labels(index, false, complete);
    op.resize(size + 1);
    for (size_t i = 0; i < size; ++i) {
      const NodeRecord& node = index.graph().nodes[i];
      op[i] = hash128(node.op);
      rank[index.order()[i]] = static_cast<uint32_t>(i);
      if (from.line) line[i] = from.line(node);
      const auto user = static_cast<uint32_t>(i);
      for (size_t k = 0; k < node.inputs.size(); ++k) use(node.inputs[k].from, {user, k, node.inputs[k].output});
      for (uint32_t c : node.control_inputs) use(c, {user, kControl, 0});
    }
    for (uint32_t id : index.graph().inputs)
      if (const size_t at = index.find(id); at < size) argument[at] = 1;
    for (size_t k = 0; k < index.graph().outputs.size(); ++k) {
      const EdgeRecord e = index.graph().outputs[k];
      if (const size_t at = index.find(e.from); at < size) results[at].push_back(relation_hash(3, k, e.output, {}));
    }
  }
  void use(uint32_t id, Use use) {
    if (const size_t at = index.find(id); at < size) uses[at].push_back(use);
  }
  const NodeRecord& node(size_t at) const { return index.graph().nodes[at]; }
  bool free(size_t at) const { return at < size && match[at] == kNoNode; }

  const GraphIndex& index;
  size_t size;
  std::vector<uint32_t> match, rank;
  std::vector<std::vector<Use>> uses;
  std::vector<std::vector<Hash128>> results;  // places among the graph's outputs
  std::vector<uint8_t> argument;
  std::vector<uint64_t> line;
  NodeHashes exact, alike, op;  // what a node is; the same without values; its op only
};

// One hash a node, on either side.
struct Colour {
  NodeHashes left, right;
};

using Nodes = std::vector<uint32_t>;

// "loss/mul_2/y" -> "loss/mul/y": the number tells nodes of one name apart.
std::string without_numbers(const std::string& name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const size_t end = name[i] == '_' ? name.find_first_not_of("0123456789", i + 1) : i + 1;
    const bool is_number = name[i] == '_' && end != i + 1 && (end == name.npos || name[end] == '/');
    if (!is_number) text += name[i];
    else if (end == name.npos) break;
    else i = end - 1;
  }
  return text;
}

// What has to agree before one of several nodes that are alike is chosen.
enum class Context { kBoth, kBothOrNone, kInputs, kUsers, kLine, kNone };

class Matcher {
 public:
  Matcher(const MatchSide& left, const MatchSide& right, const GoOn& go_on)
      : left_(left), right_(right), go_on_(go_on) {}

  NodeMatch run() {
    Colour exact{left_.exact, right_.exact}, alike{left_.alike, right_.alike}, op{left_.op, right_.op};
    const auto passes = [&](const Colour& label) {
      const Colour up{with_inputs(left_.index, label.left), with_inputs(right_.index, label.right)};
      const Colour down{with_users(left_.index, label.left), with_users(right_.index, label.right)};
      return std::vector<Colour>{mixed(up, down), up, down, label};
    };
    whole(exact, nullptr);
    std::vector<Colour> by_value = passes(exact), by_form = passes(alike);
    if (unfinished()) whole(alike, &by_value[1]);
    anchor(by_value);
    anchor(by_form);
    const std::vector<Colour> by_op{op};
    const std::pair<const std::vector<Colour>*, const Colour*> levels[] = {
        {&by_value, &exact}, {&by_form, &alike}, {&by_op, &op}};
    for (const auto& [colours, label] : levels) {
      spread_all(*label);
      for (const Colour& colour : *colours)
        for (Context context : {Context::kBoth, Context::kInputs, Context::kUsers}) choose(colour, *label, context);
    }
    for (const auto& [colours, label] : levels)
      for (const Colour& colour : *colours) choose(colour, *label, Context::kLine);
    for (const Colour& colour : by_value) choose(colour, exact, Context::kNone);
    spread_all(op);
    part_unlike_constants();
    return {std::move(left_.match), std::move(right_.match)};
  }

 private:
  bool unfinished() const { return matched_ < std::min(left_.size, right_.size); }
  void look_up() const {
    if (go_on_) go_on_();
  }

  static Colour mixed(const Colour& a, const Colour& b) {
    const auto mix = [](NodeHashes x, const NodeHashes& y) {
      for (size_t i = 0; i < x.size(); ++i) x[i] = relation_hash(7, x[i].high, x[i].low, y[i]);
      return x;
    };
    return {mix(a.left, b.left), mix(a.right, b.right)};
  }

  void match(uint32_t l, uint32_t r) {
    left_.match[l] = r;
    right_.match[r] = l;
    ++matched_;
    fresh_.push_back(l);
  }

  // --- spreading along edges ------------------------------------------------------------------------------------

  void try_match(size_t l, size_t r, const Colour& colour) {
    if (left_.free(l) && right_.free(r) && colour.left[l] == colour.right[r])
      match(static_cast<uint32_t>(l), static_cast<uint32_t>(r));
  }

  struct Neighbour {
    Hash128 relation;
    uint32_t rank, node;
    auto operator<=>(const Neighbour&) const = default;
  };
  static std::vector<Neighbour> free_neighbours(const GraphSide& side, size_t at, const NodeHashes& colour) {
    std::vector<Neighbour> found;
    for (const Use& u : side.uses[at])
      if (side.free(u.user))
        found.push_back({relation_hash(4, u.position, u.output, colour[u.user]), side.rank[u.user], u.user});
    for (uint32_t c : side.node(at).control_inputs)
      if (const size_t source = side.index.find(c); side.free(source))
        found.push_back({relation_hash(5, 0, 0, colour[source]), side.rank[source], static_cast<uint32_t>(source)});
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // Calls `body` with the nodes of each group that both sides have. Both are sorted.
  template <class Key, class Body>
  static void groups(const std::vector<Neighbour>& a, const std::vector<Neighbour>& b, const Key& key, Body&& body) {
    size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
      if (key(a[i]) != key(b[k])) {
        key(a[i]) < key(b[k]) ? ++i : ++k;
        continue;
      }
      const auto value = key(a[i]);
      Nodes l, r;
      for (; i < a.size() && key(a[i]) == value; ++i) l.push_back(a[i].node);
      for (; k < b.size() && key(b[k]) == value; ++k) r.push_back(b[k].node);
      body(std::move(l), std::move(r));
    }
  }
  static Hash128 relation_of(const Neighbour& n) { return n.relation; }

  void spread(uint32_t l, const Colour& colour) {
    const uint32_t r = left_.match[l];
    const NodeRecord &a = left_.node(l), &b = right_.node(r);
    for (size_t i = 0; i < std::min(a.inputs.size(), b.inputs.size()); ++i)
      if (a.inputs[i].output == b.inputs[i].output)
        try_match(left_.index.find(a.inputs[i].from), right_.index.find(b.inputs[i].from), colour);
    groups(free_neighbours(left_, l, colour.left), free_neighbours(right_, r, colour.right), relation_of,
           [&](Nodes x, Nodes y) {
             if (x.size() == 1 && y.size() == 1) try_match(x[0], y[0], colour);
             else waiting_.push_back({std::move(x), std::move(y)});
           });
  }

  void drain(const Colour& colour) {
    while (!fresh_.empty()) {
      const uint32_t l = fresh_.back();
      fresh_.pop_back();
      spread(l, colour);
      if (++steps_ % 1024 == 0) look_up();
    }
  }

  // What follows from the matches so far; several candidates are told apart by their other neighbours.
  void settle(const Colour& colour, const NodeHashes* finer_left = nullptr, const NodeHashes* finer_right = nullptr) {
    drain(colour);
    while (!waiting_.empty()) {
      auto [l, r] = std::move(waiting_.front());
      waiting_.pop_front();
      pair_up(std::move(l), std::move(r), colour, Context::kBoth, finer_left, finer_right);
    }
  }

  void spread_all(const Colour& colour, const Colour* finer = nullptr) {
    if (!unfinished()) return;
    const auto& to = right_.index.graph().outputs;
    const auto& from = left_.index.graph().outputs;
    for (size_t k = 0; k < std::min(from.size(), to.size()); ++k)
      if (from[k].output == to[k].output)
        try_match(left_.index.find(from[k].from), right_.index.find(to[k].from), colour);
    fresh_.clear();
    for (size_t i = left_.size; i-- > 0;)
      if (const size_t at = left_.index.order()[i]; !left_.free(at)) fresh_.push_back(static_cast<uint32_t>(at));
    settle(colour, finer ? &finer->left : nullptr, finer ? &finer->right : nullptr);
  }

  // --- choosing between nodes that are alike ----------------------------------------------------------------------

  // What is matched around a node, in the left graph's positions; nothing if too little is.
  bool context_of(const GraphSide& side, bool is_left, uint32_t at, Context context, Hash128& key) const {
    Hasher128 hasher;
    size_t known = 0;
    const auto image = [&](size_t neighbour) -> uint64_t {
      if (neighbour >= side.size || side.match[neighbour] == kNoNode) return kNoNode;
      ++known;
      return is_left ? neighbour : side.match[neighbour];
    };
    if (context == Context::kLine) {
      known = side.line[at] != 0;
      hasher.add(side.line[at]);
    }
    if (context == Context::kBoth || context == Context::kBothOrNone || context == Context::kInputs) {
      const NodeRecord& node = side.node(at);
      hasher.add(node.inputs.size());
      for (size_t i = 0; i < std::min(node.inputs.size(), kMaxInputs); ++i) {
        hasher.add(image(side.index.find(node.inputs[i].from)));
        hasher.add(node.inputs[i].output);
      }
    }
    if (context == Context::kBoth || context == Context::kBothOrNone || context == Context::kUsers) {
      std::vector<Hash128> marks = side.results[at];
      known += marks.size();
      if (side.uses[at].size() <= kMaxUses) {
        for (const Use& u : side.uses[at])
          if (const uint64_t user = image(u.user); user != kNoNode)
            marks.push_back(relation_hash(4, u.position, u.output, {user, 0}));
      }
      hasher.add(combined(marks));
    }
    key = hasher.result();
    return known > 0 || context == Context::kNone || context == Context::kBothOrNone;
  }

  // Matched nodes at the same place that are not each other's match.
  bool contradict(uint32_t l, uint32_t r) const {
    const auto &a = left_.node(l).inputs, &b = right_.node(r).inputs;
    for (size_t i = 0; i < std::min({a.size(), b.size(), kMaxInputs}); ++i) {
      const size_t x = left_.index.find(a[i].from), y = right_.index.find(b[i].from);
      if (x < left_.size && y < right_.size && !left_.free(x) && !right_.free(y) && left_.match[x] != y) return true;
    }
    return false;
  }

  void pair_up(Nodes ls, Nodes rs, const Colour& spread_by, Context context, const NodeHashes* finer_left,
               const NodeHashes* finer_right) {
    if (finer_left) pair_round(ls, rs, spread_by, context, finer_left, finer_right);
    // Matches made on the way change what is known of the others.
    for (int round = 0; round < 3; ++round)
      if (!pair_round(ls, rs, spread_by, context, nullptr, nullptr)) break;
  }

  bool pair_round(const Nodes& ls, const Nodes& rs, const Colour& spread_by, Context context,
                  const NodeHashes* finer_left, const NodeHashes* finer_right) {
    const auto keyed = [&](const GraphSide& side, bool is_left, const Nodes& nodes, const NodeHashes* finer) {
      std::vector<Neighbour> list;
      for (uint32_t n : nodes) {
        Hash128 key;
        if (!side.free(n) || !context_of(side, is_left, n, context, key)) continue;
        if (finer) key = relation_hash(8, key.high, key.low, (*finer)[n]);
        list.push_back({key, side.rank[n], n});
      }
      std::sort(list.begin(), list.end());
      return list;
    };
    bool any = false;
    groups(keyed(left_, true, ls, finer_left), keyed(right_, false, rs, finer_right), relation_of,
           [&](const Nodes& x, const Nodes& y) {
             size_t k = 0;
             for (uint32_t l : x) {
               while (k < y.size() && !right_.free(y[k])) ++k;
               if (k == y.size()) break;
               if (!left_.free(l)) continue;
               Hash128 a, b;
               context_of(left_, true, l, context, a);
               context_of(right_, false, y[k], context, b);
               const bool blind = context == Context::kNone || context == Context::kLine;
               if (a != b || (blind && contradict(l, y[k]))) continue;
               match(l, y[k++]);
               any = true;
               drain(spread_by);
             }
           });
    return any;
  }

  static std::vector<Neighbour> free_nodes(const GraphSide& side, const NodeHashes& colour) {
    std::vector<Neighbour> list;
    for (uint32_t i = 0; i < side.size; ++i)
      if (side.free(i)) list.push_back({colour[i], side.rank[i], i});
    std::sort(list.begin(), list.end());
    return list;
  }

  // Matches nodes of equal colour, in the left graph's order.
  void choose(const Colour& colour, const Colour& spread_by, Context context, const Colour* finer = nullptr) {
    if (!unfinished()) return;
    look_up();
    std::vector<std::pair<Nodes, Nodes>> buckets;
    groups(free_nodes(left_, colour.left), free_nodes(right_, colour.right), relation_of,
           [&](Nodes l, Nodes r) { buckets.push_back({std::move(l), std::move(r)}); });
    std::sort(buckets.begin(), buckets.end(), [&](const auto& a, const auto& b) {
      return left_.rank[a.first.front()] < left_.rank[b.first.front()];
    });
    const NodeHashes *fl = finer ? &finer->left : nullptr, *fr = finer ? &finer->right : nullptr;
    for (auto& [l, r] : buckets) {
      pair_up(std::move(l), std::move(r), spread_by, context, fl, fr);
      settle(spread_by, fl, fr);
    }
  }

  // If the graphs as a whole have the same form, a node goes with one of the same hash over everything around it.
  void whole(const Colour& label, const Colour* finer) {
    const auto around = [](const GraphIndex& index, const NodeHashes& label) {
      NodeHashes hashes = with_inputs(index, with_users(index, with_inputs(index, label)));
      hashes.pop_back();
      return hashes;
    };
    const Colour full{around(left_.index, label.left), around(right_.index, label.right)};
    if (left_.size != right_.size) return;
    NodeHashes a = full.left, b = full.right;
    if (combined(a) != combined(b)) return;
    unique(full, [](const GraphSide&, uint32_t) { return true; });
    spread_all(full, finer);
    choose(full, full, Context::kBothOrNone, finer);
  }

  template <class Firm>
  void unique(const Colour& colour, Firm&& firm) {
    look_up();
    groups(free_nodes(left_, colour.left), free_nodes(right_, colour.right), relation_of,
           [&](const Nodes& l, const Nodes& r) {
             if (l.size() == 1 && r.size() == 1 && firm(left_, l[0])) match(l[0], r[0]);
           });
  }

  // Nodes that are made in the same way or used in the same way, and nowhere else. One that takes nothing and is
  // no argument, like a constant, goes where its users go. All are found before any spread: a neighbour that is
  // merely alike must not take an anchor's place.
  void anchor(const std::vector<Colour>& passes) {
    if (!unfinished()) return;
    const bool same_arguments = left_.index.graph().inputs.size() == right_.index.graph().inputs.size();
    const auto stands = [&](const GraphSide& s, uint32_t n) {
      return !s.node(n).inputs.empty() || (same_arguments && s.argument[n]);
    };
    unique(passes[0], stands);
    unique(passes[1], stands);
    unique(passes[2], [&](const GraphSide& s, uint32_t n) {
      return stands(s, n) && (!s.uses[n].empty() || !s.results[n].empty());
    });
  }

  // A constant of another name with another type or shape is no changed one: a pass made it in place of other nodes.
  void part_unlike_constants() {
    for (uint32_t l = 0; l < left_.size; ++l) {
      const uint32_t r = left_.match[l];
      if (r == kNoNode) continue;
      const session::NodeRecord &a = left_.node(l), &b = right_.node(r);
      if (a.op != "Const" || b.op != "Const" || a.outputs == b.outputs) continue;
      if (without_numbers(a.name) != without_numbers(b.name)) left_.match[l] = right_.match[r] = kNoNode;
    }
  }

  GraphSide left_, right_;
  const GoOn& go_on_;
  Nodes fresh_;                                     // matched, not yet spread
  std::deque<std::pair<Nodes, Nodes>> waiting_;     // neighbours of which several are alike
  size_t matched_ = 0, steps_ = 0;
};

}  // namespace

NodeMatch match_nodes(const MatchSide& left, const MatchSide& right, const GoOn& go_on) {
  return Matcher(left, right, go_on).run();
}

}  // namespace footlight::explain
