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

void ComputedChange::chooseChanged(const MemoryTable& before) {
    std::vector<char> isChanged(static_cast<size_t>(before.rowCount()), 0);
    for (const auto& [column, after] : update.columns) {
        for (const int32_t row : changedCells(before.column(column), after)) isChanged[static_cast<size_t>(row)] = 1;
    }
    update.positions.clear();
    for (const int32_t row : matched) {
        if (isChanged[static_cast<size_t>(row)] != 0) update.positions.push_back(row);
    }
}

ComputedChange computeRowChange(const Query& query, const Table& table, const RowAccess::Rows& seen, Context& context) {
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
    for (const SelectItem& item : query.items) {
        const int column = seen.rows->findColumn(item.aliases.at(0));
        change.update.columns.emplace_back(column, rows->column(column));
    }
    change.chooseChanged(*seen.rows);
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
static ChangeAttempt changeOnce(const ChangeStatement& wanted, RowAccess& access, Transaction* transaction) {
    const RowAccess::Rows seen = access.rowsToChange(wanted.fixed(), transaction);
    ComputedChange change = wanted.compute(seen);
    ChangeAttempt attempt{.isDone = true, .count = change.count, .met = {}};
    if (wanted.takesMet) attempt.met = gathered(*change.met, change.matched);
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
        if (wanted.takesMet) attempt.met = gathered(*change.met, locked.kept);
    }
    if (!change.update.positions.empty() && !access.changeRows(seen, change.update, transaction))
        return {.isDone = false};
    if (!locked.renewed.rows || locked.renewed.rows->rowCount() == 0) return attempt;
    // As in PostgreSQL: the condition and the new values are those of the row as the other transaction has left it.
    const ComputedChange again = wanted.compute(locked.renewed);
    attempt.count += static_cast<int64_t>(again.matched.size());
    if (wanted.takesMet && !again.matched.empty()) attempt.met->append(*gathered(*again.met, again.matched));
    attempt.isDone = again.update.positions.empty() || access.changeRows(locked.renewed, again.update, transaction);
    return attempt;
}

int64_t changeRowsBy(const ChangeStatement& change, RowAccess& access, Context& context) {
    for (;;) {
        context.checkCancelled();
        StatementTransaction transaction(access);
        const TransactionScope scope(transaction.get());  // sub-queries see what the statement sees
        const ChangeAttempt attempt = changeOnce(change, access, transaction.get());
        if (!attempt.isDone) {
            if (transaction.isOwn() || transaction.get() == nullptr) continue;
            throw UserError(
                fmt::format("<ConcurrentChange>The columns of the table {} were changed meanwhile.", change.table),
                "Run the transaction again.");
        }
        if (change.takesMet) change.takesMet(attempt.met);
        transaction.commit();
        return attempt.count;
    }
}

int64_t changeRowTable(const Query& query, const PartitionedTable& table, RowAccess& access, Context& context) {
    ChangeStatement change;
    change.table = table.name;
    change.fixed = [&] { return constraintsOfRows(query, table.columns(), context); };
    change.compute = [&](const RowAccess::Rows& seen) { return computeRowChange(query, table, seen, context); };
    if (const auto* session = static_cast<const Session*>(context.session)) change.takesMet = session->takesMetRows;
    return changeRowsBy(change, access, context);
}

}  // namespace pelorus
