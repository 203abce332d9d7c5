#include "sql/bind/nodes/bind_pivot.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "sql/bind/nodes/bind_groups.h"
#include "sql/bind/nodes/bind_phases.h"
#include "sql/bind/nodes/bind_select.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

bool runsAfter(const Call& call, Context& context) {
    if (call.arguments.size() != 1 || !call.arguments[0].keyword.empty()) return false;
    Ref<Function> f = calledFunction(call, context);
    if (f && f->name().starts_with("row")) return true;
    if (!f || f->signature().aggregate || f->signature().elementwise) return false;
    return f->signature().orderSensitive || f->name().ends_with("fill");
}

// An output expression: the value of one cell, and what is done afterwards.
struct CellItem {
    NodeRef cell;
    PivotNode::Item item;
};

CellItem cellItem(const OutputItem& written, Context& context) {
    CellItem result{written.value, {written.names[0], written, {}, 0}};
    std::vector<Ref<Function>>& after = result.item.after;
    while (result.cell->kind == NodeKind::Call) {
        const auto& call = static_cast<const Call&>(*result.cell);
        if (!runsAfter(call, context)) break;
        after.push_back(calledFunction(call, context));
        result.cell = call.arguments[0].value;
    }
    std::reverse(after.begin(), after.end());
    // A row function yields one column, which is named after it.
    if (!after.empty() && !written.named) result.item.name = std::string(after.back()->name());
    return result;
}

OutputItem keyOfCells(const SelectPlan& plan, size_t k) {
    return {{fmt::format(" key{}", k)}, plan.keys[k].value, true};
}

// Returns the clauses of the cells: grouped, with the keys in front, or as rows, with the keys behind.
SelectPlan clausesOfCells(const SelectPlan& plan, const std::vector<CellItem>& items, bool isGrouped,
                          Context& context) {
    SelectPlan inner = plan;
    inner.items.clear();
    inner.query = copyQuery(*plan.query);
    inner.query->having = NodeRef();
    inner.query->grouping = isGrouped ? GroupKind::Group : GroupKind::None;
    for (size_t i = 0; i < items.size(); ++i) {
        NodeRef value = items[i].cell;
        if (isGrouped && !holdsAggregate(*value, context)) {
            std::vector<Argument> list = {{"", value}};
            value = makeRef<Call>(makeRef<Name>("last", value->position), std::move(list), Call::Style::Function,
                                  value->position);
        }
        inner.items.push_back({{fmt::format(" value{}", i)}, value, true});
    }
    if (!isGrouped) inner.keys.clear();
    for (size_t k = 0; k < plan.keys.size(); ++k) {
        if (isGrouped) {
            inner.keys[k] = keyOfCells(plan, k);
        } else {
            inner.items.push_back(keyOfCells(plan, k));
        }
    }
    return inner;
}

// Groups hold fewer rows. Values that depend on one row are grouped, too, where that needs no rows of whole groups.
bool areCellsGrouped(const SelectPlan& plan, const SelectPlan& grouped, const std::vector<CellItem>& items,
                     Context& context) {
    if (std::ranges::any_of(items, [&](const CellItem& item) { return holdsAggregate(*item.cell, context); }))
        return true;
    const auto isOfRow = [&](const CellItem& item) {
        return bindOverColumns(item.cell, plan.source.columns(), context)->isElementwise;
    };
    return std::ranges::all_of(items, isOfRow) && bindStates(grouped, context).has_value();
}

}  // namespace

PlanRef bindPivot(const SelectPlan& plan, Context& context) {
    if (plan.keys.size() < 2) {
        throw UserError("pivot by needs at least two columns: those of the rows, and last that of the columns.");
    }
    if (plan.query->top || plan.query->limit) {
        throw UserError("top and limit can't be used with pivot by.", "Select from the result of the query.");
    }
    std::vector<CellItem> items;
    for (const OutputItem& item : plan.items) items.push_back(cellItem(item, context));
    SelectPlan grouped = clausesOfCells(plan, items, true, context);
    const bool isGrouped = areCellsGrouped(plan, grouped, items, context);
    auto node = std::make_unique<PivotNode>(isGrouped ? bindGroupsInPhases(grouped, context)
                                                      : bindRows(clausesOfCells(plan, items, false, context), context));
    const auto keys = static_cast<int>(plan.keys.size()), values = static_cast<int>(items.size());
    for (int k = 0; k < keys; ++k) node->keyColumns.push_back(isGrouped ? k : values + k);
    for (int i = 0; i < values; ++i) {
        items[static_cast<size_t>(i)].item.cells = isGrouped ? keys + i : i;
        node->items.push_back(std::move(items[static_cast<size_t>(i)].item));
    }
    node->keys = plan.keys;
    node->cellColumns = keys + values;
    return node;
}

}  // namespace pelorus
