#include "sql/operators/window/window_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/value/cast.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/parted_rows.h"
#include "sql/operators/row_concatenation.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/window/window_kernels.h"

namespace pelorus {

namespace {

Value filled(const Value& value, int64_t rows) {
    return value.isScalar() ? filledColumn(value.type(), value.extra(), rows, value) : value;
}

// Gives the columns that code names, in the order of a part's groups.
using ColumnsOf = std::function<Ref<MemoryTable>(const NodeRef& code)>;

// One window over rows that lie group by group.
class GroupedWindow {
public:
    GroupedWindow(const BoundWindow& window, const WindowRows& bounds, std::span<const OrderKey> order,
                  const ColumnsOf& columns, Context& context)
        : window_(window), bounds_(bounds), order_(order), columns_(columns), context_(context) {}

    // `arguments` are those that depend on one row each, computed already; VOID for others.
    Value values(std::vector<Value> arguments) {
        using Kind = BoundWindow::Kind;
        if (window_.isRanking()) return rankingValues(window_, bounds_);
        const bool isShift = window_.kind == Kind::Lag;
        std::vector<RowSpan> frames;
        if (!isShift) frames = framesOf(window_, bounds_, order_);
        if (!isShift && window_.node->exclusion != FrameExclusion::None)
            return valuesOfParts(std::move(arguments), withoutExcluded(window_, bounds_, frames));
        switch (window_.kind) {
            case Kind::CountRows:
                return rowsInFrames(frames);
            case Kind::Lag:
            case Kind::FirstValue:
            case Kind::LastValue:
            case Kind::NthValue: {
                if (arguments[0].isVoid()) arguments[0] = byGroup(window_.arguments[0]);
                const Value argument = filled(arguments[0], bounds_.count());
                return isShift ? shiftedValues(window_, bounds_, argument) : valuesInFrames(window_, frames, argument);
            }
            case Kind::Aggregate:
                if (complete(arguments)) return aggregatesOfFrames(window_, bounds_, frames, arguments, context_);
                [[fallthrough]];
            default:
                return calledValues(frames);
        }
    }

private:
    Value valuesOfParts(std::vector<Value> arguments, const std::vector<FrameParts>& frames) {
        using Kind = BoundWindow::Kind;
        if (window_.kind == Kind::CountRows) return rowsInParts(frames);
        if (window_.kind == Kind::Aggregate && complete(arguments))
            return aggregatesOfParts(window_, bounds_, frames, arguments);
        if (window_.kind == Kind::Aggregate || window_.kind == Kind::Called) return calledValues(frames);
        if (arguments[0].isVoid()) arguments[0] = byGroup(window_.arguments[0]);
        return valuesInParts(window_, frames, filled(arguments[0], bounds_.count()));
    }

    // Adds the arguments that read other rows of the group, where they are one column for all its frames.
    bool complete(std::vector<Value>& arguments) {
        for (size_t i = 0; i < arguments.size(); ++i) {
            if (arguments[i].isVoid() && isRunning(*window_.node) && hasRunningForm(window_))
                arguments[i] = byGroup(window_.arguments[i]);
            const bool isFlat =
                arguments[i].isScalar() || (arguments[i].isTypedVector() && arguments[i].size() == bounds_.count());
            if (arguments[i].isVoid() || !isFlat || storageOf(arguments[i].type()) == Storage::Boxed) return false;
        }
        return true;
    }

    // Evaluates an expression with the rows of one group after the other. Where it has another number of values than
    // rows, VOID for an aggregate, which is called then; others throw UserError.
    Value byGroup(const NodeRef& code) {
        const Ref<MemoryTable> rows = columns_(code);
        const ExpressionProgram program = bindProgram(code, rows->columns(), context_);
        ColumnConcatenation all;
        for (size_t g = 0; g < std::max<size_t>(bounds_.groupCount(), 1); ++g) {
            context_.checkCancelled();
            const bool isNone = bounds_.groupCount() == 0;  // no rows determine the type, too
            const int32_t begin = isNone ? 0 : bounds_.groupBegin[g], end = isNone ? 0 : bounds_.groupBegin[g + 1];
            Value values = filled(program.evaluate(context_, *rows->slice(begin, end - begin)), end - begin);
            if (values.size() != end - begin) {
                if (window_.kind == BoundWindow::Kind::Aggregate) return Value();
                requireRows(window_, values, end - begin);
            }
            all.add(std::move(values));
        }
        return all.finish();
    }

