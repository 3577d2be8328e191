// Collects elements by key; reduce(key, dataset of them) makes a dataset as soon as there are enough.
#include "engine/data/elements.h"
#include "engine/data/stage_registry.h"

#include <map>

namespace footlight::data {
namespace {

class GroupByWindow final : public Stage {
 public:
  GroupByWindow(StagePtr input, Function key, Function reduce, Function size)
      : input_(std::move(input)), key_(std::move(key)), reduce_(std::move(reduce)), window_size_(std::move(size)) {}
  int64_t cardinality() const override { return input_->cardinality() == kInfinite ? kInfinite : kUnknown; }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Groups>(StagePtr(this), *this, start, input_->start(start));
  }

 private:
  class Groups final : public Cursor {
   public:
    Groups(StagePtr held, const GroupByWindow& stage, const Start& start, CursorPtr input)
        : held_(std::move(held)), stage_(stage), key_(stage.key_.in(*start.run)), reduce_(stage.reduce_.in(*start.run)),
          window_size_(stage.window_size_.in(*start.run)), start_(start), input_(std::move(input)) {}
    bool next(Element& out) override {
      for (;;) {
        if (now_) {
          if (now_->next(out)) return true;
          now_.reset();
        }
        start_.run->check();
        if (input_) collect();
        else if (groups_.empty()) return false;
        else flush(groups_.begin());
      }
    }
    void state(State& s) override {
      s.of("group_by_window");
      for (const Function* function : {&key_, &reduce_, &window_size_}) s.stateless(*function);
      s.input(input_);
      size_t count = groups_.size();
      s.number(count);
      auto at = groups_.begin();
      while (count--) {
        int64_t key = s.reads() ? 0 : at->first;
        s.number(key);
        Group& group = s.reads() ? groups_[key] : at++->second;
        s.number(group.size, INT64_MAX);
        s.elements(group.elements, *stage_.input_);
      }
      bool inside = now_ != nullptr;
      s.flag(inside);
      if (!inside) return;
      s.number(key_now_);
      s.elements(elements_now_, *stage_.input_);
      s.input(now_, [this] { return reduced(); });
    }

   private:
    struct Group {
      int64_t size = 0;
      std::vector<Element> elements;
    };
    using Map = std::map<int64_t, Group>;

    void collect() {
      Element element;
      if (!input_->next(element)) {
        input_.reset();
        return;
      }
      const int64_t key = key_.integer(element);
      const auto [at, fresh] = groups_.try_emplace(key);
      if (fresh) {
        const Tensor number = Tensor::scalar(key);
        at->second.size = window_size_.integer({&number, 1});
        if (at->second.size <= 0) {
          const int64_t size = at->second.size;
          groups_.erase(at);
          invalid("Window size must be greater than zero, but got ", size, ".");
        }
      }
      at->second.elements.push_back(std::move(element));
      if (static_cast<int64_t>(at->second.elements.size()) == at->second.size) flush(at);
    }

    void flush(Map::iterator at) {
      key_now_ = at->first;
      elements_now_ = std::move(at->second.elements);
      groups_.erase(at);
      now_ = reduced();
    }

    CursorPtr reduced() {
      Element arguments{Tensor::scalar(key_now_),
                        dataset_of(elements_now_, stage_.input_->types, stage_.input_->shapes)};
      reduce_.call(arguments, arguments);
      return stage_of(arguments[0])->start(start_);
    }

    StagePtr held_;
    const GroupByWindow& stage_;
    Function key_, reduce_, window_size_;
    Start start_;
    CursorPtr input_, now_;
    Map groups_;
    int64_t key_now_ = 0;  // key of the group being yielded
    std::vector<Element> elements_now_;
  };
  StagePtr input_;
  Function key_, reduce_, window_size_;
};

const StageRegistration group_by_window("GroupByWindowDataset", [](const StageContext& m) -> Stage* {
  const size_t keys = m.list_size("Tkey_func_other_arguments"), reduces = m.list_size("Treduce_func_other_arguments");
  const size_t sizes = m.list_size("Twindow_size_func_other_arguments");
  return new GroupByWindow(m.dataset(0), m.function("key_func", m.inputs(1, keys)),
                           m.function("reduce_func", m.inputs(1 + keys, reduces)),
                           m.function("window_size_func", m.inputs(1 + keys + reduces, sizes)));
});

}  // namespace
}  // namespace footlight::data
