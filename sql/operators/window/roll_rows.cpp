#include "sql/operators/window/roll_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/registry/registry.h"
#include "runtime/value/cast.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constants.h"
#include "sql/expression/dummy_call.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/aggregate/grouped_rows.h"
#include "sql/operators/aggregate/time_grid.h"
#include "sql/operators/select_rows.h"

namespace pelorus {

namespace {

enum class StepType : uint8_t { Time, Row, Volume, CumulativeVolume, Window };

// One window of a group: rows [begin, end), and its label in the column of roll.
struct Step {
    int64_t begin = 0, end = 0;
    int64_t low = 0, high = 0;  // on the axis
    Value label;
};

// A moving function of an expression: its aggregate, over the last `window` of the axis.
struct Moving {
    NodeRef aggregate;
    Value window;
};

// An expression in which every moving function is replaced by a column.
struct RollItem {
    NodeRef value;
    std::vector<std::pair<std::string, Moving>> moving;
};

struct Roll {
    StepType type = StepType::Time;
    Value step;
    NodeRef x;
    bool fillNull = false, fillPrevious = false, closedRight = false;
    std::string origin;
    Value excluded, labels;
};

Roll rollOf(const Node& node, Context& context) {
    const DummyCall call(node, {"X", "step", "stepType", "fill", "closed", "origin", "exclude", "label"});
    static const std::vector<std::string> kTypes = {"time", "row", "volume", "cumvol", "window"};
    Roll roll;
    const std::string type = call.word("stepType", kTypes, context);
    roll.type = static_cast<StepType>(std::find(kTypes.begin(), kTypes.end(), type) - kTypes.begin());
    roll.x = call.node("X");
    roll.step = call.constant("step", context);
    if (!roll.x || roll.step.isVoid()) throw UserError("roll needs X and step.");
    const std::string fill = call.word("fill", {"none", "null", "prev"}, context);
    roll.fillNull = fill == "null";
    roll.fillPrevious = fill == "prev";
    roll.closedRight = call.word("closed", {"left", "right"}, context) == "right";
    roll.origin = call.word("origin", {"start_day", "start", "epoch"}, context);
    roll.excluded = call.constant("exclude", context);
    roll.labels = call.constant("label", context);
    return roll;
}

// Times without the parts of every day that are left out: times on both sides of such a part become neighbours.
class ActiveTime {
public:
    ActiveTime(const Value& excluded, Type type) : perDay_(calendar::unitsPerDay(type)), activePerDay_(perDay_) {
        if (excluded.isVoid()) return;
        const auto add = [&](const Value& period) {
            if (!period.isPair() || !isTemporal(period.type()))
                throw UserError("exclude of roll must be pairs of times of a day, as (11:30:00 : 13:00:00).");
            const int64_t units = calendar::unitsPerDay(period.type());
            const auto scaled = [&](int64_t i) {
                return static_cast<int64_t>(static_cast<__int128>(period.vector().asLong(i)) * perDay_ / units);
            };
            breaks_.emplace_back(scaled(0), scaled(1));
        };
        if (excluded.isTuple()) {
            for (const Value& period : excluded.tuple().elements) add(period);
        } else {
            add(excluded);
        }
        std::sort(breaks_.begin(), breaks_.end());
        for (const auto& [begin, end] : breaks_) activePerDay_ -= end - begin;
        if (activePerDay_ <= 0) throw UserError("exclude of roll leaves nothing of a day.");
    }

    int64_t toActive(int64_t time) const {
        if (breaks_.empty()) return time;
        const int64_t day = calendar::floorDivide(time, perDay_), at = time - day * perDay_;
        int64_t active = at;
        for (const auto& [begin, end] : breaks_) {
            if (at > begin) active -= std::min(at, end) - begin;
        }
        return day * activePerDay_ + active;
    }