    static Ref<MemoryTable> rowsOfFrame(const MemoryTable& rows, const RowSpan& frame) {
        return rows.slice(frame.begin, frame.end - frame.begin);
    }
    static Ref<MemoryTable> rowsOfFrame(const MemoryTable& rows, const FrameParts& frame) {
        std::vector<int32_t> positions;
        for (const RowSpan part : frame) {
            for (int32_t row = part.begin; row < part.end; ++row) positions.push_back(row);
        }
        return rows.gather(positions.data(), std::ssize(positions));
    }

    // Calls the function with the rows of every frame.
    template <class Frame>
    Value calledValues(const std::vector<Frame>& frames) {
        const Ref<MemoryTable> rows = columns_(window_.node->call);
        const ExpressionProgram program = bindProgram(window_.node->call, rows->columns(), context_);
        if (frames.empty()) {
            const Value none = program.evaluate(context_, *rows);
            return filledColumn(none.isVoid() ? Type::Double : none.type(), none.extra(), 0);
        }
        std::vector<Value> results;
        for (size_t i = 0; i < frames.size(); ++i) {
            context_.checkCancelled();
            // Consecutive equal frames are computed once.
            if (i > 0 && frames[i] == frames[i - 1]) {
                results.push_back(results.back());
                continue;
            }
            Value v = program.evaluate(context_, *rowsOfFrame(*rows, frames[i]));
            if (!v.isScalar())
                throw UserError(
                    fmt::format("{} is no function of a window: it returns no single value.", window_.name));
            results.push_back(std::move(v));
        }
        return columnOf(std::move(results));
    }

    const BoundWindow& window_;
    const WindowRows& bounds_;
    std::span<const OrderKey> order_;
    const ColumnsOf& columns_;
    Context& context_;
};

// Returns the arguments that depend on one row each, over all rows; VOID for others.
std::vector<Value> elementwiseArguments(const BoundWindow& window, const MemoryTable& rows, Context& context) {
    std::vector<Value> arguments;
    if (window.kind == BoundWindow::Kind::Called) return arguments;
    for (const NodeRef& code : window.arguments) {
        const ExpressionProgram program = bindProgram(code, rows.columns(), context);
        Value& value = arguments.emplace_back();
        if (program.isElementwise() || program.isConstant()) value = program.evaluate(context, rows);
        if (program.isConstant() && !value.isScalar()) value = Value();
    }
    return arguments;
}

// Adds the columns that code names; the first one where it names none.
Ref<MemoryTable> namedColumns(const NodeRef& code, const MemoryTable& rows,
                              const std::function<Value(int column)>& column) {
    auto table = makeRef<MemoryTable>();
    const auto add = [&](int c) {
        if (c >= 0) table->setColumn(rows.columns()[static_cast<size_t>(c)].name, column(c));
    };
    bool all = false;
    forEachName(*code, [&](const Name& n) { add(rows.findColumn(n.name)); });
    rewrite(code, [&](const NodeRef& n) -> NodeRef {
        all = all || n->kind == NodeKind::Star;
        return NodeRef();
    });
    for (int c = 0; all && c < rows.columnCount(); ++c) add(c);
    if (table->columnCount() == 0) add(0);  // carries the number of rows
    return table;
}

// The rows of windows with the same partitions and order.
class WindowCut {
public:
    WindowCut(const Window& window, const MemoryTable& rows, Context& context)
        : window_(window), order_(orderKeys(window.orderBy, rows, context)) {
        std::vector<Value> keys;
        for (const NodeRef& key : window.partitionBy) {
            keys.push_back(bindProgram(key, rows.columns(), context).evaluate(context, rows));
            if (!keys.back().isScalar() && keys.back().size() != rows.rowCount())
                throw UserError("A key after partition by must give one value per row.");
        }
        cut_.emplace(keys, order_, rows.rowCount(), PartedRows::GroupOrder::Any);
        for (OrderKey& key : order_) key.column = cut_->cut(key.column);
    }

