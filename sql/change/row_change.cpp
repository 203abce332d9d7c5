#include "sql/change/row_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "common/error.h"
#include "interpreter/session/session.h"
#include "runtime/append/statement_transaction.h"
#include "runtime/code/query.h"
#include "sql/bind/plan_select.h"
#include "sql/change/change.h"
#include "sql/change/row_locks.h"

namespace pelorus {

// Returns the rows in which two columns of one type differ.
static std::vector<int32_t> changedCells(const Value& before, const Value& after) {
    std::vector<int32_t> rows;
    const Vector& a = before.vector();
    const Vector& b = after.vector();
    const bool isText = storageOf(a.type()) == Storage::String;
    const auto width = static_cast<size_t>(a.width());
    for (int64_t i = 0; i < a.size(); ++i) {
        const auto at = static_cast<size_t>(i) * width;
        const bool isSame = isText ? a.string(i) == b.string(i) : std::memcmp(a.raw() + at, b.raw() + at, width) == 0;
        if (!isSame) rows.push_back(static_cast<int32_t>(i));
    }
    return rows;
}

// What a statement does to rows that it has seen.
struct ComputedChange {
    RowAccess::RowUpdate update;
    std::vector<int32_t> matched;  // positions of the rows that satisfy the conditions, ascending
    int64_t count = 0;             // of what matched: of rows, or of those of the statement's `from`
    Ref<MemoryTable> met;          // all rows: as they will be, or as they were before a delete
};

// Computes the change. Cells that stay as they are make no change; their rows have matched all the same.
static ComputedChange computeChange(const Query& query, const Table& table, const RowAccess::Rows& seen,
                                    Context& context) {
    ComputedChange change;
    const Ref<MemoryTable> rows = seen.rows->copy();
    change.count = changeRows(query, table, *rows, context, &change.matched);
    std::erase_if(change.matched, [](int32_t row) { return row < 0; });
    std::sort(change.matched.begin(), change.matched.end());
    change.matched.erase(std::unique(change.matched.begin(), change.matched.end()), change.matched.end());
    change.update.erases = query.verb != QueryVerb::Update;
    change.met = change.update.erases ? seen.rows : rows;
    if (change.update.erases) {
        change.update.positions = change.matched;
        return change;
    }
    std::vector<char> isChanged(static_cast<size_t>(seen.rows->rowCount()), 0);
    for (const SelectItem& item : query.items) {
        const int column = seen.rows->findColumn(item.aliases.at(0));
        const Value& after = rows->column(column);
        for (const int32_t row : changedCells(seen.rows->column(column), after))
            isChanged[static_cast<size_t>(row)] = 1;
        change.update.columns.emplace_back(column, after);
    }
    for (const int32_t row : change.matched) {
        if (isChanged[static_cast<size_t>(row)] != 0) change.update.positions.push_back(row);
    }
    return change;
}

static Ref<MemoryTable> gathered(const MemoryTable& rows, const std::vector<int32_t>& positions) {
    return rows.gather(positions.data(), static_cast<int64_t>(positions.size()));
}

// The outcome of one attempt at a change: how many rows it met, and these.
struct ChangeAttempt {
    bool isDone = true;
    int64_t count = 0;
    Ref<MemoryTable> met;
};

// Locks the rows that match, computes anew what others have changed meanwhile, and applies the change. It is not done
// when the table has other columns now.
static ChangeAttempt changeOnce(const Query& query, const PartitionedTable& table, RowAccess& access,
                                Transaction* transaction, Context& context) {
    const RowAccess::Rows seen = access.rowsToChange(fixedColumns(query, table.columns(), context), transaction);
    ComputedChange change = computeChange(query, table, seen, context);
    ChangeAttempt attempt{.isDone = true, .count = change.count, .met = gathered(*change.met, change.matched)};
    if (change.matched.empty()) return attempt;
    if (transaction == nullptr) {
        attempt.isDone = change.update.positions.empty() || access.changeRows(seen, change.update, transaction);
        return attempt;
    }
    const RowLockStrength strength = change.update.erases ? RowLockStrength::Update : RowLockStrength::NoKeyUpdate;
    const RowAccess::LockedRows locked =
        access.lockRows(seen, change.matched, strength, RowLockPolicy::Wait, *transaction);
    if (locked.kept.size() < change.matched.size()) {
        std::vector<int32_t> positions;
        std::set_intersection(change.update.positions.begin(), change.update.positions.end(), locked.kept.begin(),
                              locked.kept.end(), std::back_inserter(positions));
        change.update.positions = std::move(positions);
        attempt.count = static_cast<int64_t>(locked.kept.size());
        attempt.met = gathered(*change.met, locked.kept);
    }
    if (!change.update.positions.empty() && !access.changeRows(seen, change.update, transaction))
        return {.isDone = false};
    if (!locked.renewed.rows || locked.renewed.rows->rowCount() == 0) return attempt;
    // As in PostgreSQL: the condition and the new values are those of the row as the other transaction has left it.
    const ComputedChange again = computeChange(query, table, locked.renewed, context);
    attempt.count += static_cast<int64_t>(again.matched.size());
    if (!again.matched.empty()) attempt.met->append(*gathered(*again.met, again.matched));
    attempt.isDone = again.update.positions.empty() || access.changeRows(locked.renewed, again.update, transaction);
    return attempt;
}

int64_t changeRowTable(const Query& query, const PartitionedTable& table, RowAccess& access, Context& context) {
    const auto* session = static_cast<const Session*>(context.session);
    for (;;) {
        context.checkCancelled();
        StatementTransaction transaction(access);
        const TransactionScope scope(transaction.get());  // sub-queries see what the statement sees
        const ChangeAttempt attempt = changeOnce(query, table, access, transaction.get(), context);
        if (!attempt.isDone) {
            if (transaction.isOwn() || transaction.get() == nullptr) continue;
            throw UserError(
                fmt::format("<ConcurrentChange>The columns of the table {} were changed meanwhile.", table.name),
                "Run the transaction again.");
        }
        if (session != nullptr && session->takesMetRows) session->takesMetRows(attempt.met);
        transaction.commit();
        return attempt.count;
    }
}

}  // namespace pelorus
