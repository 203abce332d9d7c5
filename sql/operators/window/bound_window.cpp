#include "sql/operators/window/bound_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "common/error.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

using Kind = BoundWindow::Kind;

constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"row_number", Kind::RowNumber},
    {"rank", Kind::Rank},
    {"dense_rank", Kind::DenseRank},
    {"percent_rank", Kind::PercentRank},
    {"cume_dist", Kind::CumeDist},
    {"ntile", Kind::Ntile},
    {"lag", Kind::Lag},
    {"lead", Kind::Lag},
    {"first_value", Kind::FirstValue},
    {"last_value", Kind::LastValue},
    {"nth_value", Kind::NthValue},
};

Value constantValue(const NodeRef& node, Context& context) {
    return bindProgram(node, {}, context).evaluate(context, std::span<const Value>(), 0);
}

int64_t integerArgument(const std::string& name, const NodeList& arguments, size_t i, int64_t whenMissing,
                        Context& context) {
    if (i >= arguments.size()) return whenMissing;
    const int64_t given = constantValue(arguments[i], context).asLong();
    if (isNull(given)) throw UserError(fmt::format("{} needs a number of rows, but it is NULL.", name));
    return given;
}

int64_t rowsOf(const NodeRef& offset, Context& context) {
    if (!offset) return 0;
    const Value given = constantValue(offset, context);
    if (!given.isNumber() || given.isNull()) throw UserError("The distance of a frame of rows must be a number.");
    return given.asLong();
}

Value distanceOf(const NodeRef& offset, Context& context) {
    if (!offset) return Value();
    const Value given = constantValue(offset, context);
    const bool isDistance = given.isScalar() && !given.isNull() &&
                            (given.isNumber() || isDecimal(given.type()) || given.type() == Type::Duration);
    if (!isDistance) throw UserError("The distance of a range must be a number or a duration.");
    return given;
}

void bindFrame(BoundWindow& window, Context& context) {
    const Window& node = *window.node;
    if (!node.hasFrame) return;
    if (node.unit == FrameUnit::Groups && node.orderBy.empty())
        throw UserError("A frame of groups counts rows with equal keys: it needs order by.");
    if (node.unit != FrameUnit::Range) {
        window.lowRows = rowsOf(node.lowOffset, context);
        window.highRows = rowsOf(node.highOffset, context);
        return;
    }
    if ((node.lowOffset || node.highOffset) && node.orderBy.size() != 1)
        throw UserError("A range with a distance needs order by one column.");
    window.low = distanceOf(node.lowOffset, context);
    window.high = distanceOf(node.highOffset, context);
}

// Whether the call is that of an aggregate with states, which takes nothing but the rows of its arguments.
bool hasStates(const Call& call, const Function& function) {
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(&function);
    if (!builtin || !builtin->signature().aggregate || !builtin->hasStateFor(call.arguments.size())) return false;
    return std::all_of(call.arguments.begin(), call.arguments.end(), [](const Argument& argument) {
        return argument.keyword.empty() && argument.value->kind != NodeKind::Omitted &&
               argument.value->kind != NodeKind::Star;
    });
}

// Reads the arguments of a function that the standard has for windows alone.
void bindArguments(BoundWindow& window, Context& context) {
    NodeList given = std::move(window.arguments);
    window.arguments.clear();
    const auto takeColumn = [&] {
        if (given.empty()) throw UserError(fmt::format("{} needs an argument.", window.name));
        window.arguments.push_back(given[0]);
    };
    switch (window.kind) {
        case Kind::Ntile:
            window.number = integerArgument(window.name, given, 0, 0, context);
            if (window.number < 1)
                throw UserError(fmt::format("ntile needs a positive number of groups, but it is {}.", window.number));
            break;
        case Kind::Lag:
            window.number = integerArgument(window.name, given, 1, 1, context);
            if (window.name == "lead") window.number = window.number == INT64_MIN ? INT64_MAX : -window.number;
            if (given.size() > 2) window.whenMissing = constantValue(given[2], context);
            takeColumn();
            break;
        case Kind::NthValue:
            window.number = integerArgument(window.name, given, 1, 1, context);
            takeColumn();
            break;
        case Kind::FirstValue:
        case Kind::LastValue:
            takeColumn();
            break;
        default:
            break;
    }
}

}  // namespace

bool BoundWindow::readsPeers() const {
    const bool ranks =
        kind == Kind::Rank || kind == Kind::DenseRank || kind == Kind::PercentRank || kind == Kind::CumeDist;
    return ranks || (readsFrame() &&
                     (node->hasFrame ? node->unit != FrameUnit::Rows || node->exclusion > FrameExclusion::CurrentRow
                                     : isOrdered()));
}

BoundWindow bindWindow(const Window& node, Context& context) {
    if (node.call->kind != NodeKind::Call) throw UserError("over needs a function call before it.");
    const auto& call = static_cast<const Call&>(*node.call);
    if (call.callee->kind != NodeKind::Name) throw UserError("over needs the name of a function before it.");
    BoundWindow window;
    window.node = &node;
    window.name = static_cast<const Name&>(*call.callee).name;
    for (const Argument& argument : call.arguments) window.arguments.push_back(argument.value);
    bindFrame(window, context);
    std::string lower = window.name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto known =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return k.first == lower; });
    if (known != std::end(kKinds)) {
        window.name = lower;
        window.kind = known->second;
        bindArguments(window, context);
        return window;
    }
    if (window.arguments.size() == 1 && window.arguments[0]->kind == NodeKind::Star) {
        window.kind = Kind::CountRows;
        window.arguments.clear();
        return window;
    }
    window.function = calledFunction(call, context);
    if (window.function && hasStates(call, *window.function)) window.kind = Kind::Aggregate;
    return window;
}

std::optional<WindowReach> reachOf(const BoundWindow& window) {
    if (window.isRanking()) return WindowReach{};
    const auto reach = [](int64_t low, int64_t high) {
        return WindowReach{std::max<int64_t>(0, -std::min(low, high)), std::max<int64_t>(0, std::max(low, high))};
    };
    if (window.kind == Kind::Lag) {
        const int64_t distance = window.number == INT64_MIN ? INT64_MAX : -window.number;
        return reach(distance, distance);
    }
    const Window& node = *window.node;
    const auto isBounded = [](FrameBound b) {
        return b == FrameBound::Preceding || b == FrameBound::CurrentRow || b == FrameBound::Following;
    };
    if (!node.hasFrame || node.unit != FrameUnit::Rows || !isBounded(node.low) || !isBounded(node.high))
        return std::nullopt;
    const auto end = [](FrameBound b, int64_t n) {
        return b == FrameBound::CurrentRow ? 0 : b == FrameBound::Preceding ? (n == INT64_MIN ? INT64_MAX : -n) : n;
    };
    return reach(end(node.low, window.lowRows), end(node.high, window.highRows));
}

}  // namespace pelorus