    bool isFor(const Window& other) const {
        return isSameCode(window_.partitionBy, other.partitionBy) && isSameCode(window_.orderBy, other.orderBy);
    }

    // Returns the column of a window, in the order of the table.
    Value column(const BoundWindow& window, const MemoryTable& rows, Context& context) const {
        std::vector<Value> arguments = elementwiseArguments(window, rows, context);
        const bool isParallel =
            window.kind != BoundWindow::Kind::Called &&
            std::none_of(arguments.begin(), arguments.end(), [](const Value& a) { return a.isVoid(); });
        for (Value& argument : arguments) argument = cut_->cut(argument);
        std::vector<Value> parts(cut_->partCount());
        const auto compute = [&](int64_t part) {
            Context own = context;
            own.callDepth = 0;
            own.checkCancelled();
            parts[static_cast<size_t>(part)] = partValues(static_cast<size_t>(part), window, arguments, rows, own);
        };
        if (isParallel) {
            parallelFor(std::ssize(parts), compute);
        } else {
            for (int64_t p = 0; p < std::ssize(parts); ++p) compute(p);
        }
        if (PartedRows::areMovable(parts)) return cut_->inTable(parts);
        ColumnConcatenation all;
        for (Value& part : parts) all.add(std::move(part));
        const std::vector<int32_t> places = cut_->places();
        return gatherElements(all.finish(), places.data(), std::ssize(places));
    }

private:
    Value partValues(size_t part, const BoundWindow& window, const std::vector<Value>& cutArguments,
                     const MemoryTable& rows, Context& context) const {
        WindowRows bounds;
        bounds.groupBegin = cut_->part(part).groupBegin;
        std::vector<OrderKey> order;
        if (window.readsPeers()) {
            order = order_;
            for (OrderKey& key : order) key.column = cut_->inGroups(part, key.column);
            findPeers(bounds, order);
        }
        std::vector<Value> arguments;
        for (const Value& argument : cutArguments) arguments.push_back(cut_->inGroups(part, argument));
        const ColumnsOf columns = [&](const NodeRef& code) {
            return namedColumns(code, rows, [&](int c) { return cut_->inGroups(part, cut_->cut(rows.column(c))); });
        };
        return GroupedWindow(window, bounds, order, columns, context).values(std::move(arguments));
    }

    const Window& window_;
    std::vector<OrderKey> order_;  // their columns are cut
    std::optional<PartedRows> cut_;
};

}  // namespace

Value windowValues(const BoundWindow& window, const WindowRows& bounds, std::span<const OrderKey> order,
                   const MemoryTable& rows, Context& context) {
    const ColumnsOf columns = [&](const NodeRef& code) {
        return namedColumns(code, rows, [&](int c) { return rows.column(c); });
    };
    return GroupedWindow(window, bounds, order, columns, context).values(elementwiseArguments(window, rows, context));
}

void addWindowColumns(std::span<const OverNode::Column> windows, MemoryTable& rows, Context& context) {
    std::vector<std::unique_ptr<WindowCut>> cuts;
    const auto cutFor = [&](const Window& window) -> const WindowCut& {
        const auto known = std::find_if(cuts.begin(), cuts.end(), [&](const auto& cut) { return cut->isFor(window); });
        if (known != cuts.end()) return **known;
        return *cuts.emplace_back(std::make_unique<WindowCut>(window, rows, context));
    };
    for (const OverNode::Column& column : windows) {
        const BoundWindow window = bindWindow(*column.window, context);
        rows.setColumn(column.name, cutFor(*column.window).column(window, rows, context));
    }
}

}  // namespace pelorus
