// Summaries bottom-up (uses, must-define, bind), then liveness backwards and definitions forwards.
#include "engine/autograph/activity.h"

#include <utility>

namespace footlight::autograph {

namespace {

struct Summary {
  NameSet use;    // read before any certain definition inside
  NameSet must;   // definitely defined when control falls off the end
  NameSet bound;  // possibly defined or deleted
  NameSet kept;   // names that its lambdas and generators read, perhaps later
};

class Analysis {
 public:
  Analysis(Tree& tree, Activity& activity, uint64_t& steps, const Name* do_return, const Name* retval)
      : tree_(tree), a_(activity), steps_(steps), do_return_(do_return), retval_(retval) {}

  Summary block(const List& list) {
    Summary all;
    for (uint32_t i = list.size; i-- > 0;) {
      const Summary& one = statement(list[i]);
      all.use.remove_all(one.must);
      all.use.add_all(one.use);
      all.must.add_all(one.must);
      all.bound.add_all(one.bound);
    }
    return all;
  }

  // live: the names needed after the list on entry, before it on return. `extra` is live at every point.
  void live(const List& list, NameSet& live, const NameSet& extra) {
    for (uint32_t i = list.size; i-- > 0;) {
      Node* node = list[i];
      ++steps_;
      NameSet always = extra;
      if (is_control_flow(node)) always.add_all(a_.flows[a_.index[node->number]].kept_before);
      live.add_all(always);
      const NameSet after = live;
      const Summary& one = summary(node);
      live.remove_all(one.must);
      live.add_all(one.use);
      live.add_all(always);
      inside(node, after, live, always);
    }
    live.add_all(extra);
  }

  // defined: the names that may have a value: on entry before the list, on return after it. Visits statements in
  // program order, so that what is kept before a statement is known.
  void define(const List& list, NameSet& defined) {
    for (Node* node : list) {
      ++steps_;
      if (is_control_flow(node)) {
        Flow& flow = a_.flows[a_.index[node->number]];
        flow.defined_in = defined;
        flow.kept_before = kept_so_far_;
      }
      switch (node->kind) {
        case Kind::kIf: {
          NameSet body = defined, orelse = defined;
          define(node->list(at::If::body), body);
          define(node->list(at::If::orelse), orelse);
          defined = body;
          defined.add_all(orelse);
          break;
        }
        case Kind::kFor:
        case Kind::kAsyncFor:
        case Kind::kWhile: {
          NameSet body = defined;
          body.add_all(summary(node).bound);
          const int slot = node->kind == Kind::kWhile ? +at::While::body : +at::For::body;
          if (is_control_flow(node)) a_.flows[a_.index[node->number]].defined_in = defined;
          define(node->list(slot), body);
          defined.add_all(body);
          break;
        }
        case Kind::kDelete:
          for (const Node* target : node->list(at::Delete::targets))
            if (is(target, Kind::kName)) defined.remove(target->name(at::Name::id));
          break;
        default:
          names_bound_here(tree_, node, defined);
          for_each_block(node, [&](const List& inner) { define(inner, defined); });
          break;
      }
      // Only its own lambdas read the names that such a statement binds, and they are not called after it.
      NameSet kept = summary(node).kept;
      if (is_control_flow(node)) {
        kept.remove_all(summary(node).bound);
        kept_so_far_ = a_.flows[a_.index[node->number]].kept_before;
      }
      kept_so_far_.add_all(kept);
    }
  }

  void declarations(const List& list) {
    for (const Node* node : list) {
      if (is(node, Kind::kGlobal))
        for (const Name* name : node->names(at::Global::names)) a_.globals.add(name);
      else if (is(node, Kind::kNonlocal))
        for (const Name* name : node->names(at::Nonlocal::names)) a_.nonlocals.add(name);
      else
        for_each_block(node, [&](const List& inner) { declarations(inner); });
    }
  }

