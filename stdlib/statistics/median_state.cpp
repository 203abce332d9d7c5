#include "stdlib/statistics/median_state.h"

#include <vector>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/aggregate/value_state.h"
#include "runtime/serialize/received.h"
#include "stdlib/arguments.h"
#include "stdlib/statistics/quantile.h"
#include "stdlib/statistics/sliding_values.h"

namespace pelorus {

namespace {

// Keeps all values and their groups in the order of arrival, and gathers them by group only at the end.
class MedianState final : public ValueState {
public:
    void resize(int64_t groups) override { groupCount_ = groups; }

    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Value& x = arguments[0];
        CHECK(x.isScalar() || x.size() >= count) << "the argument has a value for each row";
        Value given = x.isScalar() ? Value::of(Vector::filled(x.isVoid() ? Type::Double : x.type(), 1, x)) : x;
        const Ref<Vector> reals = realsArgument({&given, 1}, 0, "X");
        const double* elements = reals->data<double>();
        makeRoom(static_cast<size_t>(count));
        inPieces(count, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const double element = elements[x.isScalar() ? 0 : i];
                if (isNull(element)) continue;
                elements_.push_back(element);
                groups_.push_back(groups ? groups[i] : 0);
            }
        });
    }

    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const MedianState&>(other);
        const size_t size = from.elements_.size();  // `other` may be this
        makeRoom(size);
        for (size_t i = 0; i < size; ++i) {
            const int32_t group = from.groups_[i];
            if (group >= count) continue;
            elements_.push_back(from.elements_[i]);
            groups_.push_back(groups ? groups[group] : group);
        }
    }

    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        for (size_t i = 0; i < elements_.size(); ++i) {
            const int32_t group = groups_[i];
            if (group >= count) continue;
            auto& target = static_cast<MedianState&>(*parts[part[group]]);
            target.elements_.push_back(elements_[i]);
            target.groups_.push_back(place[group]);
        }
    }
    int64_t memoryBytes() const override {
        return static_cast<int64_t>(elements_.capacity() * (sizeof(double) + sizeof(int32_t)));
    }
    Value results() const override {
        constexpr int64_t kItemsOfTask = int64_t{1} << 16;
        const auto groupCount = static_cast<size_t>(groupCount_);
        CHECK(groups_.size() == elements_.size()) << "each value has its group";
        std::vector<int64_t> begin(groupCount + 1, 0);
        for (const int32_t group : groups_) ++begin[static_cast<size_t>(group) + 1];
        for (size_t g = 0; g < groupCount; ++g) begin[g + 1] += begin[g];
        std::vector<double> sorted(elements_.size());
        std::vector<int64_t> next(begin.begin(), begin.end() - 1);
        inPieces(static_cast<int64_t>(elements_.size()), [&](int64_t first, int64_t last) {
            for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(last); ++i)
                sorted[static_cast<size_t>(next[static_cast<size_t>(groups_[i])]++)] = elements_[i];
        });
        Ref<Vector> out = Vector::make(Type::Double, groupCount_);
        auto* medians = out->mutableData<double>();
        std::vector<size_t> tasks{0};  // the first group of each
        for (size_t g = 0; g < groupCount; ++g) {
            if (begin[g + 1] - begin[tasks.back()] >= kItemsOfTask) tasks.push_back(g + 1);
        }
        if (tasks.back() < groupCount) tasks.push_back(groupCount);
        parallelFor(static_cast<int64_t>(tasks.size()) - 1, [&](int64_t task) {
            std::vector<double> elements;
            for (size_t g = tasks[static_cast<size_t>(task)]; g < tasks[static_cast<size_t>(task) + 1]; ++g) {
                elements.assign(sorted.data() + begin[g], sorted.data() + begin[g + 1]);
                medians[g] = quantileOf(elements, 0.5, Interpolation::Linear);
            }
        });
        return Value::of(out);
    }

    Value ofWindows(std::span<const Value> arguments, std::span<const int32_t> begins,
                    std::span<const int32_t> ends) const override {
        if (arguments.size() != 1 || !arguments[0].isTypedVector()) return Value();
        Value given = arguments[0];
        const Ref<Vector> reals = realsArgument({&given, 1}, 0, "X");
        return slidingMedians({reals->data<double>(), static_cast<size_t>(reals->size())}, begins, ends);
    }

    Value save() const override {
        return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(Vector::of(Type::Int, groups_)),
                                                           Value::of(Vector::of(Type::Double, elements_))}));
    }

    void load(const Value& saved, int64_t groups) override {
        const char* part = "items of medians";
        const std::vector<Value>& columns = received::tuple(saved, 2, part);
        const Vector& of = received::vector(columns[0], Type::Int, columns[0].size(), part);
        const Vector& elements = received::vector(columns[1], Type::Double, of.size(), part);
        groupCount_ = groups;
        for (int64_t i = 0; i < of.size(); ++i) {
            const int32_t group = of.data<int32_t>()[i];
            received::require(group >= 0 && group < groups, part);
            groups_.push_back(group);
            elements_.push_back(elements.data<double>()[i]);
        }
    }

private:
    void makeRoom(size_t more) {
        if (elements_.capacity() >= elements_.size() + more) return;
        const size_t room = std::max(elements_.size() + more, 2 * elements_.capacity());
        elements_.reserve(room);
        groups_.reserve(room);
    }

    std::vector<double> elements_;
    std::vector<int32_t> groups_;
    int64_t groupCount_ = 0;
};

}  // namespace

std::unique_ptr<GroupedState> makeMedian(std::span<const Type>) {
    return std::make_unique<MedianState>();
}

}  // namespace pelorus
