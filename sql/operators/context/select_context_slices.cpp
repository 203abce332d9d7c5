// context by over slices where all output expressions return columns.
//
// The rows are gathered by group once. Expressions that depend on one row only are computed for all rows at once; the
// others group by group on slices of the columns, which share their memory, with pieces of groups on all threads.
#include "sql/operators/context/select_context_slices.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/thread/thread_pool.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/function/progress.h"
#include "runtime/value/cast.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/keys/parted_rows.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/context/first_of_groups.h"
#include "sql/operators/context/group_columns.h"
#include "sql/operators/context/select_context.h"
#include "sql/operators/context/spilled_context.h"
#include "sql/operators/select_rows.h"

namespace pelorus {

namespace {

bool isPlainVector(const Value& v) {
    return v.isVector() && !v.isTuple() && !isArrayType(v.type()) && storageOf(v.type()) != Storage::Boxed;
}

// Whether groups may be computed concurrently: built-in functions of their arguments only.
bool isParallel(const NodeRef& node, Context& context) {
    bool parallel = true;
    rewrite(node, [&](const NodeRef& n) -> NodeRef {
        switch (n->kind) {
            case NodeKind::Call: {
                const Ref<Function> f = calledFunction(static_cast<const Call&>(*n), context);
                auto* builtin = dynamic_cast<const BuiltinFunction*>(f.get());
                parallel = parallel && builtin &&
                           (builtin->signature().aggregate || builtin->signature().orderSensitive ||
                            builtin->signature().elementwise);
                return NodeRef();
            }
            case NodeKind::Name:
            case NodeKind::Constant:
            case NodeKind::Unary:
            case NodeKind::Binary:
            case NodeKind::Ternary:
            case NodeKind::Omitted:
            case NodeKind::Star:
                return NodeRef();
            default:
                parallel = false;
                return n;
        }
    });
    return parallel;
}

bool isString(const Vector& items) {
    return storageOf(items.type()) == Storage::String;
}

// Returns a value for each row of the group, or null when the result has another shape.
Ref<Vector> itemsOfGroup(const Value& v, int64_t rows) {
    if (v.isScalar()) {
        if (storageOf(v.type()) == Storage::Boxed || isDecimal(v.type())) return Ref<Vector>();
        return Vector::filled(v.type(), rows, v);
    }
    return isPlainVector(v) && v.size() == rows ? Ref<Vector>(&v.vector()) : Ref<Vector>();
}

// Concatenated values of an expression over the rows of all groups. The first group determines their type. Groups of
// one piece come in order, by one thread; pieces in any.
class GroupedValues {
public:
    GroupedValues(const Vector& first, int64_t rows, size_t pieces)
        : all_(Vector::make(first.type(), isString(first) ? 0 : rows)), strings_(isString(first) ? pieces : 0) {
        all_->setScale(first.scale());
        if (!isString(first)) out_ = all_->mutableRaw();
    }

    // Returns false when the type differs.
    bool put(size_t piece, int64_t firstRow, const Vector& items) {
        if (items.type() != all_->type() || items.scale() != all_->scale()) return false;
        if (out_) {
            const int64_t width = items.width();
            std::memcpy(out_ + firstRow * width, items.raw(), static_cast<size_t>(items.size() * width));
            return true;
        }
        // Strings have no fixed width.
        if (!strings_[piece]) strings_[piece] = Vector::make(items.type(), 0);
        strings_[piece]->append(items, 0, items.size());
        return true;
    }

    Value finish() {
        for (const Ref<Vector>& part : strings_) all_->append(*part, 0, part->size());
        return Value::of(all_);
    }

private:
    Ref<Vector> all_;
    char* out_ = nullptr;
    std::vector<Ref<Vector>> strings_;  // of each piece
};

// The values of an expression over the rows of all groups.
Value valuesOf(const ExpressionProgram& item, const MemoryTable& rows, const std::vector<int32_t>& begin,
               Context& context) {
    std::vector<Value> columns;
    for (int c : item.columns()) {
        columns.push_back(rows.column(c));
        if (!isPlainVector(columns.back())) return Value();
    }
    auto itemsOf = [&](size_t g, Context& own) {
        const int64_t first = begin[g], count = begin[g + 1] - begin[g];
        std::vector<Value> slices;
        for (const Value& column : columns) slices.push_back(Value::of(column.vector().slice(first, count)));
        return itemsOfGroup(item.evaluate(own, slices, count), count);
    };
    const std::vector<GroupPiece> pieces = groupPieces(begin);
    const Ref<Vector> first = itemsOf(0, context);
    if (!first) return Value();
    GroupedValues values(*first, rows.rowCount(), pieces.size());
    std::atomic<bool> regular{true};
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks,
                           static_cast<int64_t>(pieces.size()));
    auto compute = [&](int64_t number) {
        if (!regular.load(std::memory_order_relaxed)) return;
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        const GroupPiece& piece = pieces[static_cast<size_t>(number)];
        for (size_t g = piece.firstGroup; g < piece.endGroup; ++g) {
            const Ref<Vector> items = g == 0 ? first : itemsOf(g, own);
            if (!items || !values.put(static_cast<size_t>(number), begin[g], *items)) {
                regular.store(false, std::memory_order_relaxed);
                return;
            }
        }
        progress.add(1);
    };
    if (isParallel(item.code(), context)) {
        parallelFor(static_cast<int64_t>(pieces.size()), compute);
    } else {
        for (size_t i = 0; i < pieces.size(); ++i) compute(static_cast<int64_t>(i));
    }
    return regular ? values.finish() : Value();
}

// Columns of a table with the rows of all groups contiguous, each moved at first use.
class RowsTogether {
public:
    RowsTogether(const MemoryTable& rows, const PartedRows& groups)
        : rows_(rows), groups_(groups), columns_(static_cast<size_t>(rows.columnCount())) {}