  // Free variables of a nested function: names it uses but does not bind itself.
  NameSet free_names(const Node* arguments, const List& body) {
    NameSet names, own, outer;
    parameter_names(arguments, own);
    for (Node* statement : body) {
      all_names(statement, names);
      own_names(statement, own, outer);
    }
    own.remove_all(outer);
    names.remove_all(own);
    names.add_all(outer);
    return names;
  }

 private:
  template <class Visit>
  static void for_each_block(const Node* node, Visit&& visit) {
    if (is_function(node) || is(node, Kind::kClassDef)) return;
    const KindInfo& described = info(node->kind);
    for (int i = 0; i < described.field_count; ++i) {
      if (described.fields[i].type != FieldType::kList) continue;
      const List& list = node->list(i);
      if (list.empty()) continue;
      if (info(list[0]->kind).category == Category::kStatement) visit(list);
      else if (is(list[0], Kind::kExceptHandler) || is(list[0], Kind::kmatch_case))
        for (const Node* part : list) for_each_block(part, visit);
    }
  }

  const Summary& summary(const Node* node) const { return summaries_[a_.index[node->number]]; }

  void inside(Node* node, const NameSet& after, const NameSet& before, const NameSet& extra) {
    switch (node->kind) {
      case Kind::kIf: {
        record(node, after, before);
        NameSet body = after, orelse = after;
        live(node->list(at::If::body), body, extra);
        live(node->list(at::If::orelse), orelse, extra);
        break;
      }
      case Kind::kFor:
      case Kind::kAsyncFor:
      case Kind::kWhile: {
        if (is_control_flow(node)) record(node, after, before);
        NameSet around = after;
        around.add_all(summary(node).use);
        NameSet body = around, orelse = after;
        const int slot = node->kind == Kind::kWhile ? +at::While::body : +at::For::body;
        NameSet inner = extra;
        if (node->kind == Kind::kAsyncFor || (node->flags & kKept)) inner.add_all(around);
        live(node->list(slot), body, inner);
        if (!(node->flags & kExtraTest)) live(node->list(slot + 1), orelse, extra);
        break;
      }
      case Kind::kTry:
      case Kind::kTryStar: {
        // An exception may leave the body at any point, into any handler and past all of them.
        NameSet inner = extra;
        inner.add_all(after);
        inner.add_all(summary(node).use);
        for_each_block(node, [&](const List& list) {
          NameSet end = inner;
          live(list, end, inner);
        });
        break;
      }
      default:
        for_each_block(node, [&](const List& list) {
          NameSet end = after;
          live(list, end, extra);
        });
        break;
    }
  }

  void record(const Node* node, const NameSet& after, const NameSet& before) {
    Flow& flow = a_.flows[a_.index[node->number]];
    flow.live_out = after;
    flow.live_in = before;
  }

