// coevent and rollingPanel: tables of pairs of events, and of the windows of a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// The distinct rows of some columns, numbered in ascending order.
struct DistinctRows {
    std::vector<int64_t> numbers;    // of each row
    std::vector<int64_t> firstRows;  // the first row of each number
};

bool areSame(const Vector& v, int64_t i, int64_t k) {
    if (!isFloating(v.type())) return compareElements(v, i, v, k) == 0;
    const double x = v.asDouble(i), y = v.asDouble(k);
    return x == y || (std::isnan(x) && std::isnan(y));
}

// Sorts the rows by typed vectors of `rows` elements, and numbers the runs of equal ones. NULL equals NULL.
DistinctRows numberRows(const std::vector<OrderKey>& columns, int64_t rows) {
    DistinctRows distinct;
    distinct.numbers.resize(static_cast<size_t>(rows));
    int64_t before = -1;
    for (const int32_t row : sortPositions(columns, rows)) {  // stable: a run begins with its first row
        const bool isNew = before < 0 || !std::ranges::all_of(columns, [&](const OrderKey& key) {
                               return areSame(key.column.vector(), before, row);
                           });
        if (isNew) distinct.firstRows.push_back(row);
        distinct.numbers[static_cast<size_t>(row)] = static_cast<int64_t>(distinct.firstRows.size()) - 1;
        before = row;
    }
    return distinct;
}

// coevent(event, eventTime, window, [orderSensitive])
Value coeventKernel(Context&, Arguments a) {
    if (!a[0].isTypedVector()) refuseArgument(0, "event", "a vector", a[0]);
    const bool isClock = a[1].isTypedVector() && (isTemporal(a[1].type()) || isIntegral(a[1].type()));
    if (!isClock) refuseArgument(1, "eventTime", "a vector of times or integers", a[1]);
    if (a[0].size() != a[1].size())
        throw UserError(1, fmt::format("event and eventTime differ in length: {} and {}.", a[0].size(), a[1].size()));
    const int64_t window = integerArgument(a, 2, "window");
    if (window < 0) refuseArgument(2, "window", "0 or more", a[2]);
    const bool keepsOrder = flagArgument(a, 3, "orderSensitive", false);
    const Vector &events = a[0].vector(), &times = a[1].vector();
    const DistinctRows distinct = numberRows({{a[0]}}, events.size());
    std::vector<int64_t> order;
    for (int64_t i = 0; i < times.size(); ++i) {
        if (!times.isNullAt(i)) order.push_back(i);
    }
    std::ranges::stable_sort(order, [&](int64_t i, int64_t k) { return times.asLong(i) < times.asLong(k); });
    std::map<std::pair<int64_t, int64_t>, int32_t> hits;
    for (size_t i = 0; i < order.size(); ++i) {
        checkCancelled();  // a row takes as long as the window holds events
        for (size_t k = i + 1; k < order.size(); ++k) {
            if (times.asLong(order[k]) - times.asLong(order[i]) > window) break;
            int64_t first = distinct.numbers[static_cast<size_t>(order[i])];
            int64_t second = distinct.numbers[static_cast<size_t>(order[k])];
            if (!keepsOrder && first > second) std::swap(first, second);
            ++hits[{first, second}];
        }
    }
    std::vector<int64_t> left, right;
    std::vector<int32_t> counts;
    for (const auto& [pair, count] : hits) {
        left.push_back(distinct.firstRows[static_cast<size_t>(pair.first)]);
        right.push_back(distinct.firstRows[static_cast<size_t>(pair.second)]);
        counts.push_back(count);
    }
    const auto size = static_cast<int64_t>(counts.size());
    auto table = makeRef<MemoryTable>(
        std::vector<std::string>{"event1", "event2", "hits"},
        std::vector<Value>{Value::of(events.gather(left.data(), size)), Value::of(events.gather(right.data(), size)),
                           Value::of(Vector::of(Type::Int, counts))});
    return Value::of(Ref<Table>(table));
}