    // Returns the earliest time with this position on the axis.
    int64_t fromActive(int64_t active) const {
        if (breaks_.empty()) return active;
        const int64_t day = calendar::floorDivide(active, activePerDay_);
        int64_t at = active - day * activePerDay_;
        for (const auto& [begin, end] : breaks_) {
            if (at > begin) at += end - begin;
        }
        return day * perDay_ + at;
    }

private:
    int64_t perDay_, activePerDay_;
    std::vector<std::pair<int64_t, int64_t>> breaks_;
};

void refuseFalling(const std::vector<int64_t>& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (isNull(numbers[i]) || (i > 0 && numbers[i] < numbers[i - 1]))
            throw UserError("X of roll must not fall within a group, nor be NULL.",
                            "Use csort, or sort the rows first.");
    }
}

// Equal steps over rising numbers; the axis that moving functions look back on is these numbers.
std::vector<Step> equalSteps(const std::vector<int64_t>& axis, int64_t origin, int64_t step, bool closedRight) {
    std::vector<Step> steps;
    const auto numberOf = [&](int64_t x) {
        return closedRight ? calendar::floorDivide(x - origin - 1, step) : calendar::floorDivide(x - origin, step);
    };
    const auto rows = static_cast<int64_t>(axis.size());
    constexpr int64_t kMaxSteps = int64_t{1} << 26;
    if (rows > 0 && numberOf(axis.back()) - numberOf(axis[0]) > kMaxSteps)
        throw UserError("roll would make too many windows.", "Give a longer step.");
    int64_t row = 0;
    for (int64_t n = rows > 0 ? numberOf(axis[0]) : 0; row < rows; ++n) {
        Step s;
        s.begin = row;
        while (row < rows && numberOf(axis[static_cast<size_t>(row)]) == n) ++row;
        s.end = row;
        s.low = origin + n * step;
        s.high = s.low + step;
        steps.push_back(s);
    }
    return steps;
}

std::vector<Step> customSteps(const Roll& roll, const std::vector<int64_t>& numbers, Type type) {
    if (!roll.step.isTuple() || roll.step.size() != 2)
        throw UserError("step of roll must be the starts and the ends of the windows where stepType is window.");
    const Value low = roll.step.at(0), high = roll.step.at(1);
    const bool fits = low.isTypedVector() && high.isTypedVector() && low.size() == high.size() && low.type() == type &&
                      high.type() == type;
    if (!fits) throw UserError("Starts and ends of windows must be vectors of one length, of the type of X.");
    if (!roll.labels.isVoid() && roll.labels.size() != low.size())
        throw UserError("label of roll must name every window.");
    std::vector<Step> steps;
    const int64_t shift = roll.closedRight ? 1 : 0;
    for (int64_t i = 0; i < low.size(); ++i) {
        Step s;
        s.low = low.vector().asLong(i);
        s.high = high.vector().asLong(i);
        s.begin = std::lower_bound(numbers.begin(), numbers.end(), s.low + shift) - numbers.begin();
        s.end = std::max(s.begin, std::lower_bound(numbers.begin(), numbers.end(), s.high + shift) - numbers.begin());
        if (!roll.labels.isVoid()) s.label = roll.labels.at(i);
        steps.push_back(s);
    }
    return steps;
}

// Returns the windows of one group. `axis` is set to the positions that moving functions look back on.
std::vector<Step> stepsOf(const Roll& roll, const Value& x, std::vector<int64_t>& axis) {
    const int64_t rows = x.size();
    std::vector<Step> steps;
    if (roll.type == StepType::Row) {
        const int64_t step = unitsOf(roll.step, Type::Long, "step");
        for (int64_t begin = 0; begin + step <= rows; begin += step) {
            steps.push_back({begin, begin + step, begin, begin + step, x.at(begin + step - 1)});
        }
        for (int64_t i = 0; i < rows; ++i) axis.push_back(i);
        return steps;
    }
    if (roll.type == StepType::Time) {
        axis = gridNumbers(x, "roll");
        refuseFalling(axis);
        if (axis.empty()) return steps;
        const ActiveTime active(roll.excluded, x.type());
        const int64_t origin = active.toActive(gridOrigin(roll.origin, x.type(), axis[0], axis.back()));
        for (int64_t& time : axis) time = active.toActive(time);
        steps = equalSteps(axis, origin, unitsOf(roll.step, x.type(), "step"), roll.closedRight);
        for (Step& s : steps) s.label = Value::scalar(x.type(), active.fromActive(s.high));
        return steps;
    }
    if (roll.type == StepType::Window) {
        axis = gridNumbers(x, "roll");
        refuseFalling(axis);
        steps = customSteps(roll, axis, x.type());
    } else {
        const Value whole = cast(x, Type::Long);
        axis = gridNumbers(whole, "roll");
        if (roll.type == StepType::Volume) {
            int64_t sum = 0;
            for (int64_t& volume : axis) volume = sum += isNull(volume) ? 0 : volume;
        }
        refuseFalling(axis);
        steps = equalSteps(axis, 0, unitsOf(roll.step, Type::Long, "step"), roll.closedRight);
    }
    for (Step& s : steps) {
        if (s.label.isVoid() && s.end > s.begin) s.label = x.at(s.end - 1);
    }
    return steps;
}

// mavg(price, 5) and tmavg(time, price, 5m) become avg(price) over the window; null for other calls.
NodeRef movingAggregate(const Call& call, Value& window, Context& context) {
    if (call.callee->kind != NodeKind::Name) return NodeRef();
    const std::string& name = static_cast<const Name&>(*call.callee).name;
    const bool timed = name.starts_with("tm");
    if (!timed && !name.starts_with("m")) return NodeRef();
    const Ref<Function> moving = calledFunction(call, context);
    const BuiltinFunction* aggregate = FunctionRegistry::instance().find(name.substr(timed ? 2 : 1));
    if (!moving || !aggregate || !aggregate->signature().aggregate) return NodeRef();
    const auto& parameters = moving->signature().parameters;
    std::vector<Argument> arguments;
    for (size_t i = timed ? 1 : 0; i < call.arguments.size() && i < parameters.size(); ++i) {
        if (parameters[i].name == "minPeriods") continue;
        if (parameters[i].name != "window") {
            arguments.push_back(call.arguments[i]);
            continue;
        }
        if (!constantValue(*call.arguments[i].value, {}, context, window))
            throw UserError(fmt::format("The window of {} must be a constant with roll.", name));
    }
    if (window.isVoid()) return NodeRef();
    return makeRef<Call>(makeRef<Name>(name.substr(timed ? 2 : 1), call.position), std::move(arguments),
                         Call::Style::Function, call.position);
}

RollItem rollItem(const NodeRef& node, Context& context) {
    RollItem item;
    item.value = rewrite(node, [&](const NodeRef& part) -> NodeRef {
        if (part->kind != NodeKind::Call) return NodeRef();
        Value window;
        NodeRef aggregate = movingAggregate(static_cast<const Call&>(*part), window, context);
        if (!aggregate) return NodeRef();
        std::string name = fmt::format(" moving{}", item.moving.size());
        item.moving.emplace_back(name, Moving{std::move(aggregate), std::move(window)});
        return makeRef<Name>(name, part->position);
    });
    return item;
}

// Returns the first row of the window that a moving function sees at a step.
int64_t movingBegin(const Roll& roll, const Step& step, const Value& window, const std::vector<int64_t>& axis,
                    Type type) {
    if (roll.type == StepType::Row) return std::max<int64_t>(0, step.end - unitsOf(window, Type::Long, "window"));
    int64_t length = 0;
    if (window.type() == Type::Duration) {
        length = unitsOf(window, type, "window");
    } else {
        length = unitsOf(window, Type::Long, "window") * (step.high - step.low);
    }
    const int64_t from = step.high - length + (roll.closedRight ? 1 : 0);
    return std::min(step.end, std::lower_bound(axis.begin(), axis.end(), from) - axis.begin());
}

Value lastOf(Value v) {
    if (!v.isVector()) return v;
    return v.size() == 0 ? Value() : v.at(v.size() - 1);
}

// The windows of all groups as cells of the result: the label of each window, then its items.
class RollCells {
public:
    RollCells(const Roll& roll, const std::vector<RollItem>& items, Context& context)
        : roll_(roll), items_(items), context_(context), cells_(items.size() + 1) {}

