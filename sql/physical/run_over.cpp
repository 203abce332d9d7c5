#include "sql/physical/run_over.h"

#include "runtime/code/rewrite.h"
#include "sql/execution/query_profile.h"
#include "sql/operators/window/grouped_windows.h"
#include "sql/operators/window/spilled_windows.h"
#include "sql/operators/window/window_operator.h"
#include "sql/physical/run_select.h"

namespace pelorus {

// Window functions become columns of the rows first; the query then reads those.
static SelectedRows selectWithWindows(const Query& query, const Ref<MemoryTable>& rows, Context& context) {
    Ref<Query> rest = withWindowColumns(query, *rows, context);
    rest->table = makeRef<Constant>(Value::of(Ref<Table>(rows)), query.position);
    rest->tableAlias.clear();
    rest->joins.clear();
    rest->where.clear();
    return selectRows(*rest, context);
}

SelectedRows runOver(const OverNode& node, const std::function<Ref<MemoryTable>()>& readRows, Context& context) {
    SelectedRows selected;
    const auto select = [&](const Query& query, const Ref<MemoryTable>& rows) {
        selected = selectWithWindows(query, rows, context);
        return selected.rows;
    };
    {
        const TracePause pause;  // of what is repeated for each part
        selected.rows = selectWindowsInParts(node.clauses, context, select);
    }
    if (selected.rows) return selected;
    return selectWithWindows(*node.clauses.query, readRows()->copy(), context);
}

SelectedRows runOverGroups(const OverGroupsNode& node, const RowSource& source, Context& context) {
    GroupedWindows parts = splitGroupedWindows(node.clauses);
    const Ref<MemoryTable> groups = selectRows(*parts.groups, source, context).rows->copy();
    showGroups(parts, *groups);
    parts.windows->table = makeRef<Constant>(Value::of(Ref<Table>(groups)), node.clauses.query->position);
    return selectRows(*parts.windows, context);
}

}  // namespace pelorus