// Returns the rows of each group, the groups in the order in which they occur first.
std::vector<std::vector<int64_t>> groupsOf(const std::vector<OrderKey>& columns, int64_t rows) {
    const DistinctRows distinct = numberRows(columns, rows);
    std::vector<std::vector<int64_t>> groups;
    std::vector<size_t> places(distinct.firstRows.size());
    for (int64_t i = 0; i < rows; ++i) {
        const auto number = static_cast<size_t>(distinct.numbers[static_cast<size_t>(i)]);
        if (distinct.firstRows[number] == i) {
            places[number] = groups.size();
            groups.emplace_back();
        }
        groups[places[number]].push_back(i);
    }
    return groups;
}

// rollingPanel(X, window, [groupingCol])
Value rollingPanelKernel(Context&, Arguments a) {
    const Ref<MemoryTable> table = tableToRead(a[0]);
    if (!table) refuseArgument(0, "X", "a table in memory", a[0]);
    const int64_t window = integerArgument(a, 1, "window");
    if (window < 1) refuseArgument(1, "window", "1 or more", a[1]);
    std::vector<std::vector<int64_t>> groups;
    if (isGiven(a, 2)) {
        std::vector<OrderKey> columns;
        for (const std::string& name : namesArgument(a, 2, "groupingCol")) {
            const int place = table->findColumn(name);
            if (place < 0) throw UserError(2, fmt::format("The table has no column {}.", name));
            columns.push_back({table->column(place)});
            if (!columns.back().column.isTypedVector())
                throw UserError(2, fmt::format("The column {} can't group rows: it is of mixed values.", name));
        }
        groups = groupsOf(columns, table->rowCount());
    } else {
        groups.emplace_back(static_cast<size_t>(table->rowCount()));
        std::iota(groups[0].begin(), groups[0].end(), 0);
    }
    std::vector<int64_t> rows;
    std::vector<int32_t> panels;
    int32_t panel = 0;
    for (const auto& group : groups) {
        for (int64_t begin = 0; begin + window <= static_cast<int64_t>(group.size()); ++begin, ++panel) {
            checkCancelled();
            for (int64_t i = begin; i < begin + window; ++i) {
                rows.push_back(group[static_cast<size_t>(i)]);
                panels.push_back(panel);
            }
        }
    }
    auto result = makeRef<MemoryTable>();
    for (int c = 0; c < table->columnCount(); ++c)
        result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                          gatherElements(table->column(c), rows.data(), static_cast<int64_t>(rows.size())));
    result->setColumn("panelNumber", Value::of(Vector::of(Type::Int, panels)));
    return Value::of(Ref<Table>(result));
}

}  // namespace

void registerEventPairs(FunctionRegistry& registry) {
    registry.add("coevent(event, eventTime, window, [orderSensitive=false])", coeventKernel,
                 {.summary = "How often two events happen within a time of each other: a table of event1, event2 and "
                             "hits, in the order of the events.",
                  .parameters = "event: a vector\neventTime: as many times or integers\nwindow: an integer of at least "
                                "0, in the unit of eventTime\norderSensitive: whether event1 is the one before",
                  .nulls = "Rows whose time is NULL are left out.",
                  .errors = "event and eventTime differ in length; window is below 0; events have no order.",
                  .complexity = "O(rows · (log rows + events within a window))",
                  .example = "coevent(`A`B`A, 1 2 9, 1).hits -> [1]"});
    registry.add(
        "rollingPanel(X, window, [groupingCol])", rollingPanelKernel,
        {.summary = "The rows of all windows of a table, one after the other, with the number of the window in "
                    "the column panelNumber.",
         .parameters = "X: a table\nwindow: rows of a window, from 1\ngroupingCol: names of columns; windows "
                       "then hold rows of one group",
         .errors = "X is no table; there is no such column, or its elements have no order.",
         .complexity = "O(rows · window)",
         .example = "rollingPanel(table(1..3 as x), 2).x -> [1,2,2,3]"
                    "\nrollingPanel(table(1..3 as x), 2)"});
}

}  // namespace pelorus