    int64_t count() const { return std::ssize(cells_[0]); }
    std::vector<Value>& cells(size_t item) { return cells_[item]; }

    // Adds the windows of a group, whose rows come in order. `x`: the values of X.
    void addGroup(const MemoryTable& group, const Value& x) {
        std::vector<int64_t> axis;
        bool isFirst = true;
        for (const Step& step : stepsOf(roll_, x, axis)) {
            context_.checkCancelled();
            if (step.begin < step.end) {
                addWindow(group, step, axis, x.type());
            } else if (roll_.fillNull || roll_.fillPrevious) {
                cells_[0].push_back(step.label);
                for (size_t i = 1; i < cells_.size(); ++i)
                    cells_[i].push_back(roll_.fillPrevious && !isFirst ? cells_[i].back() : Value());
            } else {
                continue;
            }
            isFirst = false;
        }
    }

private:
    void addWindow(const MemoryTable& group, const Step& step, const std::vector<int64_t>& axis, Type type) {
        cells_[0].push_back(step.label);
        const Ref<MemoryTable> window = group.slice(step.begin, step.end - step.begin);
        for (size_t i = 0; i < items_.size(); ++i) {
            const Ref<MemoryTable> own = items_[i].moving.empty() ? window : window->copy();
            for (const auto& [name, moving] : items_[i].moving) {
                const int64_t begin = movingBegin(roll_, step, moving.window, axis, type);
                const Ref<MemoryTable> seen = group.slice(begin, step.end - begin);
                const Value v = bindProgram(moving.aggregate, seen->columns(), context_).evaluate(context_, *seen);
                own->setColumn(name, Value::of(Vector::filled(v.type(), own->rowCount(), v)));
            }
            const ExpressionProgram e = bindProgram(items_[i].value, own->columns(), context_);
            cells_[i + 1].push_back(lastOf(e.evaluate(context_, *own)));
        }
    }

