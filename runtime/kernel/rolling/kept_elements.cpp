#include "runtime/kernel/rolling/kept_elements.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/check.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// Returns the elements `steps` rows before, of groups that lie one after the other; it needs no states.
Value shiftedGroups(const Vector& x, std::span<const int32_t> begin, int64_t steps) {
    std::vector<int32_t> positions(static_cast<size_t>(begin.back() - begin.front()), -1);
    for (size_t g = 0; g + 1 < begin.size(); ++g) {
        for (int64_t i = begin[g] - begin[0] + steps; i < begin[g + 1] - begin[0]; ++i)
            positions[static_cast<size_t>(i)] = static_cast<int32_t>(i - steps);
    }
    return Value::of(x.gather(positions.data(), std::ssize(positions)));
}

// Elements of a fixed width, as the bits that a vector holds.
template <class T>
class ShiftedBits final : public RollingStates {
public:
    ShiftedBits(Type type, int64_t steps)
        : type_(type), steps_(steps), null_(Vector::filled(type, 1, Value::nullOf(type))->data<T>()[0]) {}

    void resize(int64_t groups) override {
        kept_.resize(static_cast<size_t>(groups * steps_), null_);
        next_.resize(static_cast<size_t>(groups));
    }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector& x = arguments[0].vector();
        const T* in = x.data<T>();
        Ref<Vector> out = Vector::make(type_, count);
        out->setScale(x.scale());
        T* result = out->mutableData<T>();
        for (int64_t i = 0; i < count; ++i) {
            int32_t& next = next_[static_cast<size_t>(groups[i])];
            T& place = kept_[static_cast<size_t>(groups[i] * steps_ + next)];
            result[i] = std::exchange(place, in[i]);
            if (++next == steps_) next = 0;
        }
        return Value::of(out);
    }
    Value stepGroups(std::span<const Value> arguments, std::span<const int32_t> begin) override {
        return shiftedGroups(arguments[0].vector(), begin, steps_);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) {
            std::fill_n(kept_.begin() + groups[i] * steps_, steps_, null_);
            next_[static_cast<size_t>(groups[i])] = 0;
        }
    }
    void keep(std::span<const int32_t> groups) override {
        keepGroups(kept_, groups, steps_);
        keepGroups(next_, groups);
    }
    int64_t memoryBytes() const override {
        return static_cast<int64_t>(kept_.capacity() * sizeof(T) + next_.capacity() * sizeof(int32_t));
    }

private:
    const Type type_;
    const int64_t steps_;
    const T null_;
    std::vector<T> kept_;        // the last elements of each group, a ring of `steps_`
    std::vector<int32_t> next_;  // the oldest of them
};

// Elements of any type: those that are kept follow each other in one vector, made anew by each step.
class ShiftedElements final : public RollingStates {
public:
    ShiftedElements(Type type, int64_t steps) : steps_(steps), kept_(Vector::make(type, 0)) {}

    void resize(int64_t groups) override { kept_->resize(groups * steps_); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector& x = arguments[0].vector();
        const int64_t before = kept_->size();
        // Positions among the elements kept, which the new ones follow.
        std::vector<int32_t> places(static_cast<size_t>(before)), sources(static_cast<size_t>(count));
        for (size_t k = 0; k < places.size(); ++k) places[k] = static_cast<int32_t>(k);
        for (int64_t i = 0; i < count; ++i) {
            const auto own = places.begin() + groups[i] * steps_;
            sources[static_cast<size_t>(i)] = *own;
            std::move(own + 1, own + steps_, own);
            *(own + steps_ - 1) = static_cast<int32_t>(before + i);
        }
        Ref<Vector> all = kept_->copy();
        all->setScale(x.scale());
        all->append(x, 0, count);
        kept_ = all->gather(places.data(), before);
        return Value::of(all->gather(sources.data(), count));
    }
    Value stepGroups(std::span<const Value> arguments, std::span<const int32_t> begin) override {
        return shiftedGroups(arguments[0].vector(), begin, steps_);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count * steps_; ++i) kept_->set(groups[i / steps_] * steps_ + i % steps_, Value());
    }
    void keep(std::span<const int32_t> groups) override {
        std::vector<int64_t> rows;
        for (const int32_t group : groups) {
            for (int64_t i = 0; i < steps_; ++i) rows.push_back(group * steps_ + i);
        }
        kept_ = kept_->gather(rows.data(), std::ssize(rows));
    }
    int64_t memoryBytes() const override { return kept_->memoryBytes(); }