    const Value& column(int c) {
        Value& known = columns_[static_cast<size_t>(c)];
        if (known.isVoid()) known = groups_.inGroups(rows_.column(c));
        return known;
    }

    // Returns the columns that an expression names.
    Ref<MemoryTable> columnsOf(const Node& item) {
        auto table = makeRef<MemoryTable>();
        auto add = [&](int c) {
            if (c >= 0) table->setColumn(rows_.columns()[static_cast<size_t>(c)].name, column(c));
        };
        forEachName(item, [&](const Name& n) { add(rows_.findColumn(n.name)); });
        if (table->columnCount() == 0) add(0);  // carries the number of rows
        return table;
    }

    // Returns the values of all rows, given in the order of the table, group by group.
    Value together(const Value& values) const { return groups_.inGroups(values); }

private:
    const MemoryTable& rows_;
    const PartedRows& groups_;
    std::vector<Value> columns_;
};

// Evaluates an expression over the rows of all groups. VOID when it returns anything else than a value for each row.
Value valuesOfItem(const NodeRef& item, const MemoryTable& rows, RowsTogether& together,
                   const std::vector<int32_t>& begin, Context& context) {
    const BoundRef inOrder = bindOverColumns(item, rows.columns(), context);
    if (inOrder->plainColumn() >= 0) return together.column(inOrder->plainColumn());
    if (inOrder->isElementwise) {
        const Value values = ExpressionProgram(inOrder, context).evaluate(context, rows);
        return values.isScalar() || values.size() != rows.rowCount() ? values : together.together(values);
    }
    const Ref<MemoryTable> read = together.columnsOf(*item);
    if (const NodeRef rest = withGroupColumns(item, *read, begin, context)) {
        return bindProgram(rest, read->columns(), context).evaluate(context, *read);
    }
    return valuesOf(bindProgram(item, read->columns(), context), *read, begin, context);
}

// Returns the rows of the groups that having and limit keep, as positions in the list of the groups' rows.
std::vector<int32_t> keptRows(const std::vector<int32_t>& begin, const Value& mask, bool limited, int64_t limit) {
    std::vector<int32_t> kept, ofGroup;
    for (size_t g = 0; g + 1 < begin.size(); ++g) {
        ofGroup.clear();
        for (int32_t r = begin[g]; r < begin[g + 1]; ++r) {
            if (mask.isVoid() || isTrue(mask.vector().at(r))) ofGroup.push_back(r);
        }
        auto first = ofGroup.begin(), last = ofGroup.end();
        if (limited && std::abs(limit) < static_cast<int64_t>(ofGroup.size())) {
            if (limit >= 0)
                last = first + limit;
            else
                first = last + limit;
        }
        kept.insert(kept.end(), first, last);
    }
    return kept;
}

}  // namespace

Ref<MemoryTable> selectContextBySlices(const SelectPlan& plan, const Ref<MemoryTable>& rows, Context& context) {
    if (rows->rowCount() == 0) return Ref<MemoryTable>();
    const Query& query = *plan.query;
    for (const OutputItem& item : plan.items) {
        if (item.names.size() != 1) return Ref<MemoryTable>();
    }
    const NodeRef& limitNode = query.limit ? query.limit : query.top;
    const bool limited = static_cast<bool>(limitNode);
    const int64_t limit = limited ? groupLimit(limitNode, context) : 0;
    std::vector<OrderKey> order;
    if (!query.csort.empty()) {
        // csort by cumsum(v) orders each group differently than all rows.
        for (const OrderItem& o : query.csort) {
            if (!bindProgram(o.value, rows->columns(), context).isElementwise()) return Ref<MemoryTable>();
        }
        order = orderKeys(query.csort, *rows, context);
    }
    if (limited) {
        if (Ref<MemoryTable> first = firstOfGroups(plan, *rows, limit, context)) return first;
    }
    const PartedRows groups(keysOfRows(plan.keys, *rows, context), order, rows->rowCount(),
                            PartedRows::GroupOrder::ByKey);
    const std::vector<int32_t> begin = groups.groupBegin();
    RowsTogether together(*rows, groups);
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < plan.items.size(); ++i) {
        Value values = valuesOfItem(plan.items[i].value, *rows, together, begin, context);
        if (values.isVoid()) return Ref<MemoryTable>();
        if (!values.isScalar() && !(values.isVector() && values.size() == rows->rowCount())) return Ref<MemoryTable>();
        addOutput(*result, plan.items[i], std::move(values), rows->rowCount());
    }
    Value mask;
    if (query.having) {
        mask = valuesOfItem(query.having, *rows, together, begin, context);
        if (!isPlainVector(mask) || mask.size() != rows->rowCount()) return Ref<MemoryTable>();
    }
    const bool tableOrder = keepsTableOrder(query);
    if (!limited && mask.isVoid() && !tableOrder) return result;
    std::vector<int32_t> kept = keptRows(begin, mask, limited, limit);
    if (tableOrder) {
        const std::vector<int32_t> list = groups.list();
        std::sort(kept.begin(), kept.end(),
                  [&](int32_t a, int32_t b) { return list[static_cast<size_t>(a)] < list[static_cast<size_t>(b)]; });
    }
    return result->gather(kept.data(), static_cast<int64_t>(kept.size()));
}

}  // namespace pelorus