    const Roll& roll_;
    const std::vector<RollItem>& items_;
    Context& context_;
    std::vector<std::vector<Value>> cells_;
};

}  // namespace

Ref<MemoryTable> rollRows(const RollNode& node, const MemoryTable& rows, Context& context,
                          std::vector<int32_t>* sources) {
    const Roll roll = rollOf(*node.items[0].value, context);
    const ExpressionProgram xColumn = bindProgram(roll.x, rows.columns(), context);
    std::vector<RollItem> items;
    for (size_t i = 1; i < node.items.size(); ++i) items.push_back(rollItem(node.items[i].value, context));
    RollCells cells(roll, items, context);
    for (const std::vector<int32_t>& positions : groupRows(node.partitionBy, rows, context).rows) {
        Ref<MemoryTable> group = rows.gather(positions.data(), std::ssize(positions));
        if (!node.orderBy.empty()) {
            const std::vector<int32_t> order =
                sortPositions(orderKeys(node.orderBy, *group, context), group->rowCount());
            group = group->gather(order.data(), std::ssize(order));
        }
        cells.addGroup(*group, xColumn.evaluate(context, *group));
        if (sources) sources->resize(static_cast<size_t>(cells.count()), positions[0]);
    }
    auto result = makeRef<MemoryTable>();
    const int64_t count = cells.count();
    for (size_t i = 0; i < node.items.size(); ++i) {
        const std::string name = i == 0 && !node.items[0].named ? "roll" : node.items[i].names[0];
        const NodeRef& item = i == 0 ? roll.x : node.items[i].value;
        Value column =
            count == 0 ? columnWithoutGroups(item, rows.columns(), context) : columnOf(std::move(cells.cells(i)));
        result->setColumn(name, std::move(column));
    }
    return result;
}

}  // namespace pelorus