private:
    const int64_t steps_;
    Ref<Vector> kept_;  // the last elements of each group, oldest first
};

class FilledElements final : public RollingStates {
public:
    FilledElements(Type type, int64_t limit) : limit_(limit), last_(Vector::make(type, 0)) {}

    void resize(int64_t groups) override {
        last_->resize(groups);
        missing_.resize(static_cast<size_t>(groups));
    }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector& x = arguments[0].vector();
        const int64_t before = last_->size();
        std::vector<int32_t> sources(static_cast<size_t>(count));
        std::vector<std::pair<int32_t, int32_t>> changed;  // group, position of its last element
        positions_.resize(static_cast<size_t>(before), -1);
        for (int64_t i = 0; i < count; ++i) {
            const auto group = static_cast<size_t>(groups[i]);
            int32_t& at = positions_[group];
            const auto own = static_cast<int32_t>(before + i);
            if (!x.isNullAt(i)) {
                if (at < 0) changed.emplace_back(groups[i], 0);
                at = own;
                missing_[group] = 0;
                sources[static_cast<size_t>(i)] = own;
            } else {
                const bool isFilled = ++missing_[group] <= limit_;
                sources[static_cast<size_t>(i)] = !isFilled ? own : at >= 0 ? at : groups[i];
            }
        }
        Ref<Vector> all = last_->copy();
        all->setScale(x.scale());
        all->append(x, 0, count);
        for (auto& [group, position] : changed) {
            position = std::exchange(positions_[static_cast<size_t>(group)], -1);
            last_->set(group, all->at(position));
        }
        return Value::of(all->gather(sources.data(), count));
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) {
            last_->set(groups[i], Value());
            missing_[static_cast<size_t>(groups[i])] = 0;
        }
    }
    void keep(std::span<const int32_t> groups) override {
        last_ = last_->gather(groups.data(), std::ssize(groups));
        keepGroups(missing_, groups);
        positions_.assign(groups.size(), -1);
    }
    int64_t memoryBytes() const override {
        return last_->memoryBytes() + static_cast<int64_t>(missing_.capacity() * sizeof(int64_t));
    }

private:
    const int64_t limit_;
    Ref<Vector> last_;                // the last element of each group that is not NULL
    std::vector<int64_t> missing_;    // NULLs since then
    std::vector<int32_t> positions_;  // within a step: where the last element of a group is, -1: in last_
};

}  // namespace

std::unique_ptr<RollingStates> makeShiftStates(Type type, int64_t steps) {
    CHECK(steps >= 1) << "a shift looks back";
    if (!isLiteral(type)) {
        switch (widthOf(type)) {
            case 1:
                return std::make_unique<ShiftedBits<int8_t>>(type, steps);
            case 2:
                return std::make_unique<ShiftedBits<int16_t>>(type, steps);
            case 4:
                return std::make_unique<ShiftedBits<int32_t>>(type, steps);
            case 8:
                return std::make_unique<ShiftedBits<int64_t>>(type, steps);
            default:
                break;
        }
    }
    return std::make_unique<ShiftedElements>(type, steps);
}

std::unique_ptr<RollingStates> makeFillStates(Type type, int64_t limit) {
    return std::make_unique<FilledElements>(type, limit);
}

}  // namespace pelorus