  const Summary& statement(Node* node) {
    ++steps_;
    Summary s;
    NameSet outer = std::exchange(kept_, {});
    switch (node->kind) {
      case Kind::kIf: {
        read(node->node(at::If::test), s);
        Summary body = block(node->list(at::If::body)), orelse = block(node->list(at::If::orelse));
        NameSet must = body.must;
        must.keep_only(orelse.must);
        body.use.add_all(orelse.use);
        body.bound.add_all(orelse.bound);
        body.must = must;
        then(s, body);
        break;
      }
      case Kind::kWhile: {
        read(node->node(at::While::test), s);
        const Summary body = block(node->list(at::While::body));
        NameSet use = body.use;
        use.remove_all(s.must);
        s.use.add_all(use);
        s.bound.add_all(body.bound);
        const Summary orelse = block(node->list(at::While::orelse));
        s.use.add_all(orelse.use);
        s.bound.add_all(orelse.bound);
        break;
      }
      case Kind::kFor:
      case Kind::kAsyncFor: {
        read(node->node(at::For::iter), s);
        Summary turn;
        store(node->node(at::For::target), turn);
        then(turn, block(node->list(at::For::body)));
        if (node->flags & kExtraTest) read(node->list(at::For::orelse)[0]->node(at::Expr::value), turn);
        else then(turn, block(node->list(at::For::orelse)));
        s.use.add_all(turn.use);
        s.bound.add_all(turn.bound);
        break;
      }
      case Kind::kTry:
      case Kind::kTryStar: {
        const Summary body = block(node->list(at::Try::body));
        s.use = body.use;
        s.bound = body.bound;
        for (const Node* handler : node->list(at::Try::handlers)) {
          Summary one;
          if (const Node* type = handler->node(at::ExceptHandler::type)) read(type, one);
          Summary inner = block(handler->list(at::ExceptHandler::body));
          if (const Name* name = handler->name(at::ExceptHandler::name)) {
            one.must.add(name);
            one.bound.add(name);
          }
          then(one, inner);
          s.use.add_all(one.use);
          s.bound.add_all(one.bound);
        }
        for (const int slot : {+at::Try::orelse, +at::Try::finalbody}) {
          const Summary part = block(node->list(slot));
          s.use.add_all(part.use);
          s.bound.add_all(part.bound);
        }
        break;
      }
      case Kind::kWith:
      case Kind::kAsyncWith:
        for (const Node* item : node->list(at::With::items)) {
          read(item->node(at::withitem::context_expr), s);
          if (const Node* target = item->node(at::withitem::optional_vars)) store(target, s);
        }
        then(s, block(node->list(at::With::body)));
        break;
      case Kind::kMatch:
        read(node->node(at::Match::subject), s);
        for (const Node* one : node->list(at::Match::cases)) {
          Summary part;
          read(one->node(at::match_case::pattern), part);
          if (const Node* guard = one->node(at::match_case::guard)) read(guard, part);
          then(part, block(one->list(at::match_case::body)));
          s.use.add_all(part.use);
          s.bound.add_all(part.bound);
          if (only_tests(node)) {
            s.must.add_all(part.bound);
            a_.in_patterns.add_all(part.bound);
          }
        }
        break;
      case Kind::kReturn:
        if (const Node* value = node->node(at::Return::value)) read(value, s);
        if (node->flags & kLoweredReturn) {
          for (const Name* name : {do_return_, retval_}) {
            s.must.add(name);
            s.bound.add(name);
          }
        }
        break;
      case Kind::kAssign:
        read(node->node(at::Assign::value), s);
        for (const Node* target : node->list(at::Assign::targets)) store(target, s);
        break;
      case Kind::kAugAssign:
        read(node->node(at::AugAssign::target), s);
        read(node->node(at::AugAssign::value), s);
        store(node->node(at::AugAssign::target), s);
        break;
      case Kind::kAnnAssign:
        if (const Node* value = node->node(at::AnnAssign::value)) {
          read(value, s);
          store(node->node(at::AnnAssign::target), s);
        }
        break;
      case Kind::kFunctionDef:
      case Kind::kAsyncFunctionDef:
      case Kind::kClassDef: definition(node, s); break;
      default:
        for_each_child(node, [&](Node* child) { read(child, s); });
        names_bound_here(tree_, node, s.bound);
        s.must.add_all(s.bound);
        break;
    }
    s.kept = kept_;
    kept_.add_all(outer);
    const uint32_t at = static_cast<uint32_t>(summaries_.size());
    if (a_.index.size() <= node->number) a_.index.resize(node->number + 1, 0);
    a_.index[node->number] = at;
    a_.flows.emplace_back();
    if (is_control_flow(node)) a_.flows.back().bound = s.bound;
    summaries_.push_back(std::move(s));
    return summaries_.back();
  }

  // A match that only tests its pattern (made from a case of the program): names of the pattern are read only if it
  // fits.
  static bool only_tests(const Node* match) {
    const List& cases = match->list(at::Match::cases);
    if (cases.size != 1) return false;
    const List& body = cases[0]->list(at::match_case::body);
    if (body.size != 1 || !is(body[0], Kind::kAssign)) return false;
    const Node* target = body[0]->list(at::Assign::targets)[0];
    return is(target, Kind::kName) && target->name(at::Name::id)->generated;
  }

