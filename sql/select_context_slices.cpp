// context by over slices: SQL-30 … SQL-33 where all items give columns.
//
// The rows are put together by group once. What depends on its own row only is computed for all rows at once; the rest
// group by group on slices of the columns, which share their memory, with pieces of groups on all threads.
#include <algorithm>
#include <atomic>

#include "common/thread_pool.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/cast.h"
#include "sql/group_columns.h"
#include "sql/select.h"

namespace pelorus {

namespace {

bool isPlainVector(const Value& v) {
    return v.isVector() && !v.isTuple() && !isArrayType(v.type()) && storageOf(v.type()) != Storage::Boxed;
}

// Whether groups may be computed at the same time: built-in functions of their arguments only.
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

// An item for each row of the group, appended to `out`; false when it gives something else.
bool appendGroup(const Value& v, int64_t rows, Ref<Vector>& out) {
    if (v.isScalar()) {
        if (storageOf(v.type()) == Storage::Boxed || isDecimal(v.type())) return false;
        const Ref<Vector> repeated = Vector::filled(v.isVoid() ? Type::Int : v.type(), rows, v);
        return appendGroup(Value::of(repeated), rows, out);
    }
    if (!isPlainVector(v) || v.size() != rows) return false;
    const Vector& items = v.vector();
    if (!out) {
        out = Vector::make(items.type(), 0);
        out->setScale(items.scale());
    }
    if (out->type() != items.type() || out->scale() != items.scale()) return false;
    out->append(items, 0, rows);
    return true;
}

// The values of an expression over the rows of all groups.
Value valuesOf(const ColumnExpression& item, const MemoryTable& rows, const std::vector<int32_t>& begin,
               Context& context) {
    if (item.isElementwise()) return item.evaluate(context, rows);
    std::vector<Value> columns;
    for (int c : item.columns()) {
        columns.push_back(rows.column(c));
        if (!isPlainVector(columns.back())) return Value();
    }
    const std::vector<GroupPiece> pieces = groupPieces(begin);
    std::vector<Ref<Vector>> parts(pieces.size());
    std::atomic<bool> regular{true};
    auto compute = [&](int64_t number) {
        if (!regular.load(std::memory_order_relaxed)) return;
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        const GroupPiece& piece = pieces[static_cast<size_t>(number)];
        std::vector<Value> slices(columns.size());
        for (size_t g = piece.firstGroup; g < piece.endGroup; ++g) {
            const int64_t first = begin[g], count = begin[g + 1] - begin[g];
            for (size_t c = 0; c < columns.size(); ++c) slices[c] = Value::of(columns[c].vector().slice(first, count));
            if (!appendGroup(item.evaluate(own, slices, count), count, parts[static_cast<size_t>(number)])) {
                regular.store(false, std::memory_order_relaxed);
                return;
            }
        }
    };
    if (isParallel(item.node(), context)) {
        parallelFor(static_cast<int64_t>(pieces.size()), compute);
    } else {
        for (size_t i = 0; i < pieces.size(); ++i) compute(static_cast<int64_t>(i));
    }
    if (!regular) return Value();
    if (parts.size() == 1) return Value::of(parts[0]);
    Ref<Vector> all = Vector::make(parts[0]->type(), 0, rows.rowCount());
    all->setScale(parts[0]->scale());
    for (Ref<Vector>& part : parts) {
        if (part->type() != all->type() || part->scale() != all->scale()) return Value();
        all->append(*part, 0, part->size());
        part = Ref<Vector>();
    }
    return Value::of(all);
}

// The rows of all groups, one group after the other. Keys are written from those of the groups.
Ref<MemoryTable> rowsTogether(const SelectPlan& plan, const MemoryTable& rows, const FlatRowGroups& groups,
                              Context& context) {
    const auto count = static_cast<int64_t>(groups.rows.size());
    std::vector<int> keyOf(static_cast<size_t>(rows.columnCount()), -1);
    for (size_t k = 0; k < plan.keys.size(); ++k) {
        const int c = ColumnExpression(plan.keys[k].value, rows.columns(), context).plainColumn();
        const bool isPlain = c >= 0 && isPlainVector(groups.keys[k]) && !isDecimal(groups.keys[k].type()) &&
                             storageOf(groups.keys[k].type()) != Storage::Text;
        if (isPlain) keyOf[static_cast<size_t>(c)] = static_cast<int>(k);
    }
    auto together = makeRef<MemoryTable>();
    for (int c = 0; c < rows.columnCount(); ++c) {
        const std::string& name = rows.columns()[static_cast<size_t>(c)].name;
        if (keyOf[static_cast<size_t>(c)] < 0) {
            together->setColumn(name, gatherItems(rows.column(c), groups.rows.data(), count));
            continue;
        }
        std::vector<int32_t> group(groups.rows.size());
        for (size_t g = 0; g + 1 < groups.begin.size(); ++g) {
            std::fill(group.begin() + groups.begin[g], group.begin() + groups.begin[g + 1], static_cast<int32_t>(g));
        }
        const Value& keys = groups.keys[static_cast<size_t>(keyOf[static_cast<size_t>(c)])];
        together->setColumn(name, gatherItems(keys, group.data(), count));
    }
    return together;
}

// Which rows of the groups having and limit leave, as places in the list of the groups' rows.
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
    std::vector<int32_t> order;
    if (!query.csort.empty()) {
        for (const OrderItem& o : query.csort) {
            if (!ColumnExpression(o.value, rows->columns(), context).isElementwise()) return Ref<MemoryTable>();
        }
        order = csorted(query, *rows, context);
    }
    const FlatRowGroups groups = groupRowsFlat(plan.keys, *rows, order, context);
    const bool inPlace = std::is_sorted(groups.rows.begin(), groups.rows.end());
    const Ref<MemoryTable> together = inPlace ? rows->copy() : rowsTogether(plan, *rows, groups, context);
    auto valuesOfItem = [&](const NodeRef& item) {
        if (const NodeRef rest = withGroupColumns(item, *together, groups.begin, context)) {
            return ColumnExpression(rest, together->columns(), context).evaluate(context, *together);
        }
        return valuesOf(ColumnExpression(item, rows->columns(), context), *together, groups.begin, context);
    };
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < plan.items.size(); ++i) {
        Value values = valuesOfItem(plan.items[i].value);
        if (values.isVoid()) return Ref<MemoryTable>();
        if (!values.isScalar() && !(values.isVector() && values.size() == rows->rowCount())) return Ref<MemoryTable>();
        addOutput(*result, plan.items[i], std::move(values), rows->rowCount());
    }
    Value mask;
    if (query.having) {
        mask = valuesOfItem(query.having);
        if (!isPlainVector(mask)) return Ref<MemoryTable>();
    }
    const NodeRef& limitNode = query.limit ? query.limit : query.top;
    const bool limited = static_cast<bool>(limitNode);
    const int64_t limit = limited ? groupLimit(limitNode, context) : 0;
    // With a limit, and no csort, the rows come in the order of the table: SQL-30.
    constexpr int64_t kKeepOrderHint = 128;
    const bool tableOrder = (query.limit && query.csort.empty()) || (query.hint & kKeepOrderHint) != 0;
    if (!limited && mask.isVoid() && !tableOrder) return result;
    std::vector<int32_t> kept = keptRows(groups.begin, mask, limited, limit);
    if (tableOrder) {
        std::sort(kept.begin(), kept.end(), [&](int32_t a, int32_t b) {
            return groups.rows[static_cast<size_t>(a)] < groups.rows[static_cast<size_t>(b)];
        });
    }
    return result->gather(kept.data(), static_cast<int64_t>(kept.size()));
}

}  // namespace pelorus