  static void then(Summary& first, const Summary& second) {
    NameSet use = second.use;
    use.remove_all(first.must);
    first.use.add_all(use);
    first.must.add_all(second.must);
    first.bound.add_all(second.bound);
  }

  void definition(Node* node, Summary& s) {
    const bool is_class = node->kind == Kind::kClassDef;
    for (const Node* decorator :
         node->list(is_class ? +at::ClassDef::decorator_list : +at::FunctionDef::decorator_list))
      read(decorator, s);
    NameSet inner;
    if (is_class) {
      for (const Node* base : node->list(at::ClassDef::bases)) read(base, s);
      for (const Node* keyword : node->list(at::ClassDef::keywords)) read(keyword, s);
      for (const Node* statement : node->list(at::ClassDef::body)) all_names(statement, inner);
    } else {
      defaults(node->node(at::FunctionDef::args), s);
      inner = free_names(node->node(at::FunctionDef::args), node->list(at::FunctionDef::body));
    }
    a_.captured.add_all(inner);
    use_all(inner, s);
    const Name* name = node->name(at::FunctionDef::name);
    s.must.add(name);
    s.bound.add(name);
  }

  void defaults(const Node* arguments, Summary& s) {
    for (const Node* value : arguments->list(at::arguments::defaults)) read(value, s);
    for (const Node* value : arguments->list(at::arguments::kw_defaults))
      if (value) read(value, s);
  }

  static void use_all(const NameSet& names, Summary& s) {
    NameSet use = names;
    use.remove_all(s.must);
    s.use.add_all(use);
  }

  static void parameter_names(const Node* arguments, NameSet& names) {
    auto add = [&](const Node* arg) { if (arg) names.add(arg->name(at::arg::arg)); };
    for (const Node* arg : arguments->list(at::arguments::posonlyargs)) add(arg);
    for (const Node* arg : arguments->list(at::arguments::args)) add(arg);
    for (const Node* arg : arguments->list(at::arguments::kwonlyargs)) add(arg);
    add(arguments->node(at::arguments::vararg));
    add(arguments->node(at::arguments::kwarg));
  }

  void own_names(const Node* node, NameSet& own, NameSet& outer) {
    ++steps_;
    if (is(node, Kind::kNonlocal) || is(node, Kind::kGlobal))
      for (const Name* name : node->names(at::Nonlocal::names)) outer.add(name);
    names_bound_here(tree_, node, own);
    for_each_block(node, [&](const List& list) {
      for (const Node* statement : list) own_names(statement, own, outer);
    });
  }

  // Every name that appears below `node`, however it is used.
  void all_names(const Node* node, NameSet& names) {
    ++steps_;
    if (is(node, Kind::kName)) names.add(node->name(at::Name::id));
    if (is(node, Kind::kFunctionDef) || is(node, Kind::kAsyncFunctionDef)) {
      names.add_all(free_names(node->node(at::FunctionDef::args), node->list(at::FunctionDef::body)));
      for (const Node* decorator : node->list(at::FunctionDef::decorator_list)) all_names(decorator, names);
      for (const Node* value : node->node(at::FunctionDef::args)->list(at::arguments::defaults))
        all_names(value, names);
      return;
    }
    for_each_child(node, [&](Node* child) { all_names(child, names); });
  }

  void read(const Node* node, Summary& s) {
    ++steps_;
    switch (node->kind) {
      case Kind::kName: {  // del reads too: there has to be a value
        const Name* name = node->name(at::Name::id);
        if (!s.must.has(name)) s.use.add(name);
        return;
      }
      case Kind::kLambda: {
        defaults(node->node(at::Lambda::args), s);
        NameSet names, own;
        all_names(node->node(at::Lambda::body), names);
        parameter_names(node->node(at::Lambda::args), own);
        names.remove_all(own);
        kept_.add_all(names);
        use_all(names, s);
        return;
      }
      case Kind::kListComp:
      case Kind::kSetComp:
      case Kind::kGeneratorExp:
      case Kind::kDictComp: comprehension(node, s); return;
      case Kind::kNamedExpr:
        read(node->node(at::NamedExpr::value), s);
        store(node->node(at::NamedExpr::target), s);
        return;
      default:
        for_each_child(node, [&](Node* child) { read(child, s); });
        names_bound_here(tree_, node, s.bound);  // capture patterns
        return;
    }
  }

  void comprehension(const Node* node, Summary& s) {
    const List& generators =
        node->list(node->kind == Kind::kDictComp ? +at::DictComp::generators : +at::ListComp::generators);
    Summary inner, targets;
    bool first = true;
    for (const Node* generator : generators) {
      // The first iterable is evaluated outside.
      read(generator->node(at::comprehension::iter), first ? s : inner);
      first = false;
      store(generator->node(at::comprehension::target), targets);
      for (const Node* condition : generator->list(at::comprehension::ifs)) read(condition, inner);
    }
    read(node->node(0), inner);
    if (node->kind == Kind::kDictComp) read(node->node(at::DictComp::value), inner);
    inner.use.remove_all(targets.bound);
    if (node->kind == Kind::kGeneratorExp) kept_.add_all(inner.use);
    use_all(inner.use, s);
    s.bound.add_all(inner.bound);
  }

  void store(const Node* target, Summary& s) {
    ++steps_;
    switch (target->kind) {
      case Kind::kName:
        s.must.add(target->name(at::Name::id));
        s.bound.add(target->name(at::Name::id));
        return;
      case Kind::kTuple:
      case Kind::kList:
        for (const Node* element : target->list(at::Tuple::elts)) store(element, s);
        return;
      case Kind::kStarred: store(target->node(at::Starred::value), s); return;
      case Kind::kAttribute:
      case Kind::kSubscript:
        for_each_child(target, [&](Node* child) { read(child, s); });
        if (const Name* composite = composite_name(tree_, target)) {
          s.bound.add(composite);
          a_.composites.add(composite);
        }
        return;
      default: read(target, s); return;
    }
  }

  Tree& tree_;
  Activity& a_;
  uint64_t& steps_;
  const Name *do_return_, *retval_;
  std::vector<Summary> summaries_;
  NameSet kept_;         // for the statements being summed up
  NameSet kept_so_far_;  // for the statements that define() has visited
};

}  // namespace

NameSet free_names(Tree& tree, const Node* function, uint64_t& steps) {
  Activity none;
  return Analysis(tree, none, steps, nullptr, nullptr)
      .free_names(function->node(at::FunctionDef::args), function->list(at::FunctionDef::body));
}

Activity analyse(Tree& tree, const Node* function, const List& body, const std::vector<Name*>& at_end, uint64_t& steps,
                 const Name* do_return, const Name* retval) {
  Activity activity;
  activity.index.resize(tree.node_count(), 0);
  Analysis analysis(tree, activity, steps, do_return, retval);
  analysis.declarations(body);
  const Node* arguments = function->node(at::FunctionDef::args);
  for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args, +at::arguments::kwonlyargs})
    for (const Node* arg : arguments->list(slot)) activity.parameters.add(arg->name(at::arg::arg));
  for (const int slot : {+at::arguments::vararg, +at::arguments::kwarg})
    if (const Node* arg = arguments->node(slot)) activity.parameters.add(arg->name(at::arg::arg));

  const Summary all = analysis.block(body);
  activity.bound = all.bound;
  activity.bound.add_all(activity.parameters);

  NameSet defined = activity.parameters;
  for (const Name* name : at_end) defined.add(name);
  analysis.define(body, defined);

  // Other functions may see these at any time.
  NameSet always = activity.captured;
  always.add_all(activity.globals);
  always.add_all(activity.nonlocals);
  NameSet end = always;
  for (const Name* name : at_end) end.add(name);
  analysis.live(body, end, always);
  return activity;
}

}  // namespace footlight::autograph
